#include <triptych/core/error.hpp>

#include <algorithm>

#include "body/flat_skeleton.hpp"

namespace triptych::capsule_likelihood::detail {

namespace {

int packed_axes(const Joint& joint) {
  auto packed = static_cast<int>(joint.rotations.size());
  int shift = 2;
  for (const Rotation& rotation : joint.rotations) {
    packed |= static_cast<int>(rotation.axis) << shift;
    shift += 2;
  }
  return packed;
}

}  // namespace

FlatSkeleton flatten(const Skeleton& skeleton) {
  FlatSkeleton flat;
  flat.pose_size = skeleton.pose_size();
  std::vector<int> depths;
  int deepest = 0;
  for (int i = 0; i < skeleton.joint_count(); ++i) {
    const Joint& joint = skeleton.joints()[static_cast<std::size_t>(i)];
    flat.joints.push_back({joint.offset_m, joint.parent, skeleton.first_angle(i), packed_axes(joint)});
    depths.push_back(i == 0 ? 0 : depths[static_cast<std::size_t>(joint.parent)] + 1);
    deepest = std::max(deepest, depths.back());
  }
  for (int depth = 1; depth <= deepest; ++depth) {
    flat.level_begin.push_back(static_cast<int>(flat.by_level.size()));
    for (int i = 1; i < skeleton.joint_count(); ++i) {
      if (depths[static_cast<std::size_t>(i)] == depth) flat.by_level.push_back(i);
    }
  }
  flat.level_begin.push_back(static_cast<int>(flat.by_level.size()));
  for (const BodyCapsule& body_capsule : skeleton.body_capsules())
    flat.capsules.push_back({body_capsule.capsule, body_capsule.joint});
  return flat;
}

void check_pose_shape(const PoseShape& shape, int joints, int capsules, int pose_size) {
  require(shape.pose_rows == 0 || shape.pose_cols == pose_size, "poses of ", shape.pose_cols,
          " numbers do not fit a skeleton that needs ", pose_size);
  require(shape.joint_rows == 0 || (shape.joint_rows == shape.pose_rows && shape.joint_cols == joints),
          "room for ", shape.joint_rows, " x ", shape.joint_cols, " joints does not fit ", shape.pose_rows,
          " poses of ", joints, " joints");
  require(shape.body_rows == 0 || (shape.body_rows == shape.pose_rows && shape.body_cols == capsules),
          "room for ", shape.body_rows, " x ", shape.body_cols, " capsules does not fit ", shape.pose_rows,
          " poses of ", capsules, " capsules");
}

}  // namespace triptych::capsule_likelihood::detail
