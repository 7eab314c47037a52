// What a DeviceSkeleton holds on the GPU.
#pragma once

#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/core/buffer.hpp>

#include "body/flat_skeleton.hpp"

namespace triptych::capsule_likelihood {

namespace detail {

// A FlatSkeleton in device memory.
struct SkeletonView {
  const FlatJoint* joints;
  const FlatCapsule* capsules;
  const int *by_level, *level_begin;
  int joint_count, capsule_count, level_count;
};

}  // namespace detail

struct DeviceSkeleton::Data {
  int joint_count = 0, capsule_count = 0, level_count = 0, pose_size = 0;
  DeviceBuffer<detail::FlatJoint> joints;
  DeviceBuffer<detail::FlatCapsule> capsules;
  DeviceBuffer<int> by_level, level_begin;

  detail::SkeletonView view() const {
    return {joints.data(), capsules.data(), by_level.data(), level_begin.data(),
            joint_count,   capsule_count,   level_count};
  }
};

}  // namespace triptych::capsule_likelihood
