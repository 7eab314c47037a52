#include <algorithm>
#include <cstddef>

#include "filter/estimate_fit.hpp"
#include "filter/fit/filter_fit_math.hpp"
#include "filter/fit/surface_fit.hpp"

namespace triptych::capsule_likelihood {

EstimateFit::EstimateFit(const Skeleton& skeleton, const SensorModel& sensor, int steps, bool recovers_limbs)
    : skeleton_(skeleton), sensor_(sensor), steps_(steps) {
  if (recovers_limbs) recovery_.emplace(skeleton, sensor);
}

bool EstimateFit::fit(const HostCloud& sample, const FilterFrame& frame, const FittedState& state) const {
  const SurfaceFit fit(skeleton_, sample.points, sample.sigma_m, sensor_);
  const std::vector<float> pose = fit.refine(state.pose, steps_);
  if (std::equal(pose.begin(), pose.end(), state.pose.begin(), state.pose.end())) return false;
  move_estimate(pose, frame, state);
  return true;
}

bool EstimateFit::recover_limbs(const HostCloud& sample, const FilterFrame& frame, const FittedState& state,
                                int threads) const {
  if (!recovery_) return false;
  const LimbRecovery::Result recovered =
      recovery_->recover(sample.view(), steps_, state.pose, frame.frame, threads);
  if (recovered.joints.empty()) return false;
  move_estimate(recovered.pose, frame, state);
  // The jump is not motion: the prediction must not continue it.
  for (const std::size_t joint : recovered.joints) {
    const auto d = static_cast<std::size_t>(skeleton_.first_angle(static_cast<int>(joint))) - 1;
    const std::size_t count = skeleton_.joints()[joint].rotations.size();
    std::copy_n(state.centre.begin() + static_cast<std::ptrdiff_t>(d), count,
                state.last.begin() + static_cast<std::ptrdiff_t>(d));
    std::fill_n(state.velocity.begin() + static_cast<std::ptrdiff_t>(d), count, 0.0f);
  }
  return true;
}

void EstimateFit::move_estimate(std::span<const float> pose, const FilterFrame& frame,
                                const FittedState& state) {
  std::copy(pose.begin(), pose.end(), state.pose.begin());
  const int dims = static_cast<int>(state.centre.size());
  for (int d = 0; d < dims; ++d)
    state.centre[static_cast<std::size_t>(d)] = centre_of_pose(pose.data(), frame, d);
}

}  // namespace triptych::capsule_likelihood
