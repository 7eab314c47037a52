// The GPU twin of EstimateFit::fit(): the same bits.
#pragma once

#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/core/buffer.hpp>
#include <triptych/core/stream.hpp>

#include <array>
#include <cstdint>

#include "filter/fit/surface_fit_task.hpp"

namespace triptych::capsule_likelihood {

// Used with the device current that it was made for. Both enqueue_ functions can be captured in a graph; a
// fit comes after the points of its frame.
class EstimateFitCuda {
 public:
  // Whether a block of the current device has the shared memory that a fit needs: for some 130 free angles on
  // compute capability 9.0, 55 on 7.5.
  static bool has_room_for(const Skeleton& skeleton);

  enum class Team { cluster, one_block };

  // placed: of the same skeleton; outlives the fit. team: a cluster where the device has them. Synchronises.
  EstimateFitCuda(const Skeleton& skeleton, const DeviceSkeleton& placed, const SensorModel& sensor,
                  int steps, Team team = Team::cluster);

  // Prepares the sample of a cloud of *count points. sigma_m: null when the points have none of their own.
  void enqueue_points(const Vec3* points, const float* sigma_m, const std::int64_t* count, StreamRef stream);
  // Moves the centre of the samples, the pose and the joints of an estimate to the points.
  void enqueue_fit(const FitState& state, StreamRef stream);

 private:
  bool has_clusters_ = false;
  std::size_t shared_bytes_ = 0;
  FitTask task_;
  DeviceBuffer<std::int32_t> numbers_;  // what FitParametersView has
  DeviceBuffer<float> limits_;
  DeviceBuffer<FitPoint> points_;
  std::array<DeviceBuffer<RayMatch>, 2> matches_;
  DeviceBuffer<std::int32_t> count_;
  DeviceBuffer<double> mean_inverse_variance_;
};

}  // namespace triptych::capsule_likelihood
