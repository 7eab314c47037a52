// The last part of a frame: the estimate is fitted to a sample of the cloud, and the next frame starts there.
#pragma once

#include <triptych/capsule_likelihood/rays.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>

#include <optional>
#include <span>
#include <vector>

#include "filter/evidence/host_cloud.hpp"
#include "filter/samples/filter_layout.hpp"
#include "filter/search/limb_recovery.hpp"

namespace triptych::capsule_likelihood {

// The mean of the samples is some millimetres off, the more the faster the body moves; steps of Gauss-Newton
// take it to the points. On the host; EstimateFitCuda does the first part on a GPU, with the same bits.
class EstimateFit {
 public:
  // The skeleton outlives the fit.
  EstimateFit(const Skeleton& skeleton, const SensorModel& sensor, int steps, bool recovers_limbs);

  bool recovers_limbs() const { return recovery_.has_value(); }

  // Both parts. They return whether they moved the estimate; all bits stay when they did not. threads: for
  // the search, 0 for all cores; the result is the same for any number.
  bool apply(const HostCloud& sample, const FilterFrame& frame, const FittedState& state, int threads) const {
    const bool is_fitted = fit(sample, frame, state);
    return recover_limbs(sample, frame, state, threads) || is_fitted;
  }
  bool fit(const HostCloud& sample, const FilterFrame& frame, const FittedState& state) const;
  // Of a fitted estimate.
  bool recover_limbs(const HostCloud& sample, const FilterFrame& frame, const FittedState& state,
                     int threads) const;

 private:
  static void move_estimate(std::span<const float> pose, const FilterFrame& frame, const FittedState& state);

  const Skeleton& skeleton_;
  SensorModel sensor_;
  int steps_;
  std::optional<LimbRecovery> recovery_;
};

}  // namespace triptych::capsule_likelihood
