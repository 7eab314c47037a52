#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/core/portable_math.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
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

// A capsule from a to a + d that rays from the origin may hit. In double and without the cases of
// ray_capsule_math.hpp: a fit need not have the bits of the likelihood.
class HitCapsule {
 public:
  HitCapsule(const Vec& a, const Vec& d, double radius)
      : a_(a),
        d_(d),
        rr_(radius * radius),
        aa_(dot(a, a)),
        ad_(dot(a, d)),
        dd_(dot(d, d)),
        rest_(dd_ * (aa_ - rr_) - ad_ * ad_) {}

  // Where the ray along a unit vector enters it; infinity for a miss.
  double entry_m(const Vec& v) const {
    const double va = dot(v, a_), vd = dot(v, d_), across = dd_ - vd * vd;
    if (across <= 1e-9 * dd_) return std::min(ball(va, aa_), end(va, vd));  // along the axis, or a sphere
    // The infinite cylinder: across t^2 - 2 half t + rest = 0.
    const double half = dd_ * va - vd * ad_, q = half * half - across * rest_;
    if (q < 0) return miss;
    const double t = (half - std::sqrt(q)) / across, along = t * vd - ad_;
    return along < 0 ? ball(va, aa_) : along > dd_ ? end(va, vd) : t;
  }

 private:
  static constexpr double miss = std::numeric_limits<double>::infinity();
  // The ball about a centre of square cc that is vc along the ray.
  double ball(double vc, double cc) const {
    const double q = vc * vc - cc + rr_;
    return q >= 0 ? vc - std::sqrt(q) : miss;
  }
  double end(double va, double vd) const { return ball(va + vd, aa_ + 2 * ad_ + dd_); }

  Vec a_, d_;
  double rr_, aa_, ad_, dd_, rest_;  // products of these; r: the radius
};

// The point of a capsule's axis that is nearest to p.
Vec foot_of(const Vec& p, const Vec& a, const Vec& d) {
  const double dd = dot(d, d);
  return dd > 0 ? a + std::clamp(dot(p - a, d) / dd, 0.0, 1.0) * d : a;
}

Vec unit_of(Axis axis) {
  return axis == Axis::x ? Vec(1, 0, 0) : axis == Axis::y ? Vec(0, 1, 0) : Vec(0, 0, 1);
}

// As detail::rotation_about, with the same bits on all machines.
Rot rotation_about(Axis axis, float radians) {
  const CosSin of_angle = portable_cos_sin_rad(radians);
  const double c = double{of_angle.cos}, s = double{of_angle.sin};
  const auto i = static_cast<std::size_t>(axis), j = (i + 1) % 3, k = (i + 2) % 3;
  Rot r{};
  r[3 * i + i] = 1;
  r[3 * j + j] = r[3 * k + k] = c;
  r[3 * k + j] = s;
  r[3 * j + k] = -s;
  return r;
}

// Turns the root about a vector of the world, by its length up to terms of third order.
void turn_root(std::vector<float>& pose, const Vec& by) {
  const Vec h = 0.5 * by, v(double{pose[4]}, double{pose[5]}, double{pose[6]});
  const double w = double{pose[3]}, real = w - dot(h, v);
  const Vec imaginary = v + w * h + cross(h, v);
  const double norm = std::sqrt(real * real + dot(imaginary, imaginary)), scale = (real < 0 ? -1 : 1) / norm;
  if (!(norm > 0)) return;
  pose[3] = static_cast<float>(scale * real);
  pose[4] = static_cast<float>(scale * imaginary.x);
  pose[5] = static_cast<float>(scale * imaginary.y);
  pose[6] = static_cast<float>(scale * imaginary.z);
}

// Of a residual that is e, with Tukey's weights, which are 0 from `reach` on: e^2 / 2 when it is small.
double tukey_share(double e, double reach) { return 1 - std::min(1.0, e * e / (reach * reach)); }
double tukey_cost(double share, double reach) { return reach * reach / 6 * (1 - share * share * share); }

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
  std::vector<double> nearest_m, along_ray_m;
  std::vector<std::size_t> nearest_capsule, hit_capsule;
  double cost = 0;
};

SurfaceFit::SurfaceFit(const Skeleton& skeleton, std::span<const Vec3> points, std::span<const float> sigma_m,
                       const SensorModel& sensor)
    : skeleton_(skeleton),
      standing_(standing_pose(skeleton)),
      camera_(sensor.camera),
      tau_m_(double{sensor.tau_m}) {
  std::vector<Vec3> used;
  std::vector<double> inverse_variance;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const float sigma = sigma_m.empty() ? sensor.sigma_m : sigma_m[i];
    if (make_ray(points[i], sigma, sensor).status != RayStatus::used) continue;
    used.push_back(
        {points[i].x - sensor.camera.x, points[i].y - sensor.camera.y, points[i].z - sensor.camera.z});
    const double at_least = std::max(double{sigma}, double{sensor.sigma_m} / 8);  // as Rays has it
    inverse_variance.push_back(1 / (at_least * at_least));
  }
  std::vector<Vec3> ordered;
  for (const std::uint32_t i : order_along_curve(used)) {
    const Vec p(used[i]);
    ordered.push_back(used[i]);
    measured_m_.push_back(length(p));
    views_.push_back(1 / measured_m_.back() * p);
    inverse_variance_.push_back(inverse_variance[i]);
    mean_inverse_variance_ += inverse_variance[i];
  }
  mean_inverse_variance_ /= static_cast<double>(std::max<std::size_t>(1, used.size()));
  points_ = PointBlocks(ordered);
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
        constexpr float endless = std::numeric_limits<float>::infinity();
        const Rotation& rotation = joint.rotations[r];
        limits_.push_back(detail::turns_freely(rotation) ? std::pair(-endless, endless)
                                                         : std::pair(rotation.lower_rad, rotation.upper_rad));
      }
    }
    moves_.push_back(std::move(moves));
  }
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
  constexpr double kept_to_rad = 0.3;  // standard deviation of an angle that nothing else is known of
  std::vector<float> fitted(pose.begin(), pose.end());
  if (points_.size() == 0) return fitted;
  return minimise({tau_m_, true, 0, pose, 1 / (2 * kept_to_rad * kept_to_rad), steps}, std::move(fitted));
}

SurfaceFit::Body SurfaceFit::place(std::span<const float> pose) const {
  const int joints = skeleton_.joint_count(), capsules = skeleton_.capsule_count();
  Body body{std::vector<Vec3>(static_cast<std::size_t>(joints)),
            std::vector<Capsule>(static_cast<std::size_t>(capsules))};
  pose_cpu(skeleton_, {pose.data(), 1, skeleton_.pose_size()}, {body.joints.data(), 1, joints},
           {body.capsules.data(), 1, capsules}, 1);
  return body;
}

std::vector<Twist> SurfaceFit::twists_of(const Body& body, std::span<const float> pose) const {
  std::vector<Twist> twists(root_parameters + angles_.size());
  const Vec root(body.joints[0]);
  for (const Axis axis : {Axis::x, Axis::y, Axis::z}) {
    const auto i = static_cast<std::size_t>(axis);
    twists[i].linear = unit_of(axis);
    twists[position_parameters + i].angular = unit_of(axis);
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
        const Vec direction = rotation * unit_of(axis);
        twists[root_parameters + angle] = {cross(Vec(body.joints[j]) - root, direction), direction};
        ++angle;
      }
      rotation = rotation * rotation_about(axis, pose[first + r]);
    }
    rotations[j] = rotation;
  }
  return twists;
}

double SurfaceFit::bend_cost(const Stage& stage, std::span<const float> pose) const {
  double sum = 0;
  for (const std::size_t i : angles_) {
    const double bend = double{pose[i]} - double{stage.target[i]};
    sum += bend * bend;
  }
  return stage.target_weight * sum;
}

void SurfaceFit::align(const Stage& stage, const Body& body, std::span<const float> pose,
                       Alignment& alignment) const {
  const std::size_t count = points_.size();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  alignment.near.reset(points_, static_cast<float>(stage.reach_m));
  for (auto* smallest : {&alignment.nearest_m, &alignment.along_ray_m}) smallest->assign(count, infinity);
  for (auto* capsule : {&alignment.nearest_capsule, &alignment.hit_capsule}) capsule->assign(count, 0);
  for (std::size_t k = 0; k < body.capsules.size(); ++k) {
    const Capsule& c = body.capsules[k];
    const double radius = double{c.radius_m};
    const Vec a = Vec(c.a) - camera_, d = Vec(c.b) - Vec(c.a);
    const HitCapsule capsule(a, d, radius);
    alignment.near.visit(CapsuleSurface(a, d, c.radius_m), [&](std::size_t i, float square) {
      const double distance = std::abs(std::sqrt(double{square}) - radius);
      double &nearest = alignment.nearest_m[i], &along_ray = alignment.along_ray_m[i];
      if (distance < nearest && distance < stage.reach_m) {
        nearest = distance;
        alignment.nearest_capsule[i] = k;
        if (!stage.along_rays) alignment.near.set_bound(i, static_cast<float>(distance));
      }
      // The difference along the ray is no smaller.
      if (!stage.along_rays || distance >= std::min(stage.reach_m, std::abs(along_ray))) return;
      const double off = measured_m_[i] - capsule.entry_m(views_[i]);
      if (std::abs(off) >= std::abs(along_ray)) return;
      along_ray = off;
      alignment.hit_capsule[i] = k;
      alignment.near.set_bound(i, static_cast<float>(std::min(stage.reach_m, std::abs(off))));
    });
  }
  const double most = tukey_cost(0, stage.reach_m);
  alignment.cost = bend_cost(stage, pose);
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_hit = std::abs(alignment.along_ray_m[i]) < stage.reach_m;
    const double weight = is_hit ? 1 : stage.miss_weight;
    const double share =
        tukey_share(is_hit ? alignment.along_ray_m[i] : alignment.nearest_m[i], stage.reach_m);
    alignment.cost += inverse_variance_[i] * (most - weight * (most - tukey_cost(share, stage.reach_m)));
  }
}

std::vector<RigidSums> SurfaceFit::sums_of(const Stage& stage, const Body& body,
                                           const Alignment& alignment) const {
  std::vector<RigidSums> sums(body.joints.size());
  const Vec from_root = camera_ - Vec(body.joints[0]);
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const double along_ray = alignment.along_ray_m[i];
    const bool is_hit = std::abs(along_ray) < stage.reach_m;
    const double share = tukey_share(is_hit ? along_ray : alignment.nearest_m[i], stage.reach_m);
    const double weight = (is_hit ? 1 : stage.miss_weight) * share * share * inverse_variance_[i];
    if (weight <= 0) continue;

    const std::size_t k = is_hit ? alignment.hit_capsule[i] : alignment.nearest_capsule[i];
    const Capsule& c = body.capsules[k];
    const Vec a = Vec(c.a) - camera_, d = Vec(c.b) - Vec(c.a), p(points_[i]), view = views_[i];
    const Vec seen = is_hit ? p - along_ray * view : p, foot = foot_of(seen, a, d);
    const Vec normal = unit_or(seen - foot, -1 * view);
    const double away = dot(normal, view), radius = double{c.radius_m};
    RigidSums& of_joint = sums[static_cast<std::size_t>(skeleton_.body_capsules()[k].joint)];
    // The surface at `at` moves with the joint. It is too near by `off_m` along `slope`.
    const auto add = [&](const Vec& at, const Vec& slope, double off_m) {
      of_joint.add(from_root + at, slope, off_m, weight);
    };
    if (is_hit) {  // where the surface moves along its normal, the hit moves by 1 / away of that
      add(seen, 1 / std::min(away, -0.2) * normal, along_ray);
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
  return sums;
}

// What a joint moves is one rigid body to its parameters: its residuals are summed before the parameters come
// in, as in the composite-rigid-body algorithm of dynamics.
NormalEquations SurfaceFit::equations_of(const Stage& stage, const Body& body, std::span<const float> pose,
                                         const Alignment& alignment) const {
  std::vector<RigidSums> sums = sums_of(stage, body, alignment);
  for (std::size_t j = sums.size(); j-- > 1;)
    sums[static_cast<std::size_t>(skeleton_.joints()[j].parent)].add(sums[j]);
  const std::vector<Twist> twists = twists_of(body, pose);
  NormalEquations equations(twists.size());
  for (std::size_t j = 0; j < sums.size(); ++j) {
    const std::size_t of_parent =
        j > 0 ? moves_[static_cast<std::size_t>(skeleton_.joints()[j].parent)].size() : 0;
    equations.add(moves_[j], moves_[j].size() - of_parent, twists, sums[j]);
  }
  for (std::size_t i = 0; i < angles_.size(); ++i)
    equations.add(root_parameters + i, double{stage.target[angles_[i]]} - double{pose[angles_[i]]},
                  2 * stage.target_weight);
  return equations;
}

std::vector<float> SurfaceFit::moved(std::span<const float> pose, std::span<const double> change) const {
  std::vector<float> next(pose.begin(), pose.end());
  for (std::size_t i = 0; i < position_parameters; ++i) next[i] += static_cast<float>(change[i]);
  turn_root(next, {change[3], change[4], change[5]});
  for (std::size_t i = 0; i < angles_.size(); ++i) {
    const auto [lower, upper] = limits_[i];
    float& angle = next[angles_[i]];
    angle = std::clamp(angle + static_cast<float>(change[root_parameters + i]), lower, upper);
  }
  return next;
}

// Gauss-Newton with a damping that grows while a step does not help (Levenberg, Marquardt).
std::vector<float> SurfaceFit::minimise(const Stage& stage, std::vector<float> pose) const {
  constexpr int max_attempts = 4;
  Body body = place(pose);
  Alignment alignment, tried;
  align(stage, body, pose, alignment);
  double damping = 1e-3;
  bool improved = true, settled = false;
  for (int step = 0; step < stage.steps && improved && !settled; ++step) {
    const NormalEquations equations = equations_of(stage, body, pose, alignment);
    improved = false;
    for (int attempt = 0; attempt < max_attempts && !improved; ++attempt) {
      const std::vector<double> change = equations.solve(damping, 0.01 * mean_inverse_variance_);
      if (!change.empty()) {
        std::vector<float> next = moved(pose, change);
        Body there = place(next);
        align(stage, there, next, tried);
        if (tried.cost < alignment.cost) {
          improved = true;
          settled = alignment.cost - tried.cost < 1e-4 * alignment.cost;
          pose = std::move(next);
          body = std::move(there);
          std::swap(alignment, tried);
        }
      }
      damping *= improved ? 0.3 : 8;
    }
  }
  return pose;
}

}  // namespace triptych::capsule_likelihood
