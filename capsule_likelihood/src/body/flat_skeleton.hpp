// A skeleton as plain arrays, the same for both twins, and the checks that the twins of pose share.
#pragma once

#include <triptych/capsule_likelihood/skeleton.hpp>

#include <cstdint>
#include <vector>

#include "body/kinematics_math.hpp"

namespace triptych::capsule_likelihood::detail {

struct FlatCapsule {
  Capsule capsule;
  int joint;
};

struct FlatSkeleton {
  std::vector<FlatJoint> joints;
  std::vector<FlatCapsule> capsules;
  // All joints but the root by their distance from it: those of level i lie in by_level from level_begin[i]
  // up to level_begin[i + 1], and depend on joints of the levels before only.
  std::vector<int> by_level;
  std::vector<int> level_begin;
  int pose_size = 0;
};

FlatSkeleton flatten(const Skeleton& skeleton);

// The shapes of the arguments of pose_cpu and pose_cuda.
struct PoseShape {
  std::int64_t pose_rows, pose_cols, joint_rows, joint_cols, body_rows, body_cols;
};
void check_pose_shape(const PoseShape& shape, int joints, int capsules, int pose_size);

template <class Poses, class Joints, class Bodies>
PoseShape shape_of(const Poses& poses, const Joints& joints, const Bodies& bodies) {
  return {poses.rows(), poses.cols(), joints.rows(), joints.cols(), bodies.rows(), bodies.cols()};
}

}  // namespace triptych::capsule_likelihood::detail
