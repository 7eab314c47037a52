// The poses from which find() sets out: standing with the arms down, aside or forward, and where the cloud
// is low sitting and lying.
#pragma once

#include <triptych/capsule_likelihood/skeleton.hpp>

#include <vector>

namespace triptych::capsule_likelihood {

// At rest, but with the arms down: in the rest pose of many files they point aside.
std::vector<float> standing_pose(const Skeleton& skeleton);

// height_m: of the cloud. Positions are 0.
std::vector<std::vector<float>> start_poses(const Skeleton& skeleton, double height_m);

}  // namespace triptych::capsule_likelihood
