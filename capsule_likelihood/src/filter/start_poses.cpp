#include "filter/limbs.hpp"
#include "filter/start_poses.hpp"

namespace triptych::capsule_likelihood {

std::vector<float> standing_pose(const Skeleton& skeleton) {
  std::vector<float> pose = skeleton.rest_pose();
  for (const Limb& limb : limbs_of(skeleton)) {
    if (!limb.bones.empty() && !is_vertical(skeleton, pose, limb.bones[0]))
      aim(skeleton, pose, limb.bones[0], {0, -1, 0});
  }
  return pose;
}

namespace {

using detail::Vec;

// Shares of the height at rest: a lower cloud may be that of a person who sits, or who lies.
constexpr double max_sitting = 0.85, max_lying = 0.4;

// Standing, with the arms aside or forward. Empty for a body without a pair of arms or without a front.
std::vector<float> pose_with_arms(const Skeleton& skeleton, bool forward) {
  const Vec front = front_of(skeleton), aside = cross({0, 1, 0}, front);
  std::vector<float> pose = standing_pose(skeleton);
  bool has_arms = false;
  for (const Limb& limb : limbs_of(skeleton)) {
    if (limb.is_leg || limb.other == 0) continue;
    has_arms = true;
    const Vec shoulder(skeleton.joints(skeleton.rest_pose())[limb.bones[0].joint]);
    aim(skeleton, pose, limb.bones[0], forward ? front : dot(shoulder, aside) > 0 ? aside : -1 * aside);
  }
  return has_arms ? pose : std::vector<float>{};
}

// Thighs forward, shins down. Empty for a body without legs or without a front.
std::vector<float> sitting_pose(const Skeleton& skeleton) {
  const Vec front = front_of(skeleton);
  std::vector<float> pose = standing_pose(skeleton);
  bool has_legs = false;
  for (const Limb& limb : limbs_of(skeleton)) {
    if (!limb.is_leg || limb.bones.size() < 2) continue;
    has_legs = true;
    aim(skeleton, pose, limb.bones[0], front);
    aim(skeleton, pose, limb.bones[1], {0, -1, 0});
  }
  return has_legs && length(front) > 0 ? pose : std::vector<float>{};
}

// The front up, or down.
std::vector<float> lying_pose(const Skeleton& skeleton, double up) {
  std::vector<float> pose = standing_pose(skeleton);
  set_orientation(pose, rotation_between(unit_or(front_of(skeleton), {0, 0, 1}), {0, up, 0}));
  return pose;
}

}  // namespace

std::vector<std::vector<float>> start_poses(const Skeleton& skeleton, double height_m) {
  const double share = height_m / height_at_rest(skeleton);
  std::vector<std::vector<float>> poses = {standing_pose(skeleton)};
  if (share >= max_lying) {
    for (const bool forward : {false, true}) poses.push_back(pose_with_arms(skeleton, forward));
  }
  if (share < max_sitting) poses.push_back(sitting_pose(skeleton));
  if (share < max_lying) {
    poses.push_back(lying_pose(skeleton, 1));
    poses.push_back(lying_pose(skeleton, -1));
  }
  std::erase_if(poses, [](const std::vector<float>& pose) { return pose.empty(); });
  return poses;
}

}  // namespace triptych::capsule_likelihood
