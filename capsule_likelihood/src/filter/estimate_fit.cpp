#include <algorithm>
#include <cstddef>
#include <utility>

#include "filter/estimate_fit.hpp"
#include "filter/surface_fit.hpp"
#include "geometry/half_rotation.hpp"

namespace triptych::capsule_likelihood {

EstimateFit::EstimateFit(const Skeleton& skeleton, const SensorModel& sensor, int steps, bool recovers_limbs,
                         int threads)
    : skeleton_(skeleton), sensor_(sensor), steps_(steps) {
  if (recovers_limbs) recovery_.emplace(skeleton, sensor, threads);
}

void EstimateFit::apply(const HostCloud& sample, const FilterFrame& frame, const FittedState& state) const {
  const SurfaceFit fit(skeleton_, sample.points, sample.sigma_m, sensor_);
  LimbRecovery::Result fitted{fit.refine(state.pose, steps_), {}};
  if (recovery_) fitted = recovery_->recover(sample.view(), fit, steps_, std::move(fitted.pose), frame.frame);
  const std::vector<float>& pose = fitted.pose;
  if (std::equal(pose.begin(), pose.end(), state.pose.begin(), state.pose.end())) return;
  const HalfRotation half = half_rotation_between(frame.reference, pose.data() + 3);
  state.centre[0] = 2 * half.x;
  state.centre[1] = 2 * half.y;
  state.centre[2] = 2 * half.z;
  std::copy_n(pose.begin(), 3, state.centre.begin() + 3);
  std::copy(pose.begin() + 7, pose.end(), state.centre.begin() + root_dims);
  std::copy(pose.begin(), pose.end(), state.pose.begin());
  // The jump is not motion: the prediction must not continue it.
  for (const std::size_t joint : fitted.joints) {
    const auto d = static_cast<std::size_t>(skeleton_.first_angle(static_cast<int>(joint))) - 1;
    const std::size_t count = skeleton_.joints()[joint].rotations.size();
    std::copy_n(state.centre.begin() + static_cast<std::ptrdiff_t>(d), count,
                state.last.begin() + static_cast<std::ptrdiff_t>(d));
    std::fill_n(state.velocity.begin() + static_cast<std::ptrdiff_t>(d), count, 0.0f);
  }
}

}  // namespace triptych::capsule_likelihood
