// Where a ray hits a capsule, in long double, by bisection on the distance to the segment: shares neither
// code nor formulas with the library.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>

#include <algorithm>
#include <cmath>

namespace triptych::test {

using capsule_likelihood::Capsule;
using capsule_likelihood::Vec3;

struct LongVec {
  long double x = 0, y = 0, z = 0;
};
inline LongVec to_long(const Vec3& v) { return {v.x, v.y, v.z}; }
inline LongVec operator-(const LongVec& a, const LongVec& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline LongVec operator+(const LongVec& a, const LongVec& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline LongVec operator*(long double s, const LongVec& a) { return {s * a.x, s * a.y, s * a.z}; }
inline long double dot(const LongVec& a, const LongVec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline long double length(const LongVec& a) { return std::sqrt(dot(a, a)); }

inline long double distance_to_segment(const LongVec& p, const LongVec& a, const LongVec& b) {
  const LongVec ab = b - a;
  const long double ll = dot(ab, ab);
  const long double along = ll > 0 ? std::clamp(dot(p - a, ab) / ll, 0.0L, 1.0L) : 0.0L;
  return length(p - (a + along * ab));
}

struct OracleHit {
  bool hit = false;     // in front of the camera
  bool inside = false;  // the camera is in the capsule: t is the exit
  long double t = 0;    // the hit is camera + t v
  // How far the decision is from the other one: the least distance of the ray from the axis against the
  // radius.
  long double margin = 0;
};

// The distance from the segment is convex along a line: first its minimum, then the crossing before it.
inline OracleHit intersect_by_bisection(const LongVec& camera, const LongVec& v, const Capsule& capsule) {
  const LongVec a = to_long(capsule.a), b = to_long(capsule.b);
  const long double r = capsule.radius_m;
  const auto gap = [&](long double t) { return distance_to_segment(camera + t * v, a, b) - r; };
  const long double far = (length(a - camera) + length(b - camera) + 2 * r + 1) / length(v);
  long double low = 0, high = far;
  for (int step = 0; step < 120 && high - low > 1e-17L * far; ++step) {
    const long double first = low + 0.382L * (high - low), second = low + 0.618L * (high - low);
    if (gap(first) < gap(second)) {
      high = second;
    } else {
      low = first;
    }
  }
  const long double nearest = 0.5L * (low + high);
  OracleHit result;
  result.inside = gap(0) <= 0;
  result.margin = std::min(gap(nearest), gap(0));
  result.hit = result.margin <= 0;
  result.margin = std::fabs(result.margin);
  if (!result.hit) return result;
  low = result.inside ? nearest : 0;
  high = result.inside ? far : nearest;
  for (int step = 0; step < 80; ++step) {
    const long double middle = 0.5L * (low + high);
    ((gap(middle) > 0) == result.inside ? high : low) = middle;
  }
  result.t = 0.5L * (low + high);
  return result;
}

}  // namespace triptych::test
