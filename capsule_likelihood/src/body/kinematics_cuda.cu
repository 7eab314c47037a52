// The GPU twin of forward kinematics.
#include <triptych/core/cuda.cuh>

#include <algorithm>
#include <utility>

#include "body/device_skeleton.hpp"
#include "body/kinematics_lanes.cuh"
#include "body/upload.hpp"

namespace triptych::capsule_likelihood {

namespace {

using detail::frame_floats;
using detail::place_joints;
using detail::placed_capsule;
using detail::SkeletonView;
using detail::upload;

// Lanes that share a pose. Joints of one level are few (five or six in a human), angles and capsules many.
constexpr int lanes_per_pose = 16;
constexpr int max_poses_per_block = 8;
struct Arguments {
  SkeletonView skeleton;
  const float* poses;
  Vec3* positions;
  Capsule* bodies;
  std::int64_t rows, pose_stride, position_stride, body_stride;
};

// lanes_per_pose threads own a pose; each writes some of its positions and capsules.
__global__ void pose_kernel(Arguments a) {
  extern __shared__ float all_frames[];
  const SkeletonView& skeleton = a.skeleton;
  const int lane = static_cast<int>(threadIdx.x) % lanes_per_pose;
  const int group = static_cast<int>(threadIdx.x) / lanes_per_pose;
  const int poses_per_block = static_cast<int>(blockDim.x) / lanes_per_pose;
  float* frames = all_frames + group * skeleton.joint_count * frame_floats;
  const std::int64_t row = std::int64_t{blockIdx.x} * poses_per_block + group;
  const bool active = row < a.rows;
  place_joints<lanes_per_pose>(skeleton, active ? a.poses + row * a.pose_stride : nullptr, frames, lane);
  if (!active) return;
  if (a.positions != nullptr) {
    auto* positions = reinterpret_cast<float*>(a.positions + row * a.position_stride);
    for (int i = lane; i < 3 * skeleton.joint_count; i += lanes_per_pose) {
      positions[i] = frames[i / 3 * frame_floats + 9 + i % 3];
    }
  }
  if (a.bodies != nullptr) {
    Capsule* body = a.bodies + row * a.body_stride;
    for (int k = lane; k < skeleton.capsule_count; k += lanes_per_pose)
      body[k] = placed_capsule(skeleton, frames, k);
  }
}

}  // namespace

DeviceSkeleton::DeviceSkeleton(const Skeleton& skeleton) : data_(std::make_unique<Data>()) {
  const detail::FlatSkeleton flat = detail::flatten(skeleton);
  const Stream stream;
  data_->joint_count = skeleton.joint_count();
  data_->capsule_count = skeleton.capsule_count();
  data_->level_count = static_cast<int>(flat.level_begin.size()) - 1;
  data_->pose_size = skeleton.pose_size();
  data_->joints = upload(flat.joints, stream);
  data_->capsules = upload(flat.capsules, stream);
  data_->by_level = upload(flat.by_level, stream);
  data_->level_begin = upload(flat.level_begin, stream);
  stream.synchronize();
}

DeviceSkeleton::DeviceSkeleton(DeviceSkeleton&&) noexcept = default;
DeviceSkeleton& DeviceSkeleton::operator=(DeviceSkeleton&&) noexcept = default;
DeviceSkeleton::~DeviceSkeleton() = default;

void pose_cuda(const DeviceSkeleton& skeleton, DeviceMatrixView<const float> poses,
               DeviceMatrixView<Vec3> joints, DeviceMatrixView<Capsule> bodies, StreamRef stream) {
  const DeviceSkeleton::Data& data = skeleton.data();
  detail::check_pose_shape(detail::shape_of(poses, joints, bodies), data.joint_count, data.capsule_count,
                           data.pose_size);
  if (poses.rows() == 0) return;
  const Arguments arguments = {data.view(),
                               poses.data(),
                               joints.rows() > 0 ? joints.data() : nullptr,
                               bodies.rows() > 0 ? bodies.data() : nullptr,
                               poses.rows(),
                               poses.stride(),
                               joints.stride(),
                               bodies.stride()};
  // What every launch may use without asking for more. A whole warp at least: Skeleton::max_joints fits.
  constexpr std::size_t max_shared_bytes = 48 * 1024;
  constexpr int poses_per_warp = 32 / lanes_per_pose;
  static_assert(poses_per_warp * Skeleton::max_joints * frame_floats * sizeof(float) <= max_shared_bytes);
  const std::size_t pose_bytes = static_cast<std::size_t>(data.joint_count) * frame_floats * sizeof(float);
  int poses_per_block = max_poses_per_block;
  while (poses_per_block > poses_per_warp &&
         static_cast<std::size_t>(poses_per_block) * pose_bytes > max_shared_bytes) {
    poses_per_block -= poses_per_warp;
  }
  LaunchShape shape;
  shape.grid = dim3(static_cast<unsigned>((poses.rows() + poses_per_block - 1) / poses_per_block));
  shape.block = dim3(static_cast<unsigned>(poses_per_block * lanes_per_pose));
  shape.shared_bytes = static_cast<std::size_t>(poses_per_block) * pose_bytes;
  launch(pose_kernel, shape, stream, arguments);
}

}  // namespace triptych::capsule_likelihood
