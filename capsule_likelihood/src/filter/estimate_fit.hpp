// The last part of a frame: the estimate is fitted to a sample of the cloud, and the next frame starts there.
#pragma once

#include <triptych/capsule_likelihood/cloud_view.hpp>
#include <triptych/capsule_likelihood/rays.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>

#include <optional>
#include <span>
#include <vector>

#include "filter/cloud_sample.hpp"
#include "filter/filter_layout.hpp"
#include "filter/limb_recovery.hpp"

namespace triptych::capsule_likelihood {

struct FitSample {
  std::vector<Vec3> points;
  std::vector<float> sigma_m;  // one for each point, or empty

  static FitSample of(const CloudView& cloud);
};

// What a fit moves of a filter's state after a frame.
struct FittedState {
  std::span<float> pose;  // the estimate
  // As FilterView has them; dims floats each.
  std::span<float> centre, velocity, last;
};

// On the host, so that all devices have the same bits. The mean of the samples is some millimetres off, the
// more the faster the body moves; steps of Gauss-Newton take it to the points.
class EstimateFit {
 public:
  // The skeleton outlives the fit. threads: 0 for all cores.
  EstimateFit(const Skeleton& skeleton, const SensorModel& sensor, int steps, bool recovers_limbs,
              int threads);

  // All bits stay when the fit moves nothing.
  void apply(const FitSample& sample, const FilterFrame& frame, const FittedState& state) const;

 private:
  const Skeleton& skeleton_;
  SensorModel sensor_;
  int steps_;
  std::optional<LimbRecovery> recovery_;
};

}  // namespace triptych::capsule_likelihood
