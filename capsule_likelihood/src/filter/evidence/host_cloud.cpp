#include <cstddef>
#include <cstdint>
#include <limits>

#include "filter/evidence/cloud_sample.hpp"
#include "filter/evidence/host_cloud.hpp"
#include "geometry/bounds.hpp"
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

void draw_fit_sample(const CloudView& cloud, HostCloud& sample) {
  const auto count = static_cast<std::int64_t>(cloud.points.size());
  sample.points.clear();
  sample.sigma_m.clear();
  if (count <= max_fit_points) {
    sample.points.assign(cloud.points.begin(), cloud.points.end());
    sample.sigma_m.assign(cloud.sigma_m.begin(), cloud.sigma_m.end());
    return;
  }
  for (std::int32_t i = 0; i < max_fit_points; ++i)
    append(sample, cloud, static_cast<std::size_t>(sample_index(i, count, max_fit_points)));
}

HostCloud fit_sample(const CloudView& cloud) {
  HostCloud sample;
  sample.points.reserve(static_cast<std::size_t>(max_fit_points));
  draw_fit_sample(cloud, sample);
  return sample;
}

HostCloud points_near(std::span<const Capsule> body, const CloudView& cloud, double reach_m) {
  const Bounds3 bounds = bounds_of(body);
  HostCloud near;
  for (std::size_t i = 0; i < cloud.points.size(); ++i)
    if (bounds.is_near(cloud.points[i], reach_m)) append(near, cloud, i);
  return near;
}

}  // namespace triptych::capsule_likelihood
