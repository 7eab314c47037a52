#include <triptych/capsule_likelihood/kinematics.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "filter/fit/surface_fit.hpp"
#include "filter/fit/surface_fit_math.hpp"
#include "filter/pose/limbs.hpp"
#include "filter/pose/pose_score.hpp"
#include "filter/pose/start_poses.hpp"
#include "rays/rays_math.hpp"

namespace triptych::capsule_likelihood {

namespace {

using detail::Rot;
using detail::Vec;

// Calls visit(first, last) for the ranges of fit_chunk points.
template <class Visit>
void for_each_chunk(std::size_t points, const Visit& visit) {
  for (std::size_t first = 0; first < points; first += fit_chunk)
    visit(first, std::min<std::size_t>(points, first + fit_chunk));
}

// The sum of value(i) over the points, in the order of the chunks.
template <class Value>
double sum_in_chunks(std::size_t points, double sum, const Value& value) {
  for_each_chunk(points, [&](std::size_t first, std::size_t last) {
    double of_chunk = 0;
    for (std::size_t i = first; i < last; ++i) of_chunk += value(i);
    sum += of_chunk;
  });
  return sum;
}

}  // namespace

// How points are compared with the body.
struct SurfaceFit::Stage {
  double reach_m;                 // where a point's weight becomes 0
  bool along_rays;                // where the ray hits the body
  double miss_weight;             // of the distance to the surface, for other points
  std::span<const float> target;  // a pose towards which angles are drawn ...
  double target_weight;           // ... by a cost of this per rad^2
  int steps;
};

struct SurfaceFit::Body {
  std::vector<Vec3> joints;
  std::vector<Capsule> capsules;
};

// Of each point: the capsule whose surface is nearest, and the one whose difference along the ray is
// smallest.
struct SurfaceFit::Alignment {
  NearPoints near;
  std::vector<RayMatch> rays;
  std::vector<double> nearest_m;
  std::vector<int> nearest_capsule;
  double cost = 0;
};

SurfaceFit::SurfaceFit(const Skeleton& skeleton, std::span<const Vec3> points, std::span<const float> sigma_m,
                       const SensorModel& sensor)
    : skeleton_(skeleton),
      standing_(standing_pose(skeleton)),
      camera_(sensor.camera),
      tau_m_(double{sensor.tau_m}),
      parameters_(skeleton) {
  std::vector<Vec3> used;
  std::vector<double> inverse_variance;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const float sigma = sigma_m.empty() ? sensor.sigma_m : sigma_m[i];
    if (make_ray(points[i], sigma, sensor).status != RayStatus::used) continue;
    used.push_back(about_camera(points[i], sensor));
    inverse_variance.push_back(inverse_variance_of(sigma, sensor));
  }
  std::vector<Vec3> ordered;
  for (const std::uint32_t i : order_along_curve(used)) {
    const Vec p(used[i]);
    ordered.push_back(used[i]);
    measured_m_.push_back(length(p));
    views_.push_back(1 / measured_m_.back() * p);
    inverse_variance_.push_back(inverse_variance[i]);
  }
  mean_inverse_variance_ =
      sum_in_chunks(used.size(), 0, [&](std::size_t i) { return inverse_variance_[i]; }) /
      static_cast<double>(std::max<std::size_t>(1, used.size()));
  points_ = PointBlocks(ordered);
}

std::vector<float> SurfaceFit::fit(std::span<const float> pose) const {
  std::vector<float> fitted(pose.begin(), pose.end());
  if (points_.size() == 0) return fitted;
  const double bend = bend_weight * static_cast<double>(points_.size());
  fitted = minimise({2 * tau_m_, false, 1, standing_, bend, 5}, std::move(fitted));
  // Weaker: arms that are up, and limbs that no point shows, would follow the cost of bending alone.
  return minimise({tau_m_, true, 0.1, standing_, bend / 3, 12}, std::move(fitted));
}

std::vector<float> SurfaceFit::refine(std::span<const float> pose, int steps) const {
  std::vector<float> fitted(pose.begin(), pose.end());
  if (points_.size() == 0) return fitted;
  return minimise({tau_m_, true, 0, pose, kept_weight, steps}, std::move(fitted));
}

SurfaceFit::Body SurfaceFit::place(std::span<const float> pose) const {
  const int joints = skeleton_.joint_count(), capsules = skeleton_.capsule_count();
  Body body{std::vector<Vec3>(static_cast<std::size_t>(joints)),
            std::vector<Capsule>(static_cast<std::size_t>(capsules))};
  pose_cpu(skeleton_, {pose.data(), 1, skeleton_.pose_size()}, {body.joints.data(), 1, joints},
           {body.capsules.data(), 1, capsules}, 1);
  return body;
}

std::vector<Six> SurfaceFit::twists_of(const Body& body, std::span<const float> pose) const {
  std::vector<Six> twists(parameters_.count());
  for (std::size_t i = 0; i < FitParameters::of_root; ++i) twists[i].v[i] = 1;
  std::vector<Rot> rotations(skeleton_.joints().size());
  rotations[0] = orientation_of(pose);
  std::size_t angle = 0;
  for (std::size_t j = 1; j < rotations.size(); ++j) {
    const Joint& joint = skeleton_.joints()[j];
    const auto first = static_cast<std::size_t>(skeleton_.first_angle(static_cast<int>(j)));
    Rot rotation = rotations[static_cast<std::size_t>(joint.parent)];
    for (std::size_t r = 0; r < joint.rotations.size(); ++r) {
      const int axis = static_cast<int>(joint.rotations[r].axis);
      if (angle < parameters_.angles.size() && parameters_.angles[angle] == first + r)
        twists[FitParameters::of_root + angle++] =
            twist_about(rotation * unit_of(axis), body.joints[j], body.joints[0]);
      rotation = rotation * portable_rotation_about(axis, pose[first + r]);
    }
    rotations[j] = rotation;
  }
  return twists;
}

double SurfaceFit::bend_cost(const Stage& stage, std::span<const float> pose) const {
  double sum = 0;
  for (const std::size_t i : parameters_.angles) {
    const double bend = double{pose[i]} - double{stage.target[i]};
    sum += bend * bend;
  }
  return stage.target_weight * sum;
}

void SurfaceFit::align(const Stage& stage, const Body& body, std::span<const float> pose,
                       Alignment& alignment) const {
  const std::size_t count = points_.size();
  alignment.near.reset(points_, static_cast<float>(stage.reach_m));
  alignment.rays.assign(count, {});
  alignment.nearest_m.assign(count, no_hit_m);
  alignment.nearest_capsule.assign(count, 0);
  for (std::size_t k = 0; k < body.capsules.size(); ++k) {
    const Capsule& c = body.capsules[k];
    const double radius = double{c.radius_m};
    const Vec a = Vec(c.a) - camera_, d = Vec(c.b) - Vec(c.a);
    const HitCapsule capsule(a, d, radius);
    alignment.near.visit(CapsuleSurface(a, d, c.radius_m), [&](std::size_t i, float square) {
      const double distance = std::abs(std::sqrt(double{square}) - radius);
      if (distance < alignment.nearest_m[i] && distance < stage.reach_m) {
        alignment.nearest_m[i] = distance;
        alignment.nearest_capsule[i] = static_cast<int>(k);
        if (!stage.along_rays) alignment.near.set_bound(i, static_cast<float>(distance));
      }
      RayMatch& ray = alignment.rays[i];
      if (stage.along_rays &&
          match_ray(ray, distance, stage.reach_m, measured_m_[i], views_[i], capsule, static_cast<int>(k)))
        alignment.near.set_bound(i, static_cast<float>(std::min(stage.reach_m, std::abs(ray.off_m))));
    });
  }
  alignment.cost = sum_in_chunks(count, bend_cost(stage, pose), [&](std::size_t i) {
    const double off = alignment.rays[i].off_m;
    const bool is_hit = std::abs(off) < stage.reach_m;
    return point_cost(tukey_share(is_hit ? off : alignment.nearest_m[i], stage.reach_m), stage.reach_m,
                      is_hit ? 1 : stage.miss_weight, inverse_variance_[i]);
  });
}

void SurfaceFit::add_residuals(std::size_t i, const Stage& stage, const Body& body,
                               const Alignment& alignment, std::span<RigidSums> sums) const {
  const double off = alignment.rays[i].off_m;
  const bool is_hit = std::abs(off) < stage.reach_m;
  const double share = tukey_share(is_hit ? off : alignment.nearest_m[i], stage.reach_m);
  const double weight = (is_hit ? 1 : stage.miss_weight) * share * share * inverse_variance_[i];
  if (weight <= 0) return;

  const auto k = static_cast<std::size_t>(is_hit ? alignment.rays[i].capsule : alignment.nearest_capsule[i]);
  const Capsule& c = body.capsules[k];
  const Vec a = Vec(c.a) - camera_, d = Vec(c.b) - Vec(c.a), p(points_[i]), view = views_[i];
  const Vec camera_from_root = camera_ - Vec(body.joints[0]);
  RigidSums& of_joint = sums[static_cast<std::size_t>(skeleton_.body_capsules()[k].joint)];
  if (is_hit) {
    of_joint.add(hit_residual(p, view, off, a, d, camera_from_root, weight));
    return;
  }
  const Vec foot = foot_of(p, a, d), normal = unit_or(p - foot, -1 * view);
  const double away = dot(normal, view), radius = double{c.radius_m};
  // The surface at `at` moves with the joint. It is too near by `off_m` along `slope`.
  const auto add = [&](const Vec& at, const Vec& slope, double off_m) {
    of_joint.add(residual_of(camera_from_root + at, slope, off_m, weight));
  };
  if (away <= 0) {
    const Vec at = foot + radius * normal;
    add(at, normal, dot(p - at, normal));
  } else {  // behind the limb, where the camera sees nothing of it: compared with its outline
    const Vec at = foot + radius * unit_or(normal - away * view, -1 * view), to_p = p - at;
    add(at, {1, 0, 0}, to_p.x);
    add(at, {0, 1, 0}, to_p.y);
    add(at, {0, 0, 1}, to_p.z);
  }
}

std::vector<RigidSums> SurfaceFit::sums_of(const Stage& stage, const Body& body,
                                           const Alignment& alignment) const {
  std::vector<RigidSums> sums(body.joints.size()), of_chunk;
  for_each_chunk(points_.size(), [&](std::size_t first, std::size_t last) {
    of_chunk.assign(sums.size(), {});
    for (std::size_t i = first; i < last; ++i) add_residuals(i, stage, body, alignment, of_chunk);
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j].add(of_chunk[j]);
  });
  return sums;
}

// What a joint moves is one rigid body to its parameters: its residuals are summed before the parameters come
// in, as in the composite-rigid-body algorithm of dynamics.
NormalEquations SurfaceFit::equations_of(const Stage& stage, const Body& body, std::span<const float> pose,
                                         const Alignment& alignment) const {
  std::vector<RigidSums> sums = sums_of(stage, body, alignment);
  for (std::size_t j = sums.size(); j-- > 1;)
    sums[static_cast<std::size_t>(skeleton_.joints()[j].parent)].add(sums[j]);
  const std::vector<Six> twists = twists_of(body, pose);
  NormalEquations equations(twists.size());
  for (std::size_t j = 0; j < sums.size(); ++j)
    equations.add(parameters_.moves[j], parameters_.own(skeleton_, j), twists, sums[j]);
  for (std::size_t i = 0; i < parameters_.angles.size(); ++i) {
    const std::size_t angle = parameters_.angles[i];
    equations.add(FitParameters::of_root + i, double{stage.target[angle]} - double{pose[angle]},
                  2 * stage.target_weight);
  }
  return equations;
}

std::vector<float> SurfaceFit::moved(std::span<const float> pose, std::span<const double> change) const {
  std::vector<float> next(pose.begin(), pose.end());
  for (std::size_t i = 0; i < FitParameters::of_position; ++i) next[i] += static_cast<float>(change[i]);
  turn_root(next.data(), {change[3], change[4], change[5]});
  for (std::size_t i = 0; i < parameters_.angles.size(); ++i) {
    float& angle = next[parameters_.angles[i]];
    angle =
        moved_angle(angle, change[FitParameters::of_root + i], parameters_.lower[i], parameters_.upper[i]);
  }
  return next;
}

// Gauss-Newton with a damping that grows while a step does not help (Levenberg, Marquardt).
std::vector<float> SurfaceFit::minimise(const Stage& stage, std::vector<float> pose) const {
  Body body = place(pose);
  Alignment alignment, tried;
  align(stage, body, pose, alignment);
  Damping damping;
  bool improved = true, settled = false;
  for (int step = 0; step < stage.steps && improved && !settled; ++step) {
    const NormalEquations equations = equations_of(stage, body, pose, alignment);
    improved = false;
    for (int attempt = 0; attempt < Damping::max_attempts && !improved; ++attempt) {
      const std::vector<double> change =
          equations.solve(damping.value, Damping::floor(mean_inverse_variance_));
      if (!change.empty()) {
        std::vector<float> next = moved(pose, change);
        Body there = place(next);
        align(stage, there, next, tried);
        if (tried.cost < alignment.cost) {
          improved = true;
          settled = Damping::is_settled(alignment.cost, tried.cost);
          pose = std::move(next);
          body = std::move(there);
          std::swap(alignment, tried);
        }
      }
      damping.follow(improved);
    }
  }
  return pose;
}

}  // namespace triptych::capsule_likelihood
