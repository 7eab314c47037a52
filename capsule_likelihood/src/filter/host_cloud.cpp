#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "filter/cloud_sample.hpp"
#include "filter/host_cloud.hpp"
#include "rays/ray_capsule_math.hpp"

namespace triptych::capsule_likelihood {

namespace {

void append(HostCloud& to, const CloudView& from, std::size_t i) {
  to.points.push_back(from.points[i]);
  if (!from.sigma_m.empty()) to.sigma_m.push_back(from.sigma_m[i]);
}

}  // namespace

void HostCloud::drop_points_without_sigma(float usual_m) {
  for (std::size_t i = 0; i < sigma_m.size(); ++i) {
    if (sigma_m[i] > 0 && sigma_m[i] <= largest_m) continue;
    points[i].x = std::numeric_limits<float>::quiet_NaN();
    sigma_m[i] = usual_m;
  }
}

HostCloud fit_sample(const CloudView& cloud) {
  HostCloud sample;
  const auto count = static_cast<std::int64_t>(cloud.points.size());
  const std::int32_t size = sample_size(count, max_fit_points);
  for (std::int32_t i = 0; i < size; ++i)
    append(sample, cloud, static_cast<std::size_t>(sample_index(i, count, size)));
  return sample;
}

HostCloud points_near(std::span<const Capsule> body, const CloudView& cloud, float reach_m) {
  constexpr float endless = std::numeric_limits<float>::infinity();
  std::array<float, 3> low = {endless, endless, endless}, high = {-endless, -endless, -endless};
  for (const Capsule& c : body) {
    for (const Vec3& end : {c.a, c.b}) {
      const std::array<float, 3> at = {end.x, end.y, end.z};
      for (std::size_t i = 0; i < at.size(); ++i) {
        low[i] = std::min(low[i], at[i] - c.radius_m - reach_m);
        high[i] = std::max(high[i], at[i] + c.radius_m + reach_m);
      }
    }
  }
  HostCloud near;
  for (std::size_t k = 0; k < cloud.points.size(); ++k) {
    const Vec3& p = cloud.points[k];
    const std::array<float, 3> at = {p.x, p.y, p.z};
    bool is_near = true;  // false for NaN
    for (std::size_t i = 0; i < at.size(); ++i) is_near = is_near && at[i] >= low[i] && at[i] <= high[i];
    if (is_near) append(near, cloud, k);
  }
  return near;
}

}  // namespace triptych::capsule_likelihood
