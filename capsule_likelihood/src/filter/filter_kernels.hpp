// The filter's kernels: each enqueues and returns, and can be captured in a graph. Pointers are the device's.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>
#include <triptych/capsule_likelihood/resample.hpp>
#include <triptych/capsule_likelihood/rigid_transform.hpp>
#include <triptych/core/span.hpp>
#include <triptych/core/stream.hpp>

#include <cstdint>

#include "filter/samples/filter_motion.hpp"

namespace triptych::capsule_likelihood {

// The range of a limb in the lists of all limbs' dimensions and joints.
struct LimbRange {
  std::int32_t first_dim, dims, first_joint, joints;
};
struct LimbView {
  std::int32_t limbs = 0;
  const LimbRange* ranges = nullptr;
  const std::int32_t *dims = nullptr, *joints = nullptr;
  const Vec3* positions = nullptr;  // (dims + 1) rows of joint_count
  std::int32_t joint_count = 0;
  float* compensation = nullptr;
};

void enqueue_predict(const FilterView& view, const FilterMotion& motion, StreamRef stream);
// The poses of the finite differences, into view.poses: dims + 1 rows.
void enqueue_moved_poses(const FilterView& view, StreamRef stream);
void enqueue_limb_compensation(const FilterView& view, const LimbView& limbs, StreamRef stream);
// old: the layer before, or null for the first of a frame.
void enqueue_propose(const FilterView& view, const FilterLayer& layer, int index, const FilterLayer* old,
                     StreamRef stream);
void enqueue_weigh(const double* log_likelihoods, std::int32_t samples, const FilterLayer& layer,
                   std::uint32_t* weights, std::uint64_t* cumulative, Tempering* temperings,
                   StreamRef stream);
void enqueue_move_centre(const FilterView& view, const FilterLayer& layer, const double* log_likelihoods,
                         const std::uint32_t* weights, const Tempering* temperings, StreamRef stream);
void enqueue_settle(const FilterView& view, const FilterLayer& old, int index, StreamRef stream);

// The result of a frame: the pose and joints of the estimate (the last rows of poses and positions), then the
// covariances of the joints over the samples.
void enqueue_report(const FilterView& view, const Vec3* positions, std::int32_t joint_count, float* report,
                    StreamRef stream);
// A sample of a cloud of *count points: up to max_size points. sigma_m: null when the points have none of
// their own; a point whose sigma is not above 0 becomes NaN. sample_sigma_m: of the sample; may be null.
void enqueue_cloud_sample(const Vec3* points, const float* sigma_m, const std::int64_t* count,
                          std::int32_t max_size, Vec3* sample, float* sample_sigma_m, StreamRef stream);
// Of a filter that is shared: the bodies move into a camera's frame, in place; losses that were summed over
// all ranks become log-likelihoods.
void enqueue_into_camera(DeviceSpan<Capsule> bodies, const RigidTransform& camera_from_world,
                         StreamRef stream);
void enqueue_log_likelihoods(DeviceSpan<const std::int64_t> losses, double log_of_step,
                             double* log_likelihoods, StreamRef stream);
inline std::int64_t report_floats(std::int32_t dims, std::int32_t joint_count) {
  return dims + 1 + std::int64_t{9} * joint_count;
}

}  // namespace triptych::capsule_likelihood
