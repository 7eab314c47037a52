// Fits the thickness of the built-in human, and its distance, to a cloud.
#include <triptych/capsule_likelihood/cloud.hpp>
#include <triptych/capsule_likelihood/fit_human.hpp>
#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/core/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include "body/check_poses.hpp"
#include "geometry/limits.hpp"
#include "synthetic/ray_cast.hpp"

namespace triptych::capsule_likelihood {

namespace {

using detail::Vec;

constexpr std::size_t groups = 4;  // torso, head, arms, legs

std::size_t group_of(const std::string& joint) {
  const auto has = [&](const char* word) { return joint.find(word) != std::string::npos; };
  if (has("arm") || has("hand") || has("fingers")) return 2;
  if (has("thigh") || has("shin") || has("foot") || has("toes")) return 3;
  return has("head") || has("neck") ? 1 : 0;
}

struct CameraRay {
  Vec direction;
  double distance;
};

struct Placed {
  Vec a, b;
  double radius;
  std::size_t group;
};

// The radii of a body in a pose, and how far it stands from the camera, against a cloud.
class ThicknessFit {
 public:
  ThicknessFit(const Skeleton& human, std::span<const float> pose, std::span<const Vec3> points,
               const Vec3& camera)
      : human_(human), pose_(pose.begin(), pose.end()) {
    detail::check_pose(human, pose, "a pose");
    require(is_finite(camera), "the camera is not finite");
    constexpr std::int64_t max_fitted_rays = 1500;
    for (const Vec3& point : subsample(points, max_fitted_rays)) {
      const Vec from_camera = Vec(point) - Vec(camera);
      const double distance = length(from_camera);
      if (std::isfinite(distance) && distance > 0) rays_.push_back({(1 / distance) * from_camera, distance});
    }
    require(!rays_.empty(), "radii cannot be fitted without points");
    const std::vector<Capsule> capsules = human.capsules(pose);
    for (std::size_t i = 0; i < capsules.size(); ++i) {
      const BodyCapsule& body_capsule = human.body_capsules()[i];
      body_.push_back({Vec(capsules[i].a) - Vec(camera), Vec(capsules[i].b) - Vec(camera),
                       capsules[i].radius_m,
                       group_of(human.joints()[static_cast<std::size_t>(body_capsule.joint)].name)});
    }
    const Vec root = Vec(pose[0], pose[1], pose[2]) - Vec(camera);
    const double distance = length(root);
    away_ = distance > 0 ? (1 / distance) * root : Vec(0, 0, 1);
    best_ = {.cost = cost_of(best_)};
  }

  // One factor for all radii together with the distance, over a grid: they are not separable, since a body
  // that is too thin explains the points best when it stands too near.
  void fit_with_distance() {
    for (int step = 0; step <= 18; ++step) {
      const double factor = 0.7 + 0.05 * step;
      for (int centimetres = -4; centimetres <= 8; ++centimetres) {
        keep_if_better({.factors = {factor, factor, factor, factor}, .shift_m = 0.01 * centimetres});
      }
    }
  }
  // Group by group, twice, since what one covers changes what another should.
  void fit_groups() {
    for (int round = 0; round < 2; ++round) {
      for (std::size_t group = 0; group < groups; ++group) {
        for (int step = 0; step <= 28; ++step) {
          Thickness trial = best_;
          trial.factors[group] = 0.6 + 0.05 * step;
          keep_if_better(trial);
        }
      }
    }
  }
  void fit_distance() {
    const double from = best_.shift_m;
    for (int step = -6; step <= 6; ++step) {
      Thickness trial = best_;
      trial.shift_m = from + 0.005 * step;
      keep_if_better(trial);
    }
  }

  Skeleton skeleton() const {
    std::vector<BodyCapsule> capsules(human_.body_capsules().begin(), human_.body_capsules().end());
    for (std::size_t i = 0; i < capsules.size(); ++i) {
      capsules[i].capsule.radius_m *= static_cast<float>(best_.factors[body_[i].group]);
    }
    return {{human_.joints().begin(), human_.joints().end()}, std::move(capsules)};
  }
  std::vector<float> pose() const {
    std::vector<float> pose = pose_;
    const Vec shift = best_.shift_m * away_;
    pose[0] += static_cast<float>(shift.x);
    pose[1] += static_cast<float>(shift.y);
    pose[2] += static_cast<float>(shift.z);
    return pose;
  }

 private:
  struct Thickness {
    std::array<double, groups> factors = {1, 1, 1, 1};
    double shift_m = 0;  // away from the camera
    double cost = 0;
  };

  double cost_of(const Thickness& trial) const {
    constexpr double max_m = 0.05;
    const Vec shift = trial.shift_m * away_;
    double sum = 0;
    for (const CameraRay& ray : rays_) {
      double hit = detail::no_hit;
      for (const Placed& capsule : body_) {
        hit = std::fmin(hit, detail::capsule_hit(ray.direction, capsule.a + shift, capsule.b + shift,
                                                 capsule.radius * trial.factors[capsule.group]));
      }
      const double off = std::min(std::abs(hit - ray.distance), max_m);
      sum += off * off;
    }
    return sum;
  }
  void keep_if_better(Thickness trial) {
    trial.cost = cost_of(trial);
    if (trial.cost < best_.cost) best_ = trial;
  }

  const Skeleton& human_;
  std::vector<float> pose_;
  std::vector<CameraRay> rays_;
  std::vector<Placed> body_;
  Vec away_;
  Thickness best_;
};

}  // namespace

Skeleton fit_radii(const Skeleton& human, std::span<const float> pose, std::span<const Vec3> points,
                   const Vec3& camera) {
  ThicknessFit fit(human, pose, points, camera);
  fit.fit_groups();
  return fit.skeleton();
}

FittedBody fit_body(const Skeleton& human, std::span<const float> pose, std::span<const Vec3> points,
                    const Vec3& camera) {
  ThicknessFit fit(human, pose, points, camera);
  fit.fit_with_distance();
  fit.fit_groups();
  fit.fit_distance();
  return {fit.skeleton(), fit.pose()};
}

}  // namespace triptych::capsule_likelihood
