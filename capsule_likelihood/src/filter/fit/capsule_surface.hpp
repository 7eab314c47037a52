// The distance from points to the surface of a capsule, in floats: the same bits on host and device.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>
#include <triptych/core/host_device.hpp>

#include <cmath>

#include "body/rotation.hpp"

namespace triptych::capsule_likelihood {

// A capsule from a to a + d.
struct CapsuleSurface {
  CapsuleSurface() = default;
  TRIPTYCH_HD CapsuleSurface(const detail::Vec& a, const detail::Vec& d, float radius)
      : from(a.to_float()), axis(d.to_float()), radius_m(radius) {
    const float dd = axis.x * axis.x + axis.y * axis.y + axis.z * axis.z;
    inverse = dd > 0 ? 1 / dd : 0.0f;
  }

  // The square of the distance from a point to the axis.
  TRIPTYCH_HD float square_to_axis(float x, float y, float z) const {
    const float px = x - from.x, py = y - from.y, pz = z - from.z;
    const float along = (px * axis.x + py * axis.y + pz * axis.z) * inverse;
    const float t = 0.5f * (std::fabs(along) - std::fabs(along - 1) + 1);  // along, clamped to 0 .. 1
    const float qx = px - t * axis.x, qy = py - t * axis.y, qz = pz - t * axis.z;
    return qx * qx + qy * qy + qz * qz;
  }
  // Whether a point at that distance may be nearer to the surface than its bound. Allows for rounding.
  TRIPTYCH_HD bool may_be_near(float square, float bound_m) const {
    constexpr float more = 1.00001f, less = 0.99999f;
    const float outer = more * (radius_m + bound_m), inner = less * (radius_m - bound_m);
    const bool is_far = square >= outer * outer, is_deep = (square <= inner * inner) & (inner > 0);
    return !is_far & !is_deep;
  }

  Vec3 from, axis;
  float radius_m = 0, inverse = 0;
};

}  // namespace triptych::capsule_likelihood
