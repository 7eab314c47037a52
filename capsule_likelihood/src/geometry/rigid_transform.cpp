#include <triptych/capsule_likelihood/rigid_transform.hpp>
#include <triptych/core/error.hpp>

#include <cmath>

#include "geometry/limits.hpp"
#include "geometry/rigid_transform_math.hpp"

namespace triptych::capsule_likelihood {

Vec3 transform(const RigidTransform& b_from_a, const Vec3& a) { return transformed(b_from_a, a); }

RigidTransform inverse(const RigidTransform& b_from_a) {
  RigidTransform inverted;
  const auto& r = b_from_a.rotation;
  inverted.rotation = {r[0], r[3], r[6], r[1], r[4], r[7], r[2], r[5], r[8]};
  const Vec3 moved = transformed(inverted, b_from_a.translation_m);
  inverted.translation_m = {-moved.x, -moved.y, -moved.z};
  return inverted;
}

void check_transform(const RigidTransform& transform, const char* what) {
  const auto& r = transform.rotation;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double product = 0;
      for (std::size_t k = 0; k < 3; ++k) product += double{r[3 * i + k]} * double{r[3 * j + k]};
      require(std::abs(product - (i == j ? 1 : 0)) <= 1e-3, what,
              ": the rotation's rows must have length 1 and stand at right angles");
    }
  }
  const Vec3& t = transform.translation_m;
  for (const float x : {t.x, t.y, t.z})
    require(std::abs(x) <= max_position_m, what, ": the translation must be within ", max_position_m,
            " m along each axis, not ", x);
}

}  // namespace triptych::capsule_likelihood
