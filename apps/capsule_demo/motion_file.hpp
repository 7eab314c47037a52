// BVH files with motions that a body can make.
#pragma once

#include <triptych/capsule_likelihood/bvh.hpp>

#include <filesystem>

namespace triptych::capsule_demo {

// As read_bvh(); Error that names the joint and the frame when an angle is above 100 turns or a length above
// a million units.
capsule_likelihood::Bvh read_motion(const std::filesystem::path& file);

}  // namespace triptych::capsule_demo
