// The search for a pose by fits to a sample of the cloud: for one camera.
#pragma once

#include <triptych/capsule_likelihood/cloud_view.hpp>
#include <triptych/capsule_likelihood/rays.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>

#include <span>
#include <vector>

#include "filter/pose/candidate.hpp"

namespace triptych::capsule_likelihood {

// On the host: the same pose whatever the filter runs on, for any number of threads (0: all cores).
FoundPose search_by_fits(const Skeleton& skeleton, const SensorModel& sensor, const CloudView& cloud,
                         std::span<const std::vector<float>> starts, int threads);

}  // namespace triptych::capsule_likelihood
