// The search for a first pose when none is known.
#pragma once

#include <triptych/capsule_likelihood/particle_filter.hpp>

#include "filter/filter_engine.hpp"

namespace triptych::capsule_likelihood {

// Leaves the engine at the pose that it found. seen_by_one_camera: at the origin, looking along z; a body is
// then more likely to look towards it. InvalidArgument when no point can be used.
Estimate find_pose(FilterEngine& engine, const CloudView& cloud, bool seen_by_one_camera);

}  // namespace triptych::capsule_likelihood
