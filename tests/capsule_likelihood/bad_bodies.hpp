// Numbers, poses, skeletons and motions that the tests of bad arguments share.
#pragma once

#include <triptych/capsule_likelihood/bvh_skeleton.hpp>
#include <triptych/capsule_likelihood/fit_human.hpp>
#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/capsule_likelihood/pose_file.hpp>
#include <triptych/capsule_likelihood/render.hpp>
#include <triptych/capsule_likelihood/skeleton_file.hpp>
#include <triptych/capsule_likelihood/synthetic_walk.hpp>

#include <limits>
#include <vector>

#include "capsule_likelihood/body/io/small_bvh.hpp"

namespace triptych::capsule_likelihood {

inline constexpr float nan = std::numeric_limits<float>::quiet_NaN(),
                       inf = std::numeric_limits<float>::infinity();
inline constexpr float huge = std::numeric_limits<float>::max();

inline const Skeleton& human() {
  static const Skeleton skeleton = make_human();
  return skeleton;
}
inline std::vector<float> rest_with(std::size_t index, float value) {
  std::vector<float> pose = human().rest_pose();
  pose[index] = value;
  return pose;
}
inline std::vector<float> without_orientation() {
  std::vector<float> pose = human().rest_pose();
  pose[3] = 0;
  return pose;
}
inline Motion motion_of(const std::vector<float>& pose) { return {human().pose_size(), 1.0 / 30, pose}; }
inline Bvh bvh() { return parse_bvh(test::small_bvh, "small"); }
template <class Change>
Bvh bvh_with(const Change& change) {
  Bvh changed = bvh();
  change(changed);
  return changed;
}
inline Skeleton skeleton_of(const Joint& joint) { return {{{"root", -1, {}, {}}, joint}, {}}; }
inline Skeleton skeleton_with(const Capsule& capsule) { return {{{"root", -1, {}, {}}}, {{0, capsule}}}; }

}  // namespace triptych::capsule_likelihood
