// The check of poses for functions that make others of them, or files.
#pragma once

#include <triptych/capsule_likelihood/motion.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>

#include <span>
#include <string>

#include "geometry/limits.hpp"

namespace triptych::capsule_likelihood::detail {

// InvalidArgument, beginning with the name, unless the pose fits the skeleton: as many numbers, all finite, a
// root within max_position_m, angles within Skeleton::max_angle_rad, an orientation that is not 0.
void check_pose(const Skeleton& skeleton, std::span<const float> pose, const std::string& name);
// The same for every pose of a motion.
void check_poses(const Skeleton& skeleton, const Motion& motion);

}  // namespace triptych::capsule_likelihood::detail
