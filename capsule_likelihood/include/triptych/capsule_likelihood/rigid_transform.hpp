// RigidTransform: where a camera stands. Names read b_from_a: b = rotation a + translation.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>

#include <array>

namespace triptych::capsule_likelihood {

struct RigidTransform {
  std::array<float, 9> rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1};  // row by row
  Vec3 translation_m;
  friend bool operator==(const RigidTransform&, const RigidTransform&) = default;
};

// The same bits on all devices.
Vec3 transform(const RigidTransform& b_from_a, const Vec3& a);
// a_from_b.
RigidTransform inverse(const RigidTransform& b_from_a);
// InvalidArgument, which begins with what, unless the rotation's rows are of length 1 and at right angles (to
// 0.001) and the translation is finite and within 1000 km. A mirrored frame is allowed.
void check_transform(const RigidTransform& transform, const char* what);

}  // namespace triptych::capsule_likelihood
