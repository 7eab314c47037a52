// Fits the thickness of the built-in human to a cloud.
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

double cost_of(const std::vector<CameraRay>& rays, const std::vector<Placed>& body,
               const std::array<double, groups>& factors) {
  constexpr double max_m = 0.05;
  double sum = 0;
  for (const CameraRay& ray : rays) {
    double hit = detail::no_hit;
    for (const Placed& capsule : body) {
      hit = std::fmin(hit, detail::capsule_hit(ray.direction, capsule.a, capsule.b,
                                               capsule.radius * factors[capsule.group]));
    }
    const double off = std::min(std::abs(hit - ray.distance), max_m);
    sum += off * off;
  }
  return sum;
}

}  // namespace

Skeleton fit_radii(const Skeleton& human, std::span<const float> pose, std::span<const Vec3> points,
                   const Vec3& camera) {
  detail::check_pose(human, pose, "a pose");
  require(is_finite(camera), "the camera is not finite");
  const std::vector<Capsule> capsules = human.capsules(pose);
  std::vector<CameraRay> rays;
  constexpr std::int64_t max_fitted_rays = 1500;
  for (const Vec3& point : subsample(points, max_fitted_rays)) {
    const Vec from_camera = Vec(point) - Vec(camera);
    const double distance = length(from_camera);
    if (std::isfinite(distance) && distance > 0) rays.push_back({(1 / distance) * from_camera, distance});
  }
  require(!rays.empty(), "radii cannot be fitted without points");
  std::vector<Placed> body;
  for (std::size_t i = 0; i < capsules.size(); ++i) {
    const BodyCapsule& body_capsule = human.body_capsules()[i];
    body.push_back({Vec(capsules[i].a) - Vec(camera), Vec(capsules[i].b) - Vec(camera), capsules[i].radius_m,
                    group_of(human.joints()[static_cast<std::size_t>(body_capsule.joint)].name)});
  }

  // Group by group over a grid, twice, since what one covers changes what another should.
  std::array<double, groups> factors = {1, 1, 1, 1};
  for (int round = 0; round < 2; ++round) {
    for (double& factor : factors) {
      double best = factor, least = cost_of(rays, body, factors);
      for (int step = 0; step <= 28; ++step) {
        factor = 0.6 + 0.05 * step;
        const double cost = cost_of(rays, body, factors);
        if (cost < least) {
          least = cost;
          best = factor;
        }
      }
      factor = best;
    }
  }
  std::vector<BodyCapsule> body_capsules(human.body_capsules().begin(), human.body_capsules().end());
  for (std::size_t i = 0; i < body_capsules.size(); ++i) {
    body_capsules[i].capsule.radius_m *= static_cast<float>(factors[body[i].group]);
  }
  return {{human.joints().begin(), human.joints().end()}, std::move(body_capsules)};
}

}  // namespace triptych::capsule_likelihood
