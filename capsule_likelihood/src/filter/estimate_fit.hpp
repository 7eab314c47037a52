// The last part of a frame: the estimate is fitted to a sample of the cloud, and the next frame starts there.
#pragma once

#include <triptych/capsule_likelihood/cloud_view.hpp>
#include <triptych/capsule_likelihood/rays.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>

#include <span>
#include <vector>

#include "filter/cloud_sample.hpp"
#include "filter/filter_layout.hpp"

namespace triptych::capsule_likelihood {

struct FitSample {
  std::vector<Vec3> points;
  std::vector<float> sigma_m;  // one for each point, or empty

  static FitSample of(const CloudView& cloud);
};

// On the host, so that all devices have the same bits. The mean of the samples is some millimetres off, the
// more the faster the body moves; steps of Gauss-Newton take it to the points.
// frame, centre: of the filter, after the frame. pose: the estimate. centre and pose are moved to the fit, or
// keep their bits when it moves nothing.
void fit_estimate(const Skeleton& skeleton, const SensorModel& sensor, const FitSample& sample, int steps,
                  const FilterFrame& frame, std::span<float> pose, std::span<float> centre);

}  // namespace triptych::capsule_likelihood
