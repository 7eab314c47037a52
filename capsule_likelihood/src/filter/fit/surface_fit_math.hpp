// What a fit computes for a point, a capsule or a joint: the same bits on host and device.
#pragma once

#include <triptych/capsule_likelihood/rays.hpp>
#include <triptych/core/host_device.hpp>
#include <triptych/core/portable_math.hpp>

#include <cmath>
#include <limits>

#include "body/rotation.hpp"
#include "filter/fit/capsule_surface.hpp"
#include "filter/fit/rigid_sums.hpp"

namespace triptych::capsule_likelihood {

TRIPTYCH_INLINE_HD Vec3 about_camera(const Vec3& point, const SensorModel& sensor) {
  return {point.x - sensor.camera.x, point.y - sensor.camera.y, point.z - sensor.camera.z};
}

// As in the likelihood, where a point with a tiny sigma does not outweigh all others.
TRIPTYCH_INLINE_HD double inverse_variance_of(float sigma_m, const SensorModel& sensor) {
  const double own = double{sigma_m}, least = double{sensor.sigma_m} / 8, used = own < least ? least : own;
  return 1 / (used * used);
}

// Costs and residuals are added up in sequence over chunks of as many points, then over the chunks.
inline constexpr int fit_chunk = 256;

inline constexpr double no_hit_m = std::numeric_limits<double>::infinity();

// A capsule from a to a + d that rays from the origin may hit. In double and without the cases of
// ray_capsule_math.hpp: a fit need not have the bits of the likelihood.
class HitCapsule {
 public:
  HitCapsule() = default;
  TRIPTYCH_HD HitCapsule(const detail::Vec& a, const detail::Vec& d, double radius)
      : a_(a),
        d_(d),
        rr_(radius * radius),
        aa_(dot(a, a)),
        ad_(dot(a, d)),
        dd_(dot(d, d)),
        rest_(dd_ * (aa_ - rr_) - ad_ * ad_) {}

  // Where the ray along a unit vector enters it; infinity for a miss.
  TRIPTYCH_HD double entry_m(const detail::Vec& v) const {
    const double va = dot(v, a_), vd = dot(v, d_), across = dd_ - vd * vd;
    if (across <= 1e-9 * dd_) {  // along the axis, or a sphere
      const double first = ball(va, aa_), second = end(va, vd);
      return second < first ? second : first;
    }
    // The infinite cylinder: across t^2 - 2 half t + rest = 0.
    const double half = dd_ * va - vd * ad_, q = half * half - across * rest_;
    if (q < 0) return no_hit_m;
    const double t = (half - std::sqrt(q)) / across, along = t * vd - ad_;
    return along < 0 ? ball(va, aa_) : along > dd_ ? end(va, vd) : t;
  }

 private:
  // The ball about a centre of square cc that is vc along the ray.
  TRIPTYCH_HD double ball(double vc, double cc) const {
    const double q = vc * vc - cc + rr_;
    return q >= 0 ? vc - std::sqrt(q) : no_hit_m;
  }
  TRIPTYCH_HD double end(double va, double vd) const { return ball(va + vd, aa_ + 2 * ad_ + dd_); }

  detail::Vec a_, d_;
  double rr_ = 0, aa_ = 0, ad_ = 0, dd_ = 0, rest_ = 0;  // products of these; r: the radius
};

// Of a point: the capsule whose difference along the ray is smallest.
struct RayMatch {
  double off_m = no_hit_m;  // measured minus predicted
  int capsule = 0;
};

// surface_m: the distance from the point to the surface of the capsule. The difference along the ray is no
// smaller. Takes the capsule when its difference is smaller than those so far; true: it does.
TRIPTYCH_INLINE_HD bool match_ray(RayMatch& match, double surface_m, double reach_m, double measured_m,
                                  const detail::Vec& view, const HitCapsule& hit, int capsule) {
  const double so_far = std::fabs(match.off_m);
  if (surface_m >= (so_far < reach_m ? so_far : reach_m)) return false;
  const double off = measured_m - hit.entry_m(view);
  if (std::fabs(off) >= so_far) return false;
  match = {off, capsule};
  return true;
}

// Of a residual that is e, with Tukey's weights, which are 0 from `reach` on: e^2 / 2 when it is small.
TRIPTYCH_INLINE_HD double tukey_share(double e, double reach) {
  const double square = e * e / (reach * reach);
  return 1 - (square < 1 ? square : 1.0);
}
TRIPTYCH_INLINE_HD double tukey_cost(double share, double reach) {
  return reach * reach / 6 * (1 - share * share * share);
}
// Of one point: a share `weight` of it is compared, the rest counts as out of reach.
TRIPTYCH_INLINE_HD double point_cost(double share, double reach, double weight, double inverse_variance) {
  const double most = tukey_cost(0, reach);
  return inverse_variance * (most - weight * (most - tukey_cost(share, reach)));
}

// The point of a capsule's axis that is nearest to p.
TRIPTYCH_INLINE_HD detail::Vec foot_of(const detail::Vec& p, const detail::Vec& a, const detail::Vec& d) {
  const double dd = dot(d, d);
  if (!(dd > 0)) return a;
  const double t = dot(p - a, d) / dd;
  return a + (t < 0 ? 0.0 : t > 1 ? 1.0 : t) * d;
}

// Of a point p whose ray hits the capsule from a to a + d, `off_m` in front of it. The hit moves with the
// surface: where that moves along its normal by 1, the hit moves along the ray by 1 / away. Positions are
// about the camera, those of residuals about the root.
TRIPTYCH_INLINE_HD Residual hit_residual(const detail::Vec& p, const detail::Vec& view, double off_m,
                                         const detail::Vec& a, const detail::Vec& d,
                                         const detail::Vec& camera_from_root, double weight) {
  const detail::Vec hit = p - off_m * view;
  const detail::Vec normal = unit_or(hit - foot_of(hit, a, d), -1 * view);
  const double away = dot(normal, view);
  return residual_of(camera_from_root + hit, 1 / (away > -0.2 ? -0.2 : away) * normal, off_m, weight);
}

TRIPTYCH_INLINE_HD detail::Vec unit_of(int axis) {
  return {axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0};
}

// As detail::rotation_about, with the same bits on all machines.
TRIPTYCH_INLINE_HD detail::Rot portable_rotation_about(int axis, float radians) {
  const CosSin of_angle = portable_cos_sin_rad(radians);
  const double c = double{of_angle.cos}, s = double{of_angle.sin};
  if (axis == 0) return {{1, 0, 0, 0, c, -s, 0, s, c}};
  if (axis == 1) return {{c, 0, s, 0, 1, 0, -s, 0, c}};
  return {{c, -s, 0, s, c, 0, 0, 0, 1}};
}

// The velocities of what a rotation moves, about the root.
TRIPTYCH_INLINE_HD Six twist_about(const detail::Vec& direction, const Vec3& joint, const Vec3& root) {
  return six_of(cross(detail::Vec(joint) - detail::Vec(root), direction), direction);
}

// Turns the root of a pose about a vector of the world, by its length up to terms of third order.
TRIPTYCH_INLINE_HD void turn_root(float* pose, const detail::Vec& by) {
  const detail::Vec h = 0.5 * by, v(double{pose[4]}, double{pose[5]}, double{pose[6]});
  const double w = double{pose[3]}, real = w - dot(h, v);
  const detail::Vec imaginary = v + w * h + cross(h, v);
  const double norm = std::sqrt(real * real + dot(imaginary, imaginary));
  if (!(norm > 0)) return;
  const double scale = (real < 0 ? -1.0 : 1.0) / norm;
  pose[3] = static_cast<float>(scale * real);
  pose[4] = static_cast<float>(scale * imaginary.x);
  pose[5] = static_cast<float>(scale * imaginary.y);
  pose[6] = static_cast<float>(scale * imaginary.z);
}

TRIPTYCH_INLINE_HD float moved_angle(float angle, double change, float lower, float upper) {
  const float to = angle + static_cast<float>(change);
  return to < lower ? lower : upper < to ? upper : to;
}

// The settings of SurfaceFit::refine().
inline constexpr double kept_to_rad = 0.3;  // standard deviation of an angle that nothing else is known of
inline constexpr double kept_weight = 1 / (2 * kept_to_rad * kept_to_rad);  // cost per rad^2

// How the damping of Gauss-Newton (Levenberg, Marquardt) follows the costs.
struct Damping {
  static constexpr int max_attempts = 4;
  double value = 1e-3;

  TRIPTYCH_HD void follow(bool improved) { value *= improved ? 0.3 : 8.0; }
  // Further steps gain next to nothing.
  TRIPTYCH_HD static bool is_settled(double before, double after) { return before - after < 1e-4 * before; }
  // What is added to the diagonal of a parameter that no point shows.
  TRIPTYCH_HD static double floor(double mean_inverse_variance) { return 0.01 * mean_inverse_variance; }
};

}  // namespace triptych::capsule_likelihood
