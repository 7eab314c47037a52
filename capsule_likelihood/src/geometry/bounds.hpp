// The box about a body, parallel to the axes.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>

#include <algorithm>
#include <limits>
#include <span>

namespace triptych::capsule_likelihood {

// From the lowest to the highest of some spheres along an axis.
struct Interval {
  double low = std::numeric_limits<double>::infinity(), high = -low;

  void add(float centre, float radius) {
    low = std::min(low, double{centre} - double{radius});
    high = std::max(high, double{centre} + double{radius});
  }
  double middle() const { return (low + high) / 2; }
  double length() const { return high - low; }
  // Within `reach` of it; false for NaN.
  bool is_near(float value, double reach) const {
    return double{value} >= low - reach && double{value} <= high + reach;
  }
};

struct Bounds3 {
  Interval x, y, z;

  bool is_near(const Vec3& p, double reach) const {
    return x.is_near(p.x, reach) && y.is_near(p.y, reach) && z.is_near(p.z, reach);
  }
};

inline Bounds3 bounds_of(std::span<const Capsule> body) {
  Bounds3 bounds;
  for (const Capsule& c : body) {
    for (const Vec3& end : {c.a, c.b}) {
      bounds.x.add(end.x, c.radius_m);
      bounds.y.add(end.y, c.radius_m);
      bounds.z.add(end.z, c.radius_m);
    }
  }
  return bounds;
}

}  // namespace triptych::capsule_likelihood
