// The maths of RigidTransform on host and device.
#pragma once

#include <triptych/capsule_likelihood/rigid_transform.hpp>

#include "geometry/exact_math.hpp"

namespace triptych::capsule_likelihood {

TRIPTYCH_EXACT_HD Vec3 transformed(const RigidTransform& t, const Vec3& p) {
  const double x = double{p.x}, y = double{p.y}, z = double{p.z};
  const auto row = [&](int i, float origin) {
    const float* const r = &t.rotation[0] + 3 * i;
    return static_cast<float>(exact::dot(double{r[0]}, double{r[1]}, double{r[2]}, x, y, z) + double{origin});
  };
  return {row(0, t.translation_m.x), row(1, t.translation_m.y), row(2, t.translation_m.z)};
}

TRIPTYCH_EXACT_HD Capsule transformed(const RigidTransform& t, const Capsule& c) {
  return {transformed(t, c.a), c.radius_m, transformed(t, c.b)};
}

}  // namespace triptych::capsule_likelihood
