// First poses from files.
#pragma once

#include <triptych/capsule_likelihood/skeleton.hpp>

#include <filesystem>
#include <vector>

namespace triptych::capsule_demo {

// The first frame of a motion in the camera's frame, such as poses.bvh of an earlier run. Error when it has
// other joints.
std::vector<float> start_from_bvh(const std::filesystem::path& file,
                                  const capsule_likelihood::Skeleton& skeleton);

// {
//   "place_m": [0, 0, 3],                          of the root; must be there
//   "turn_deg": {"x": 0, "y": 30, "z": 0},         of the root: about y, then x, then z
//   "angles_deg": {"left_shin": {"x": 20}, ...}    of the other joints, by the axes of their rotations
// }
// What is left out is 0. ParseError that names the key when it is anything else.
std::vector<float> start_from_json(const std::filesystem::path& file,
                                   const capsule_likelihood::Skeleton& skeleton);

}  // namespace triptych::capsule_demo
