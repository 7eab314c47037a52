// Scalar maths of the features, for host and device.
#pragma once

#include <triptych/aam_fit/features.hpp>
#include <triptych/core/host_device.hpp>

#include <cmath>
#include <cstdint>

namespace triptych::aam_fit {

// Taps of a Gaussian on each side of its centre: three widths.
inline int gaussian_radius(float sigma_px) { return static_cast<int>(std::ceil(3.0f * sigma_px)); }

// weights[0..radius] of the distances; all taps together have the sum 1.
inline void gaussian_weights(float sigma_px, float* weights) {
  const int radius = gaussian_radius(sigma_px);
  double sum = 0;
  const auto weight = [&](int i) { return std::exp(-0.5 * i * i / (double{sigma_px} * double{sigma_px})); };
  for (int i = -radius; i <= radius; ++i) sum += weight(i);
  for (int i = 0; i <= radius; ++i) weights[i] = static_cast<float>(weight(i) / sum);
}

constexpr int max_bins = 16;

// Directions of the bins: cosine and sine of 2 pi k / bins. Made on the host for both twins.
struct BinDirections {
  float x[max_bins], y[max_bins];
};
inline BinDirections bin_directions(int bins) {
  BinDirections d{};
  for (int k = 0; k < bins && k < max_bins; ++k) {
    const double angle = 2 * 3.14159265358979323846 * k / bins;
    d.x[k] = static_cast<float>(std::cos(angle));
    d.y[k] = static_cast<float>(std::sin(angle));
  }
  return d;
}

// Gradients below this many grey values a pixel count as noise.
constexpr float gradient_noise = 0.5f;

// Half the difference of the neighbours, the border repeated: the gradient along one axis.
TRIPTYCH_INLINE_HD float half_difference(float before, float after) { return 0.5f * (after - before); }

TRIPTYCH_INLINE_HD float gradient_size(float gx, float gy) { return sqrtf(gx * gx + gy * gy); }

// The channels of a pixel: put(channel, value). local_mean: the mean size of gradients around it.
template <class Put>
TRIPTYCH_INLINE_HD void gradient_features(FeatureKind kind, int bins, const BinDirections& directions,
                                          float gx, float gy, float local_mean, Put put) {
  const float size = gradient_size(gx, gy), divide = 1.0f / (size + local_mean + gradient_noise);
  const float nx = gx * divide, ny = gy * divide;
  if (kind == FeatureKind::orientation) {
    for (int k = 0; k < bins; ++k) {
      const float along = nx * directions.x[k] + ny * directions.y[k];
      put(k, along > 0.0f ? along : 0.0f);
    }
    return;
  }
  put(0, nx);
  put(1, ny);
  if (kind == FeatureKind::double_angle) {
    const float length = size * divide + 1e-9f;
    put(2, (nx * nx - ny * ny) / length);
    put(3, 2.0f * nx * ny / length);
  }
}

}  // namespace triptych::aam_fit
