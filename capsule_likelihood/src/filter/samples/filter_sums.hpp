// The filter's sums over samples: doubles, to be added in a fixed order (sum_lanes partial sums, then a
// tree).
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>
#include <triptych/core/host_device.hpp>
#include <triptych/core/portable_math.hpp>

#include <cmath>
#include <cstdint>

namespace triptych::capsule_likelihood {

inline constexpr int sum_lanes = 128;

// The weighted sums of one dimension over the proposals of a group, about the old centre. For a rotation they
// add up quaternions (all on the side of the reference, so that their signs agree); the sum has the direction
// of the mean.
struct MeanSums {
  double weight = 0, value = 0;

  TRIPTYCH_HD void add(const float* row, int d, float centre, std::uint32_t w) {
    auto scaled = static_cast<double>(w);
    if (d < 3) {
      const float length = portable_sqrt(
          fmaf(0.25f * row[0], row[0], fmaf(0.25f * row[1], row[1], fmaf(0.25f * row[2], row[2], 1.0f))));
      scaled = scaled * static_cast<double>(1.0f / length);
    }
    weight += scaled;
    value = fma(scaled, static_cast<double>(row[d] - (d < 3 ? 0.0f : centre)), value);
  }
  TRIPTYCH_HD void add(const MeanSums& other) {
    weight += other.weight;
    value += other.value;
  }
  TRIPTYCH_HD float mean(int d, float centre) const {
    const auto mean = static_cast<float>(value / weight);
    return d < 3 ? mean : centre + mean;
  }
};

// The sums of a joint's positions over the samples, about that of the estimate.
struct PositionSums {
  double first[3] = {}, second[6] = {};

  TRIPTYCH_HD void add(const Vec3& position, const Vec3& about) {
    const double x = static_cast<double>(position.x - about.x), y = static_cast<double>(position.y - about.y),
                 z = static_cast<double>(position.z - about.z);
    first[0] += x;
    first[1] += y;
    first[2] += z;
    second[0] = fma(x, x, second[0]);
    second[1] = fma(x, y, second[1]);
    second[2] = fma(x, z, second[2]);
    second[3] = fma(y, y, second[3]);
    second[4] = fma(y, z, second[4]);
    second[5] = fma(z, z, second[5]);
  }
  TRIPTYCH_HD void add(const PositionSums& other) {
    for (int i = 0; i < 3; ++i) first[i] += other.first[i];
    for (int i = 0; i < 6; ++i) second[i] += other.second[i];
  }
  // xx xy xz yy yz zz
  TRIPTYCH_HD void covariance(std::int32_t samples, float* result) const {
    const double n = samples;
    const int row[6] = {0, 0, 0, 1, 1, 2}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int i = 0; i < 6; ++i)
      result[i] = static_cast<float>(fma(-first[row[i]] / n, first[column[i]] / n, second[i] / n));
  }
};

}  // namespace triptych::capsule_likelihood
