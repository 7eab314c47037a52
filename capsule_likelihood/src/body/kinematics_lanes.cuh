// Forward kinematics of one pose by some lanes of a warp, for kernels.
#pragma once

#include "body/device_skeleton.hpp"

namespace triptych::capsule_likelihood::detail {

// A joint's frame in shared memory: 9 + 3 floats, and one more, so that lanes fall into different banks.
inline constexpr int frame_floats = 13;

__device__ inline void store_rotation(float* slot, const Mat3& rotation) {
#pragma unroll
  for (int i = 0; i < 9; ++i) slot[i] = rotation.m[i];
}

__device__ inline void store_frame(float* slot, const Frame& frame) {
  store_rotation(slot, frame.rotation);
  slot[9] = frame.position.x;
  slot[10] = frame.position.y;
  slot[11] = frame.position.z;
}

__device__ inline Mat3 load_rotation(const float* slot) {
  Mat3 rotation;
#pragma unroll
  for (int i = 0; i < 9; ++i) rotation.m[i] = slot[i];
  return rotation;
}

__device__ inline Vec3 load_position(const float* slot) { return {slot[9], slot[10], slot[11]}; }

__device__ inline Frame load_frame(const float* slot) { return {load_rotation(slot), load_position(slot)}; }

// First each of the Lanes lanes makes the rotations of some joints from their angles, all joints at once;
// then the frames are chained level by level from the root outwards, in shared memory. Lanes divides 32. All
// lanes of the warp must call it; pose is null for those without work.
template <int Lanes>
__device__ void place_joints(const SkeletonView& skeleton, const float* pose, float* frames, int lane) {
  if (pose != nullptr) {
    for (int j = lane; j < skeleton.joint_count; j += Lanes) {
      const FlatJoint joint = skeleton.joints[j];
      if (j == 0) {
        store_frame(frames, root_frame(joint, pose));
      } else {
        store_rotation(frames + j * frame_floats, local_rotation(joint, pose));
      }
    }
  }
  __syncwarp();
  for (int level = 0; level < skeleton.level_count; ++level) {
    if (pose != nullptr) {
      const int end = skeleton.level_begin[level + 1];
      for (int k = skeleton.level_begin[level] + lane; k < end; k += Lanes) {
        const int j = skeleton.by_level[k];
        const FlatJoint joint = skeleton.joints[j];
        float* slot = frames + j * frame_floats;
        const Frame parent = load_frame(frames + joint.parent * frame_floats);
        store_frame(slot, child_frame(parent, joint, load_rotation(slot)));
      }
    }
    __syncwarp();
  }
}

__device__ inline Capsule placed_capsule(const SkeletonView& skeleton, const float* frames, int k) {
  const FlatCapsule body_capsule = skeleton.capsules[k];
  return to_world(load_frame(frames + body_capsule.joint * frame_floats), body_capsule.capsule);
}

}  // namespace triptych::capsule_likelihood::detail
