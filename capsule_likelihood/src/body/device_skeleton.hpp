// What a DeviceSkeleton holds on the GPU.
#pragma once

#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/core/buffer.hpp>

#include "body/flat_skeleton.hpp"

namespace triptych::capsule_likelihood {

struct DeviceSkeleton::Data {
  int joint_count = 0, capsule_count = 0, level_count = 0, pose_size = 0;
  DeviceBuffer<detail::FlatJoint> joints;
  DeviceBuffer<detail::FlatCapsule> capsules;
  DeviceBuffer<int> by_level, level_begin;
};

}  // namespace triptych::capsule_likelihood
