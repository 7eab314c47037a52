// The GPU twin of forward kinematics.
#include <triptych/core/cuda.cuh>

#include <algorithm>
#include <utility>

#include "body/device_skeleton.hpp"

namespace triptych::capsule_likelihood {

namespace {

using detail::FlatCapsule;
using detail::FlatJoint;
using detail::Frame;
using detail::Mat3;

// Lanes that share a pose. Joints of one level are few (five or six in a human), angles and capsules many.
constexpr int lanes_per_pose = 16;
constexpr int max_poses_per_block = 8;
// A joint's frame in shared memory: 9 + 3 floats, and one more, so that lanes fall into different banks.
constexpr int frame_floats = 13;

struct Arguments {
  const FlatJoint* joints;
  const FlatCapsule* capsules;
  const int* by_level;
  const int* level_begin;
  int joint_count, capsule_count, level_count;
  const float* poses;
  Vec3* positions;
  Capsule* bodies;
  std::int64_t rows, pose_stride, position_stride, body_stride;
};

__device__ void store_rotation(float* slot, const Mat3& rotation) {
#pragma unroll
  for (int i = 0; i < 9; ++i) slot[i] = rotation.m[i];
}

__device__ void store_frame(float* slot, const Frame& frame) {
  store_rotation(slot, frame.rotation);
  slot[9] = frame.position.x;
  slot[10] = frame.position.y;
  slot[11] = frame.position.z;
}

__device__ Mat3 load_rotation(const float* slot) {
  Mat3 rotation;
#pragma unroll
  for (int i = 0; i < 9; ++i) rotation.m[i] = slot[i];
  return rotation;
}

__device__ Frame load_frame(const float* slot) {
  return {load_rotation(slot), {slot[9], slot[10], slot[11]}};
}

// lanes_per_pose threads own a pose: first each makes the rotations of some joints from their angles, all
// joints at once; then the frames are chained level by level from the root outwards; then each writes some
// positions and capsules. Frames stay in shared memory.
__global__ void pose_kernel(Arguments a) {
  extern __shared__ float all_frames[];
  const int lane = static_cast<int>(threadIdx.x) % lanes_per_pose;
  const int group = static_cast<int>(threadIdx.x) / lanes_per_pose;
  const int poses_per_block = static_cast<int>(blockDim.x) / lanes_per_pose;
  float* frames = all_frames + group * a.joint_count * frame_floats;
  const std::int64_t row = std::int64_t{blockIdx.x} * poses_per_block + group;
  const bool active = row < a.rows;

  if (active) {
    const float* pose = a.poses + row * a.pose_stride;
    for (int j = lane; j < a.joint_count; j += lanes_per_pose) {
      const FlatJoint joint = a.joints[j];
      if (j == 0) {
        store_frame(frames, detail::root_frame(joint, pose));
      } else {
        store_rotation(frames + j * frame_floats, detail::local_rotation(joint, pose));
      }
    }
  }
  __syncwarp();
  for (int level = 0; level < a.level_count; ++level) {
    if (active) {
      const int end = a.level_begin[level + 1];
      for (int k = a.level_begin[level] + lane; k < end; k += lanes_per_pose) {
        const int j = a.by_level[k];
        const FlatJoint joint = a.joints[j];
        float* slot = frames + j * frame_floats;
        const Frame parent = load_frame(frames + joint.parent * frame_floats);
        store_frame(slot, detail::child_frame(parent, joint, load_rotation(slot)));
      }
    }
    __syncwarp();
  }
  if (!active) return;
  if (a.positions != nullptr) {
    auto* positions = reinterpret_cast<float*>(a.positions + row * a.position_stride);
    for (int i = lane; i < 3 * a.joint_count; i += lanes_per_pose) {
      positions[i] = frames[i / 3 * frame_floats + 9 + i % 3];
    }
  }
  if (a.bodies != nullptr) {
    Capsule* body = a.bodies + row * a.body_stride;
    for (int k = lane; k < a.capsule_count; k += lanes_per_pose) {
      const FlatCapsule body_capsule = a.capsules[k];
      body[k] =
          detail::to_world(load_frame(frames + body_capsule.joint * frame_floats), body_capsule.capsule);
    }
  }
}

template <class T>
DeviceBuffer<T> upload(const std::vector<T>& values, StreamRef stream) {
  DeviceBuffer<T> buffer(static_cast<std::int64_t>(values.size()));
  if (!values.empty()) copy_to_device(std::span<const T>(values), buffer.span(), stream);
  return buffer;
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
  const Arguments arguments = {data.joints.data(),
                               data.capsules.data(),
                               data.by_level.data(),
                               data.level_begin.data(),
                               data.joint_count,
                               data.capsule_count,
                               data.level_count,
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
