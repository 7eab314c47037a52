// The limbs of any skeleton: which bones they have, which two belong together, and how to point them
// somewhere.
#pragma once

#include <triptych/capsule_likelihood/skeleton.hpp>

#include <span>
#include <vector>

#include "body/rotation.hpp"

namespace triptych::capsule_likelihood {

// Where the body looks at rest: from the feet to the toes, horizontal, of length 1. 0 when no joint is called
// toe.
detail::Vec front_of(const Skeleton& skeleton);

// Of the root of a pose.
detail::Rot orientation_of(std::span<const float> pose);
void set_orientation(std::vector<float>& pose, const detail::Rot& orientation);

double height_at_rest(const Skeleton& skeleton);

// How far the capsules that move with each joint can be from it.
std::vector<double> reaches_of(const Skeleton& skeleton);

// The unit of each joint: 0 for the root and all joints above a fork of the body; every long branch without a
// fork is a unit of its own.
std::vector<int> units_of(const Skeleton& skeleton);

// From one joint to the next.
struct Bone {
  std::size_t joint, end;
};

struct Limb {
  std::vector<std::size_t> joints;
  std::vector<Bone> bones;  // the long ones, from the trunk outwards: an upper arm and a forearm, say
  bool is_leg = false;      // it points downwards at rest, from below the root
  std::size_t other = 0;    // the limb of the other side; 0 when there is none
};

// One for each unit of units_of(). The first, the trunk, is empty.
std::vector<Limb> limbs_of(const Skeleton& skeleton);

// Which capsules of the body move with the limb.
std::vector<std::size_t> capsules_of(const Skeleton& skeleton, const Limb& limb);

// Points up or down, by 45 degrees at most from the vertical.
bool is_vertical(const Skeleton& skeleton, const std::vector<float>& pose, const Bone& bone);

// Rotates the joint of a bone so that the bone points along a direction, as far as the limits allow.
void aim(const Skeleton& skeleton, std::vector<float>& pose, const Bone& bone, const detail::Vec& direction);

// The limb takes the angles of the rest pose.
void put_at_rest(const Skeleton& skeleton, std::vector<float>& pose, const Limb& limb);

// The two limbs of a pair change places: each bone points where that of the other limb pointed.
std::vector<float> with_limbs_exchanged(const Skeleton& skeleton, const std::vector<Limb>& limbs,
                                        std::size_t limb, const std::vector<float>& pose);

// The limb of a pair is the mirror image of the other one, in the plane between their first joints.
std::vector<float> with_limb_mirrored(const Skeleton& skeleton, const std::vector<Limb>& limbs,
                                      std::size_t limb, const std::vector<float>& pose);

// The body looks the other way, and each limb is where that of the other side was.
std::vector<float> turned_round(const Skeleton& skeleton, const std::vector<Limb>& limbs,
                                const std::vector<float>& pose);

}  // namespace triptych::capsule_likelihood
