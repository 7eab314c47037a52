// The range of positions.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>

#include <cmath>

namespace triptych::capsule_likelihood {

// Of a coordinate, a radius, sigma or tau: 1000 km. Within it squares and sums keep clear of a float's ends.
constexpr float max_position_m = 1e6f;

inline bool is_finite(const Vec3& p) {
  return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z);
}

}  // namespace triptych::capsule_likelihood
