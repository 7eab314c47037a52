// The paper's measurement of one point and one capsule, in floats: three quadratic equations, a quotient and
// a root for each. The same on host and device: roots and quotients of IEEE 754, nothing fused
// (-ffp-contract=off, --fmad=false).
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>

#include <algorithm>
#include <cmath>

#include "geometry/exact_math.hpp"

namespace triptych::capsule_likelihood::paper {

TRIPTYCH_EXACT_HD Vec3 minus(const Vec3& a, const Vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
TRIPTYCH_EXACT_HD Vec3 plus_times(const Vec3& a, float s, const Vec3& b) {
  return {a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
TRIPTYCH_EXACT_HD float dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// The smallest positive root of A t^2 + 2 B t + C, or nothing (a negative number).
TRIPTYCH_EXACT_HD float smallest_positive_root(float a, float b, float c) {
  const float discriminant = b * b - a * c;
  if (discriminant < 0 || a == 0) return -1;
  const float root = std::sqrt(discriminant);
  const float first = (-b - root) / a;
  return first > 0 ? first : (-b + root) / a;
}

// |D - d| for the point x seen from p, or max_distance: equations 6 to 12.
TRIPTYCH_EXACT_HD float measurement(const Vec3& x, const Vec3& p, float r, const Vec3& a, const Vec3& b,
                                    float max_distance) {
  const Vec3 ray = minus(x, p);
  const float length = std::sqrt(dot(ray, ray));
  const Vec3 v{ray.x / length, ray.y / length, ray.z / length};
  const Vec3 ab = minus(b, a), pa = minus(p, a), pb = minus(p, b);
  const float bone = std::sqrt(dot(ab, ab));
  float hit = -1;
  bool on_cylinder = false;
  if (bone > 0) {
    const Vec3 c{ab.x / bone, ab.y / bone, ab.z / bone};
    const Vec3 v_across = plus_times(v, -dot(v, c), c), p_across = plus_times(pa, -dot(pa, c), c);
    const float t = smallest_positive_root(dot(v_across, v_across), dot(v_across, p_across),
                                           dot(p_across, p_across) - r * r);
    const float along = dot(plus_times(pa, t, v), c);
    on_cylinder = t > 0 && along >= 0 && along <= bone;
    if (on_cylinder) hit = t;
  }
  if (!on_cylinder) {
    const float at_a = smallest_positive_root(1, dot(v, pa), dot(pa, pa) - r * r);
    const float at_b = smallest_positive_root(1, dot(v, pb), dot(pb, pb) - r * r);
    hit = at_a > 0 && at_b > 0 ? std::min(at_a, at_b) : std::max(at_a, at_b);
  }
  return hit > 0 ? std::min(std::fabs(hit - length), max_distance) : max_distance;
}

}  // namespace triptych::capsule_likelihood::paper
