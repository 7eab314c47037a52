// The CPU twin of forward kinematics: a thread takes some poses, one after the other.
#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/core/parallel.hpp>

#include <array>
#include <span>

#include "body/flat_skeleton.hpp"
#include "body/kinematics_paths.hpp"

namespace triptych::capsule_likelihood {

namespace {

using detail::Frame;

// Frames must have room for all joints. Either output may be null.
inline void pose_one(const detail::FlatSkeleton& skeleton, const float* pose, Frame* frames, Vec3* joints,
                     Capsule* body) {
  const std::size_t count = skeleton.joints.size();
  frames[0] = detail::root_frame(skeleton.joints[0], pose);
  for (std::size_t i = 1; i < count; ++i) {
    const detail::FlatJoint& joint = skeleton.joints[i];
    frames[i] = detail::child_frame(frames[joint.parent], joint, detail::local_rotation(joint, pose));
  }
  if (joints != nullptr) {
    for (std::size_t i = 0; i < count; ++i) joints[i] = frames[i].position;
  }
  if (body != nullptr) {
    for (const detail::FlatCapsule& body_capsule : skeleton.capsules) {
      *body++ = detail::to_world(frames[body_capsule.joint], body_capsule.capsule);
    }
  }
}

using PoseOne = void (*)(const detail::FlatSkeleton&, const float*, Frame*, Vec3*, Capsule*);

// Fused multiply-adds have the same bits in hardware and in the C library; only the time differs.
__attribute__((flatten)) void pose_one_plain(const detail::FlatSkeleton& skeleton, const float* pose,
                                             Frame* frames, Vec3* joints, Capsule* body) {
  pose_one(skeleton, pose, frames, joints, body);
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"), flatten)) void pose_one_fma(const detail::FlatSkeleton& skeleton,
                                                               const float* pose, Frame* frames, Vec3* joints,
                                                               Capsule* body) {
  pose_one(skeleton, pose, frames, joints, body);
}
PoseOne best_path() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? pose_one_fma : pose_one_plain;
}
#else
PoseOne best_path() { return pose_one_plain; }
#endif

}  // namespace

void pose_cpu(const Skeleton& skeleton, MatrixView<const float> poses, MatrixView<Vec3> joints,
              MatrixView<Capsule> bodies, int threads) {
  detail::pose_cpu_by(detail::PosePath::best, skeleton, poses, joints, bodies, threads);
}

void detail::pose_cpu_by(PosePath by, const Skeleton& skeleton, MatrixView<const float> poses,
                         MatrixView<Vec3> joints, MatrixView<Capsule> bodies, int threads) {
  detail::check_pose_shape(detail::shape_of(poses, joints, bodies), skeleton.joint_count(),
                           skeleton.capsule_count(), skeleton.pose_size());
  const detail::FlatSkeleton flat = detail::flatten(skeleton);
  const PoseOne path = by == PosePath::plain ? pose_one_plain : best_path();
  constexpr std::int64_t poses_per_chunk = 64;
  parallel_chunks(
      poses.rows(), poses_per_chunk, threads, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
        std::array<Frame, Skeleton::max_joints> frames;
        for (std::int64_t i = begin; i < end; ++i) {
          path(flat, poses.row(i).data(), frames.data(), joints.rows() > 0 ? joints.row(i).data() : nullptr,
               bodies.rows() > 0 ? bodies.row(i).data() : nullptr);
        }
      });
}

std::vector<Vec3> Skeleton::joints(std::span<const float> pose) const {
  std::vector<Vec3> joints(static_cast<std::size_t>(joint_count()));
  pose_cpu(*this, {pose.data(), 1, static_cast<std::int64_t>(pose.size())}, {joints.data(), 1, joint_count()},
           {}, 1);
  return joints;
}

std::vector<Capsule> Skeleton::capsules(std::span<const float> pose) const {
  std::vector<Capsule> capsules(static_cast<std::size_t>(capsule_count()));
  pose_cpu(*this, {pose.data(), 1, static_cast<std::int64_t>(pose.size())}, {},
           {capsules.data(), 1, capsule_count()}, 1);
  return capsules;
}

}  // namespace triptych::capsule_likelihood
