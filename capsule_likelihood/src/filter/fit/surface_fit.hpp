// The nearest optimum of a pose by Gauss-Newton: a few milliseconds, where the filter takes many frames.
#pragma once

#include <triptych/capsule_likelihood/rays.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>

#include <span>
#include <vector>

#include "body/rotation.hpp"
#include "filter/fit/fit_parameters.hpp"
#include "filter/fit/near_points.hpp"
#include "filter/fit/normal_equations.hpp"

namespace triptych::capsule_likelihood {

// Fits poses to points that a camera has seen. On the host, in doubles in a fixed order: the same poses
// whatever the filter runs on.
class SurfaceFit {
 public:
  // sigma_m: one for each point, or empty for that of the sensor. Points that Rays would drop are left out.
  // The skeleton outlives the fit.
  SurfaceFit(const Skeleton& skeleton, std::span<const Vec3> points, std::span<const float> sigma_m,
             const SensorModel& sensor);

  // First by the distances from the points to the body's surface, which reach far, then by the differences
  // along the rays, as the likelihood has them. Angles stay within their limits, those that turn freely as in
  // the filter.
  std::vector<float> fit(std::span<const float> pose) const;

  // From a pose that is some centimetres off: by the differences along the rays alone. What no point shows
  // keeps its angles. Without usable points, or when no step helps, the same pose. SurfaceFitCuda is its
  // twin.
  std::vector<float> refine(std::span<const float> pose, int steps) const;

 private:
  struct Stage;
  struct Body;
  struct Alignment;

  Body place(std::span<const float> pose) const;
  std::vector<Six> twists_of(const Body& body, std::span<const float> pose) const;
  // Which capsule each point belongs to, and the cost of the pose.
  void align(const Stage& stage, const Body& body, std::span<const float> pose, Alignment& alignment) const;
  NormalEquations equations_of(const Stage& stage, const Body& body, std::span<const float> pose,
                               const Alignment& alignment) const;
  // Of a point, to the sums of the joint whose capsule it belongs to.
  void add_residuals(std::size_t i, const Stage& stage, const Body& body, const Alignment& alignment,
                     std::span<RigidSums> sums) const;
  // The residuals of each joint's capsules. Positions are about the root.
  std::vector<RigidSums> sums_of(const Stage& stage, const Body& body, const Alignment& alignment) const;
  double bend_cost(const Stage& stage, std::span<const float> pose) const;
  std::vector<float> minimise(const Stage& stage, std::vector<float> pose) const;
  std::vector<float> moved(std::span<const float> pose, std::span<const double> change) const;

  const Skeleton& skeleton_;
  std::vector<float> standing_;
  detail::Vec camera_;
  double tau_m_;
  PointBlocks points_;  // about the camera
  // Of each point.
  std::vector<detail::Vec> views_;  // unit vectors to the points
  std::vector<double> measured_m_, inverse_variance_;
  double mean_inverse_variance_ = 0;
  FitParameters parameters_;
};

}  // namespace triptych::capsule_likelihood
