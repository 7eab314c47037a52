// The last part of a frame: the estimate is fitted to a sample of the cloud, and the next frame starts there.
#pragma once

#include <triptych/capsule_likelihood/rays.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>

#include <optional>
#include <span>
#include <vector>

#include "filter/filter_layout.hpp"
#include "filter/host_cloud.hpp"
#include "filter/limb_recovery.hpp"

namespace triptych::capsule_likelihood {

// On the host, so that all devices have the same bits. The mean of the samples is some millimetres off, the
// more the faster the body moves; steps of Gauss-Newton take it to the points.
class EstimateFit {
 public:
  // The skeleton outlives the fit. threads: 0 for all cores.
  EstimateFit(const Skeleton& skeleton, const SensorModel& sensor, int steps, bool recovers_limbs,
              int threads);

  // All bits stay when the fit moves nothing.
  void apply(const HostCloud& sample, const FilterFrame& frame, const FittedState& state) const;

 private:
  const Skeleton& skeleton_;
  SensorModel sensor_;
  int steps_;
  std::optional<LimbRecovery> recovery_;
};

}  // namespace triptych::capsule_likelihood
