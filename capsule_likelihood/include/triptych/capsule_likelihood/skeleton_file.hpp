// Skeletons as JSON: whole ones, and changes to radii and limits of one that came from elsewhere.
#pragma once

#include <triptych/capsule_likelihood/skeleton.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace triptych::capsule_likelihood {

// {
//   "joints": [{"name": "hips", "parent": null, "offset_m": [0, 0, 0],
//               "rotations": [{"axis": "y", "limits_deg": [-180, 180]}, ...]}, ...],
//   "capsules": [{"joint": "hips", "a_m": [0, 0, 0], "b_m": [0, 0.1, 0], "radius_m": 0.1}, ...]
// }
// Parents come first and are named; names are unique. ParseError with the line and the reason for anything
// else, keys that are not known included.
Skeleton parse_skeleton(std::string_view json, const std::string& file);
Skeleton read_skeleton(const std::filesystem::path& path);

// Every number is written so that it is read back the same. InvalidArgument when two joints have one name.
std::string to_json(const Skeleton& skeleton);
void write_skeleton(const std::filesystem::path& path, const Skeleton& skeleton);

// {
//   "radius_scale": 1.1,
//   "joints": {"LeftLeg": {"limits_deg": {"x": [-5, 150]}, "fixed_deg": {"y": 0, "z": 0},
//                          "radius_m": 0.05, "radius_scale": 0.9}, ...},
//   "capsules": [as above: instead of all others]
// }
// All keys may be left out. A radius_m or radius_scale of a joint is for all its capsules; the skeleton's
// radius_scale comes on top. ParseError with the line and the reason, unknown joints and rotations included.
Skeleton adjust_skeleton(const Skeleton& skeleton, std::string_view json, const std::string& file);
Skeleton adjust_skeleton(const Skeleton& skeleton, const std::filesystem::path& path);

}  // namespace triptych::capsule_likelihood
