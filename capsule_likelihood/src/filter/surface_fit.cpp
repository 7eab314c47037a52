#include <triptych/capsule_likelihood/kinematics.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "filter/limbs.hpp"
#include "filter/pose_score.hpp"
#include "filter/start_poses.hpp"
#include "filter/surface_fit.hpp"
#include "rays/rays_math.hpp"

namespace triptych::capsule_likelihood {

namespace {

using detail::Rot;
using detail::Vec;

constexpr std::size_t position_parameters = 3, root_parameters = 6;

// Where a ray from the origin along a unit vector enters a capsule from a to a + d; infinity for a miss. In
// double and without the cases of ray_capsule_math.hpp: a fit need not have the bits of the likelihood.
double entry_m(const Vec& v, const Vec& a, const Vec& d, double radius) {
  constexpr double miss = std::numeric_limits<double>::infinity();
  const auto ball = [&](const Vec& centre) {
    const double along = dot(v, centre), q = along * along - dot(centre, centre) + radius * radius;
    return q >= 0 ? along - std::sqrt(q) : miss;
  };
  const double dd = dot(d, d), vd = dot(v, d), ad = dot(a, d), across = dd - vd * vd;
  if (across <= 1e-9 * dd) return std::min(ball(a), ball(a + d));  // along the axis, or a sphere
  // The infinite cylinder: across t^2 - 2 half t + rest = 0.
  const double half = dd * dot(v, a) - vd * ad, rest = dd * (dot(a, a) - radius * radius) - ad * ad,
               q = half * half - across * rest;
  if (q < 0) return miss;
  const double t = (half - std::sqrt(q)) / across, along = t * vd - ad;
  return along < 0 ? ball(a) : along > dd ? ball(a + d) : t;
}

// The point of a capsule's axis that is nearest to p.
Vec foot_of(const Vec& p, const Vec& a, const Vec& d) {
  const double dd = dot(d, d);
  return dd > 0 ? a + std::clamp(dot(p - a, d) / dd, 0.0, 1.0) * d : a;
}

Vec unit_of(Axis axis) {
  return axis == Axis::x ? Vec(1, 0, 0) : axis == Axis::y ? Vec(0, 1, 0) : Vec(0, 0, 1);
}

// Of a residual that is e, with Tukey's weights, which are 0 from `reach` on: e^2 / 2 when it is small.
double tukey_share(double e, double reach) { return 1 - std::min(1.0, e * e / (reach * reach)); }
double tukey_cost(double share, double reach) { return reach * reach / 6 * (1 - share * share * share); }

}  // namespace

// How points are compared with the body.
struct SurfaceFit::Stage {
  double reach_m;      // where a point's weight becomes 0
  bool along_rays;     // where the ray hits the body
  double miss_weight;  // of the distance to the surface, for other points
  double bend_weight;  // per rad^2 and point, away from the standing pose
  int steps;
};

struct SurfaceFit::Body {
  std::vector<Vec3> joints;
  std::vector<Capsule> capsules;
};

// The surface at `at` moves with a joint. It is too near by `off_m` along `slope`.
struct SurfaceFit::Residual {
  Vec at, slope;
  double off_m, weight;
  std::size_t joint;
};

// Of the rotations among the parameters, in the world.
struct SurfaceFit::Axes {
  std::vector<Vec> directions, pivots;
};

SurfaceFit::SurfaceFit(const Skeleton& skeleton, std::span<const Vec3> points, std::span<const float> sigma_m,
                       const SensorModel& sensor)
    : skeleton_(skeleton),
      standing_(standing_pose(skeleton)),
      camera_(sensor.camera),
      tau_m_(double{sensor.tau_m}) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    const float sigma = sigma_m.empty() ? sensor.sigma_m : sigma_m[i];
    if (make_ray(points[i], sigma, sensor).status != RayStatus::used) continue;
    x_.push_back(points[i].x - sensor.camera.x);
    y_.push_back(points[i].y - sensor.camera.y);
    z_.push_back(points[i].z - sensor.camera.z);
    const double at_least = std::max(double{sigma}, double{sensor.sigma_m} / 8);  // as Rays has it
    inverse_variance_.push_back(1 / (at_least * at_least));
    mean_inverse_variance_ += inverse_variance_.back();
  }
  mean_inverse_variance_ /= static_cast<double>(std::max<std::size_t>(1, x_.size()));
  for (std::size_t j = 0; j < skeleton.joints().size(); ++j) {
    const Joint& joint = skeleton.joints()[j];
    std::vector<std::size_t> moves = {0, 1, 2, 3, 4, 5};
    if (j > 0) {
      moves = moves_[static_cast<std::size_t>(joint.parent)];
      const auto first = static_cast<std::size_t>(skeleton.first_angle(static_cast<int>(j)));
      for (std::size_t r = 0; r < joint.rotations.size(); ++r) {
        if (joint.rotations[r].lower_rad == joint.rotations[r].upper_rad) continue;
        moves.push_back(root_parameters + angles_.size());
        angles_.push_back(first + r);
      }
    }
    moves_.push_back(std::move(moves));
  }
}

std::vector<float> SurfaceFit::fit(std::span<const float> pose) const {
  std::vector<float> fitted(pose.begin(), pose.end());
  if (x_.empty()) return fitted;
  fitted = minimise({2 * tau_m_, false, 1, bend_weight, 5}, std::move(fitted));
  // Weaker: arms that are up, and limbs that no point shows, would follow the cost of bending alone.
  return minimise({tau_m_, true, 0.1, bend_weight / 3, 12}, std::move(fitted));
}

SurfaceFit::Body SurfaceFit::place(std::span<const float> pose) const {
  const int joints = skeleton_.joint_count(), capsules = skeleton_.capsule_count();
  Body body{std::vector<Vec3>(static_cast<std::size_t>(joints)),
            std::vector<Capsule>(static_cast<std::size_t>(capsules))};
  pose_cpu(skeleton_, {pose.data(), 1, skeleton_.pose_size()}, {body.joints.data(), 1, joints},
           {body.capsules.data(), 1, capsules}, 1);
  return body;
}

SurfaceFit::Axes SurfaceFit::axes_of(const Body& body, std::span<const float> pose) const {
  const std::size_t parameters = root_parameters + angles_.size();
  Axes axes{std::vector<Vec>(parameters), std::vector<Vec>(parameters)};
  const Vec root(body.joints[0]);
  for (const Axis axis : {Axis::x, Axis::y, Axis::z}) {
    const std::size_t p = position_parameters + static_cast<std::size_t>(axis);
    axes.directions[p] = unit_of(axis);
    axes.pivots[p] = root;
  }
  std::vector<Rot> rotations(skeleton_.joints().size());
  rotations[0] = orientation_of(pose);
  std::size_t angle = 0;
  for (std::size_t j = 1; j < rotations.size(); ++j) {
    const Joint& joint = skeleton_.joints()[j];
    const auto first = static_cast<std::size_t>(skeleton_.first_angle(static_cast<int>(j)));
    Rot rotation = rotations[static_cast<std::size_t>(joint.parent)];
    for (std::size_t r = 0; r < joint.rotations.size(); ++r) {
      const Axis axis = joint.rotations[r].axis;
      if (angle < angles_.size() && angles_[angle] == first + r) {
        axes.directions[root_parameters + angle] = rotation * unit_of(axis);
        axes.pivots[root_parameters + angle] = Vec(body.joints[j]);
        ++angle;
      }
      rotation = rotation * detail::rotation_about(axis, double{pose[first + r]});
    }
    rotations[j] = rotation;
  }
  return axes;
}

double SurfaceFit::bend_cost(const Stage& stage, std::span<const float> pose) const {
  double sum = 0;
  for (const std::size_t i : angles_) {
    const double bend = double{pose[i]} - double{standing_[i]};
    sum += bend * bend;
  }
  return stage.bend_weight * static_cast<double>(x_.size()) * sum;
}

double SurfaceFit::cost_of(const Stage& stage, const Body& body, std::span<const float> pose,
                           std::vector<Residual>* residuals) const {
  const std::size_t count = x_.size();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<float> squares(count);                                         // of the distances to an axis
  std::vector<double> nearest(count, infinity), along_ray(count, infinity);  // the smallest differences
  std::vector<std::size_t> nearest_capsule(count, 0), hit_capsule(count, 0);
  const auto point = [&](std::size_t i) { return Vec(double{x_[i]}, double{y_[i]}, double{z_[i]}); };
  for (std::size_t k = 0; k < body.capsules.size(); ++k) {
    const Capsule& c = body.capsules[k];
    const double radius = double{c.radius_m};
    const Vec a = Vec(c.a) - camera_, d = Vec(c.b) - Vec(c.a);
    const Vec3 af = a.to_float(), df = d.to_float();
    const float dd = df.x * df.x + df.y * df.y + df.z * df.z, inverse = dd > 0 ? 1 / dd : 0.0f;
    for (std::size_t i = 0; i < count; ++i) {
      const float px = x_[i] - af.x, py = y_[i] - af.y, pz = z_[i] - af.z;
      const float along = (px * df.x + py * df.y + pz * df.z) * inverse;
      const float t = 0.5f * (std::abs(along) - std::abs(along - 1) + 1);  // along, clamped to 0 .. 1
      const float qx = px - t * df.x, qy = py - t * df.y, qz = pz - t * df.z;
      squares[i] = qx * qx + qy * qy + qz * qz;
    }
    const auto farthest = static_cast<float>((radius + stage.reach_m) * (radius + stage.reach_m));
    for (std::size_t i = 0; i < count; ++i) {
      if (squares[i] >= farthest) continue;
      const double distance = std::abs(std::sqrt(double{squares[i]}) - radius);
      if (distance < nearest[i]) {
        nearest[i] = distance;
        nearest_capsule[i] = k;
      }
      // The difference along the ray is no smaller.
      if (!stage.along_rays || distance >= std::min(stage.reach_m, std::abs(along_ray[i]))) continue;
      const Vec p = point(i);
      const double measured = length(p), off = measured - entry_m(1 / measured * p, a, d, radius);
      if (std::abs(off) < std::abs(along_ray[i])) {
        along_ray[i] = off;
        hit_capsule[i] = k;
      }
    }
  }

  if (residuals != nullptr) residuals->clear();
  double sum = bend_cost(stage, pose);
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_hit = std::abs(along_ray[i]) < stage.reach_m;
    const double weight = is_hit ? 1 : stage.miss_weight;
    const double share = tukey_share(is_hit ? along_ray[i] : nearest[i], stage.reach_m);
    const double most = tukey_cost(0, stage.reach_m);
    sum += inverse_variance_[i] * (most - weight * (most - tukey_cost(share, stage.reach_m)));
    if (residuals == nullptr || share <= 0) continue;

    const std::size_t k = is_hit ? hit_capsule[i] : nearest_capsule[i];
    const Capsule& c = body.capsules[k];
    const Vec a = Vec(c.a) - camera_, d = Vec(c.b) - Vec(c.a), p = point(i);
    const Vec view = unit_or(p, {0, 0, 1});
    const Vec seen = is_hit ? p - along_ray[i] * view : p, foot = foot_of(seen, a, d);
    const Vec normal = unit_or(seen - foot, -1 * view);
    const double away = dot(normal, view), radius = double{c.radius_m};
    const double scale = weight * share * share * inverse_variance_[i];
    const auto joint = static_cast<std::size_t>(skeleton_.body_capsules()[k].joint);
    const auto add = [&](const Vec& at, const Vec& slope, double off_m) {
      residuals->push_back({camera_ + at, slope, off_m, scale, joint});
    };
    if (is_hit) {  // where the surface moves along its normal, the hit moves by 1 / away of that
      add(seen, 1 / std::min(away, -0.2) * normal, along_ray[i]);
    } else if (away <= 0) {
      const Vec at = foot + radius * normal;
      add(at, normal, dot(p - at, normal));
    } else {  // behind the limb, where the camera sees nothing of it: compared with its outline
      const Vec at = foot + radius * unit_or(normal - away * view, -1 * view), off = p - at;
      add(at, {1, 0, 0}, off.x);
      add(at, {0, 1, 0}, off.y);
      add(at, {0, 0, 1}, off.z);
    }
  }
  return sum;
}

std::vector<float> SurfaceFit::moved(std::span<const float> pose, std::span<const double> change) const {
  std::vector<float> next(pose.begin(), pose.end());
  for (std::size_t i = 0; i < position_parameters; ++i) next[i] += static_cast<float>(change[i]);
  const Vec turn(change[3], change[4], change[5]);
  const double angle = length(turn);
  if (angle > 0)
    set_orientation(next, detail::rotation_about((1 / angle) * turn, angle) * orientation_of(pose));
  for (std::size_t i = 0; i < angles_.size(); ++i)
    next[angles_[i]] += static_cast<float>(change[root_parameters + i]);
  skeleton_.clamp(next);
  return next;
}

// Gauss-Newton with a damping that grows while a step does not help (Levenberg, Marquardt).
std::vector<float> SurfaceFit::minimise(const Stage& stage, std::vector<float> pose) const {
  constexpr int max_attempts = 4;
  const std::size_t parameters = root_parameters + angles_.size();
  const double bend = 2 * stage.bend_weight * static_cast<double>(x_.size());
  std::vector<Residual> residuals;
  std::vector<double> row(parameters);
  Body body = place(pose);
  double damping = 1e-3;
  bool improved = true, settled = false;
  for (int step = 0; step < stage.steps && improved && !settled; ++step) {
    const double cost = cost_of(stage, body, pose, &residuals);
    const Axes axes = axes_of(body, pose);
    const auto size = static_cast<Eigen::Index>(parameters);
    Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(size, size);  // the lower half
    Eigen::VectorXd gradient = Eigen::VectorXd::Zero(size);
    for (const Residual& residual : residuals) {
      const std::vector<std::size_t>& moves = moves_[residual.joint];
      const std::array<double, 3> slope = {residual.slope.x, residual.slope.y, residual.slope.z};
      for (std::size_t i = 0; i < moves.size(); ++i) {
        const std::size_t p = moves[i];
        row[i] = p < position_parameters
                     ? slope[p]
                     : dot(residual.slope, cross(axes.directions[p], residual.at - axes.pivots[p]));
      }
      for (std::size_t i = 0; i < moves.size(); ++i) {
        const double weighted = residual.weight * row[i];
        const auto p = static_cast<Eigen::Index>(moves[i]);
        gradient[p] += weighted * residual.off_m;
        for (std::size_t j = 0; j <= i; ++j)
          normal(p, static_cast<Eigen::Index>(moves[j])) += weighted * row[j];
      }
    }
    for (std::size_t i = 0; i < angles_.size(); ++i) {
      const auto p = static_cast<Eigen::Index>(root_parameters + i);
      normal(p, p) += bend;
      gradient[p] -= bend * (double{pose[angles_[i]]} - double{standing_[angles_[i]]});
    }
    improved = false;
    for (int attempt = 0; attempt < max_attempts && !improved; ++attempt) {
      Eigen::MatrixXd damped = normal;
      damped.diagonal().array() += damping * (normal.diagonal().array() + 0.01 * mean_inverse_variance_);
      const Eigen::VectorXd change = damped.selfadjointView<Eigen::Lower>().llt().solve(gradient);
      if (change.allFinite()) {
        std::vector<float> next = moved(pose, {change.data(), parameters});
        Body there = place(next);
        if (const double next_cost = cost_of(stage, there, next, nullptr); next_cost < cost) {
          improved = true;
          settled = cost - next_cost < 1e-4 * cost;
          pose = std::move(next);
          body = std::move(there);
        }
      }
      damping *= improved ? 0.3 : 8;
    }
  }
  return pose;
}

}  // namespace triptych::capsule_likelihood
