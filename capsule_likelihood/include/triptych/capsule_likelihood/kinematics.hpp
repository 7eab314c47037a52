// Forward kinematics: the positions of joints and capsules in a pose.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>
#include <triptych/core/matrix_view.hpp>
#include <triptych/core/stream.hpp>

#include <memory>

namespace triptych::capsule_likelihood {

// poses: one pose per row. joints (joint_count() columns) and bodies (capsule_count() columns) are filled,
// one row per pose; either may be empty (no rows). InvalidArgument when sizes do not fit.
void pose_cpu(const Skeleton& skeleton, MatrixView<const float> poses, MatrixView<Vec3> joints,
              MatrixView<Capsule> bodies, int threads = 0);

// A skeleton in device memory.
class DeviceSkeleton {
 public:
  explicit DeviceSkeleton(const Skeleton& skeleton);
  DeviceSkeleton(DeviceSkeleton&&) noexcept;
  DeviceSkeleton& operator=(DeviceSkeleton&&) noexcept;
  ~DeviceSkeleton();

  struct Data;
  const Data& data() const { return *data_; }

 private:
  std::unique_ptr<Data> data_;
};

// The same bits on the GPU: enqueues and returns; can be captured in a graph.
void pose_cuda(const DeviceSkeleton& skeleton, DeviceMatrixView<const float> poses,
               DeviceMatrixView<Vec3> joints, DeviceMatrixView<Capsule> bodies, StreamRef stream);

}  // namespace triptych::capsule_likelihood
