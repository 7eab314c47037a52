// The search for a first pose in the clouds of several cameras or ranks.
#pragma once

#include <span>
#include <vector>

#include "filter/filter_engine.hpp"
#include "filter/filter_share.hpp"

namespace triptych::capsule_likelihood {

// Up to evidence_points usable points of each cloud, of all ranks that split the cameras, in the frame of the
// world. clouds: one for each camera of this rank. Collective. InvalidArgument on all ranks when there is
// none.
std::vector<Vec3> points_in_world(const FilterShare& share, const SensorModel& sensor,
                                  std::span<const CloudView> clouds);
// As find_pose, about these points. Collective.
Estimate find_shared(FilterEngine& engine, std::span<const Vec3> points, std::span<const CloudView> clouds);

}  // namespace triptych::capsule_likelihood
