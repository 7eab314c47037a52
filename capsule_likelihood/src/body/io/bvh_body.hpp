// The capsules and the joint limits of a body from a BVH file.
#pragma once

#include <triptych/capsule_likelihood/skeleton.hpp>

#include <vector>

#include "body/io/body_parts.hpp"

namespace triptych::capsule_likelihood::detail {

std::vector<BodyCapsule> make_body_capsules(const ZeroBody& body);

// Fills the limits of a joint's rotations, whose axes are set.
void set_limits(const ZeroBody& body, int joint, std::vector<Rotation>& rotations);

// Fingers, toes, tips, and hip joints or collar bones at the position of their parent.
bool is_fixed_by_default(const ZeroBody& body, int joint);

}  // namespace triptych::capsule_likelihood::detail
