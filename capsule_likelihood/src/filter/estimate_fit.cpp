#include <algorithm>
#include <cstdint>

#include "filter/estimate_fit.hpp"
#include "filter/surface_fit.hpp"
#include "geometry/half_rotation.hpp"

namespace triptych::capsule_likelihood {

FitSample FitSample::of(const CloudView& cloud) {
  FitSample sample;
  const auto count = static_cast<std::int64_t>(cloud.points.size());
  const std::int32_t size = sample_size(count, max_fit_points);
  for (std::int32_t i = 0; i < size; ++i) {
    const auto k = static_cast<std::size_t>(sample_index(i, count, size));
    sample.points.push_back(cloud.points[k]);
    if (!cloud.sigma_m.empty()) sample.sigma_m.push_back(cloud.sigma_m[k]);
  }
  return sample;
}

void fit_estimate(const Skeleton& skeleton, const SensorModel& sensor, const FitSample& sample, int steps,
                  const FilterFrame& frame, std::span<float> pose, std::span<float> centre) {
  const std::vector<float> fitted =
      SurfaceFit(skeleton, sample.points, sample.sigma_m, sensor).refine(pose, steps);
  if (std::equal(fitted.begin(), fitted.end(), pose.begin(), pose.end())) return;
  const HalfRotation half = half_rotation_between(frame.reference, fitted.data() + 3);
  centre[0] = 2 * half.x;
  centre[1] = 2 * half.y;
  centre[2] = 2 * half.z;
  std::copy_n(fitted.begin(), 3, centre.begin() + 3);
  std::copy(fitted.begin() + 7, fitted.end(), centre.begin() + root_dims);
  std::copy(fitted.begin(), fitted.end(), pose.begin());
}

}  // namespace triptych::capsule_likelihood
