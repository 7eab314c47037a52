// The poses from which find() sets out: standing with the arms down, aside or forward, and where the cloud
// is low sitting and lying.
#pragma once

#include <triptych/capsule_likelihood/skeleton.hpp>

#include <span>
#include <vector>

namespace triptych::capsule_likelihood {

// At rest, but with the arms down: in the rest pose of many files they point aside.
std::vector<float> standing_pose(const Skeleton& skeleton);

// height_m: of the cloud. Positions are 0.
std::vector<std::vector<float>> start_poses(const Skeleton& skeleton, double height_m);

// The start poses at eight headings, where the points are dense. InvalidArgument when none is finite.
std::vector<std::vector<float>> starts_in(const Skeleton& skeleton, std::span<const Vec3> points);

}  // namespace triptych::capsule_likelihood
