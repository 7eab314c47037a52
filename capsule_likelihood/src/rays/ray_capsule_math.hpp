// Where a ray from the camera hits a capsule: the capsule prepared once for a camera, and the test of one
// ray, with the same bits on host and device. Compile without contraction: see exact_math.hpp.
//
// The camera is the origin, a ray is t (x, y, 1). c is the unit axis, m the unit direction from the camera to
// the foot of the perpendicular on the axis, at distance mu, and e = c x m. With s = c.v, n = m.v, e = e.v:
//   q = n^2 - (mu^2 - r^2) / r^2 e^2        the ray hits the infinite cylinder when it is above 0
//   t = (mu^2 - r^2) / (mu n + r sqrt q)    where it enters it: no cancellation
//   y = t s                                 where that is along the axis: between the ends, it is the hit
// and beyond an end only the ball around that end can be entered, at distance y = yc along the axis:
//   qc = r^2 v^2 - e^2 (mu^2 + yc^2) - (yc n - mu s)^2,   t = (mu n + yc s - sqrt qc) / v^2.
// A miss is NaN, which a minimum drops.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>
#include <triptych/capsule_likelihood/rays.hpp>

#include "geometry/exact_math.hpp"
#include "geometry/limits.hpp"

namespace triptych::capsule_likelihood {

// Capsules reach no farther than this from the origin, and thinner ones are hit by no ray.
constexpr float largest_m = max_position_m;
constexpr float thinnest_m = 0x1p-13f;  // 0.12 mm: keeps qc clear of numbers that are not normal

// Finite, within largest_m, radius not negative.
TRIPTYCH_EXACT_HD bool is_valid(const Capsule& c) {
  const auto fits = [](float x) { return x >= -largest_m && x <= largest_m; };
  return fits(c.a.x) && fits(c.a.y) && fits(c.a.z) && fits(c.b.x) && fits(c.b.y) && fits(c.b.z) &&
         c.radius_m >= 0 && c.radius_m <= largest_m;
}

// Sixteen floats. r2 < 0 marks a capsule that reaches behind the camera's plane or contains the camera
// (is_near); a half_length with its sign bit set, that the camera is inside it and the exit counts.
struct alignas(16) PreparedCapsule {
  float cx, cy, cz, mx;
  float my, mz, ex, ey;
  float ez, k1, mr, kr;               // (mu^2 - r^2) / r^2, mu / r, (mu^2 - r^2) / r
  float middle, half_length, mu, r2;  // along the axis, from the foot
};
static_assert(sizeof(PreparedCapsule) == 64);

TRIPTYCH_EXACT_HD bool is_near(const PreparedCapsule& p) { return p.r2 < 0; }

// Met by no ray.
TRIPTYCH_EXACT_HD PreparedCapsule never_hit() {
  return {1, 0, 0, 0, 1, 0, 0, 0, 1, exact::no_number, 0, 0, 0, 0, 0, 1};
}
TRIPTYCH_EXACT_HD bool is_never_hit(const PreparedCapsule& p) { return !(p.k1 == p.k1); }

// For a capsule that is_valid. In double: what is left of rounding is that of the sixteen floats. a and b may
// be exchanged without changing a bit of the hits.
TRIPTYCH_EXACT_HD PreparedCapsule prepare(const Capsule& capsule, const Vec3& camera, CameraInside policy) {
  using exact::dot;
  const double ax = double{capsule.a.x} - double{camera.x}, bx = double{capsule.b.x} - double{camera.x};
  const double ay = double{capsule.a.y} - double{camera.y}, by = double{capsule.b.y} - double{camera.y};
  const double az = double{capsule.a.z} - double{camera.z}, bz = double{capsule.b.z} - double{camera.z};
  const double r = double{capsule.radius_m};
  const double nearest_z = (az < bz ? az : bz) - r, farthest_z = (az < bz ? bz : az) + r;
  if (r < double{thinnest_m} || farthest_z <= 0) return never_hit();

  const double hx = 0.5 * (bx - ax), hy = 0.5 * (by - ay), hz = 0.5 * (bz - az);
  const double px = 0.5 * (ax + bx), py = 0.5 * (ay + by), pz = 0.5 * (az + bz);  // the middle
  const double half_length = exact::any_root(dot(hx, hy, hz, hx, hy, hz));
  double cx = 1, cy = 0, cz = 0;
  if (half_length > 0) {
    const double inverse = 1.0 / half_length;
    cx = hx * inverse;
    cy = hy * inverse;
    cz = hz * inverse;
  }
  const double middle = dot(cx, cy, cz, px, py, pz);
  double mx = exact::fused(-middle, cx, px), my = exact::fused(-middle, cy, py),
         mz = exact::fused(-middle, cz, pz);
  double mu = exact::any_root(dot(mx, my, mz, mx, my, mz));
  const double far2 = dot(px, py, pz, px, py, pz);
  if (mu * mu > 1e-16 * far2) {
    const double inverse = 1.0 / mu;
    mx *= inverse;
    my *= inverse;
    mz *= inverse;
  } else {  // the axis goes through the camera: any perpendicular will do
    const double fx = cx < 0 ? -cx : cx, fy = cy < 0 ? -cy : cy, fz = cz < 0 ? -cz : cz;
    const int least = fx <= fy && fx <= fz ? 0 : fy <= fz ? 1 : 2;
    const double along = least == 0 ? cx : least == 1 ? cy : cz;
    mx = exact::fused(-along, cx, least == 0 ? 1.0 : 0.0);
    my = exact::fused(-along, cy, least == 1 ? 1.0 : 0.0);
    mz = exact::fused(-along, cz, least == 2 ? 1.0 : 0.0);
    const double inverse = 1.0 / exact::any_root(dot(mx, my, mz, mx, my, mz));
    mx *= inverse;
    my *= inverse;
    mz *= inverse;
    mu = 0;
  }
  const double ex = exact::fused(cy, mz, -(cz * my)), ey = exact::fused(cz, mx, -(cx * mz)),
               ez = exact::fused(cx, my, -(cy * mx));
  const double rest = (mu - r) * (mu + r);
  const double inverse_r = 1.0 / r;

  const double beyond = (middle < 0 ? -middle : middle) - half_length;  // of the camera, along the axis
  const double gap2 = exact::fused(mu, mu, beyond > 0 ? beyond * beyond : 0.0);
  const bool inside = gap2 <= r * r;
  if (inside && policy == CameraInside::ignore) return never_hit();
  const double reach = exact::any_root(far2) + half_length + r;
  const bool in_front = nearest_z > 1e-4 + 1e-4 * reach;
  const float kept_half = static_cast<float>(half_length), r2 = static_cast<float>(r * r);
  return {static_cast<float>(cx),
          static_cast<float>(cy),
          static_cast<float>(cz),
          static_cast<float>(mx),
          static_cast<float>(my),
          static_cast<float>(mz),
          static_cast<float>(ex),
          static_cast<float>(ey),
          static_cast<float>(ez),
          static_cast<float>(rest * inverse_r * inverse_r),
          static_cast<float>(mu * inverse_r),
          static_cast<float>(rest * inverse_r),
          static_cast<float>(middle),
          inside ? -kept_half : kept_half,
          static_cast<float>(mu),
          in_front ? r2 : -r2};
}

// A ray (x, y, 1) with its squared length and the reciprocal of that.
struct RayDirection {
  float x, y, vv, inverse_vv;
};
TRIPTYCH_EXACT_HD RayDirection ray_direction(float x, float y) {
  const float vv = exact::fused(x, x, exact::fused(y, y, 1.0f));
  return {x, y, vv, exact::reciprocal(vv)};
}

// Added to n^2: keeps q either not above 0 or at least 2^-98, where root() rounds correctly, and a ray along
// an axis through the camera from dividing by 0.
constexpr float min_n2 = 0x1p-50f;

// A ray in the frame of a capsule in front of the camera; q is above 0 when it crosses the endless cylinder.
struct Aim {
  float s, n, e2, q;
};
TRIPTYCH_EXACT_HD Aim aim_at(const RayDirection& v, const PreparedCapsule& p) {
  using exact::fused;
  Aim aim;
  aim.s = fused(p.cx, v.x, fused(p.cy, v.y, p.cz));
  aim.n = fused(p.mx, v.x, fused(p.my, v.y, p.mz));
  const float e = fused(p.ex, v.x, fused(p.ey, v.y, p.ez));
  aim.e2 = e * e;
  aim.q = fused(-p.k1, aim.e2, fused(aim.n, aim.n, min_n2));
  return aim;
}

struct CylinderHit {
  float t;       // NaN: the ray misses the endless cylinder
  float beyond;  // y - middle: a hit of the capsule when it is at most the half length
};
TRIPTYCH_EXACT_HD CylinderHit intersect_cylinder(const PreparedCapsule& p, const Aim& aim) {
  CylinderHit hit;
  hit.t = p.kr * exact::reciprocal(exact::fused(p.mr, aim.n, exact::root(aim.q)));
  hit.beyond = exact::fused(hit.t, aim.s, -p.middle);
  return hit;
}
TRIPTYCH_EXACT_HD bool is_beyond_end(const PreparedCapsule& p, const CylinderHit& hit) {
  return fabsf(hit.beyond) > p.half_length;
}
// The ball around the end that lies on the side of hit.beyond.
TRIPTYCH_EXACT_HD float intersect_end(const RayDirection& v, const PreparedCapsule& p, const Aim& aim,
                                      const CylinderHit& hit) {
  using exact::fused;
  const float yc = p.middle + copysignf(p.half_length, hit.beyond);
  const float z = fused(yc, aim.n, -(p.mu * aim.s));
  const float from = fused(-aim.e2, fused(yc, yc, p.mu * p.mu), p.r2 * v.vv);
  const float along = fused(yc, aim.s, p.mu * aim.n);
  return (along - exact::root(fused(-z, z, from))) * v.inverse_vv;
}

// A capsule that is_near: hits behind the camera are none, and from the inside the exit is hit, which is
// minus where the opposite ray would enter.
TRIPTYCH_INLINE_HD float intersect_near(const RayDirection& v, const PreparedCapsule& p) {
  using exact::fused;
  const bool inside = exact::bits_of(p.half_length) < 0;
  const float half_length = fabsf(p.half_length), r2 = -p.r2;
  float s = fused(p.cx, v.x, fused(p.cy, v.y, p.cz));
  float n = fused(p.mx, v.x, fused(p.my, v.y, p.mz));
  if (inside) {
    s = -s;
    n = -n;
  }
  const float e = fused(p.ex, v.x, fused(p.ey, v.y, p.ez));
  const float e2 = e * e;
  const float q = fused(-p.k1, e2, fused(n, n, min_n2));
  if (!(q > 0)) return exact::no_number;
  // The root of a quadratic in the one of its two forms in which nothing cancels.
  const float qr = exact::any_root(q);
  float t = n < 0 ? exact::any_quotient(exact::any_root(r2) * fused(p.mr, n, -qr), fused(n, n, e2))
                  : exact::any_quotient(p.kr, fused(p.mr, n, qr));
  const float beyond = fused(t, s, -p.middle);
  if (!(fabsf(beyond) <= half_length)) {
    const float yc = p.middle + (beyond < 0 ? -half_length : half_length);
    const float z = fused(yc, n, -(p.mu * s));
    const float from = fused(-e2, fused(yc, yc, p.mu * p.mu), r2 * v.vv);
    const float qc = fused(-z, z, from);
    if (!(qc >= 0)) return exact::no_number;
    t = exact::any_quotient(fused(yc, s, p.mu * n) - exact::any_root(qc), v.vv);
  }
  if (inside) t = -t;
  return t > 0 ? t : exact::no_number;
}

// The smallest t at which the ray t (x, y, 1) hits the capsule; NaN when it does not.
TRIPTYCH_INLINE_HD float intersect(const RayDirection& v, const PreparedCapsule& p) {
  if (is_near(p)) return intersect_near(v, p);
  const Aim aim = aim_at(v, p);
  const CylinderHit hit = intersect_cylinder(p, aim);
  return is_beyond_end(p, hit) ? intersect_end(v, p, aim, hit) : hit.t;
}

}  // namespace triptych::capsule_likelihood
