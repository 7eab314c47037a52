// What the kernels of a fit read and write: pointers are the device's.
#pragma once

#include <triptych/capsule_likelihood/rays.hpp>

#include <cstdint>

#include "body/device_skeleton.hpp"
#include "filter/fit/surface_fit_math.hpp"
#include "filter/samples/filter_layout.hpp"

namespace triptych::capsule_likelihood {

// About the camera.
struct FitPoint {
  Vec3 p;
  detail::Vec view;  // unit vector to it
  double measured_m, inverse_variance;
};

// The points of a frame along the curve of order_along_curve().
struct FitPoints {
  FitPoint* points = nullptr;
  std::int32_t* count = nullptr;
  double* mean_inverse_variance = nullptr;
};

// FitParameters as plain arrays.
struct FitParametersView {
  std::int32_t count = 0, pose_size = 0;
  const std::int32_t* parameter_of_angle = nullptr;  // of each number of a pose; -1: not free
  const std::int32_t* angle_of = nullptr;  // of each parameter from the seventh on: its index in a pose
  const float *lower = nullptr, *upper = nullptr;  // of the same
  // Of each parameter: the first of the parameters that move what it moves, in `moves`, and how many there
  // are up to itself. joint_of: the first joint that it moves.
  const std::int32_t *first_move = nullptr, *move_count = nullptr, *joint_of = nullptr, *moves = nullptr;
};

// What is fitted: see EstimateFitCuda.
struct FitState {
  const FilterFrame* frame = nullptr;
  float *centre = nullptr, *pose = nullptr, *joints = nullptr;
};

struct FitTask {
  SensorModel sensor;
  std::int32_t steps = 0;
  detail::SkeletonView skeleton{};
  FitParametersView parameters;
  FitPoints points;
  RayMatch* matches[2] = {};  // of each point: of the pose so far, and of the one that is tried
  FitState state;
};

}  // namespace triptych::capsule_likelihood
