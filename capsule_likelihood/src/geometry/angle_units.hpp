// Degrees of files and of people, radians of poses.
#pragma once

#include <numbers>

namespace triptych::capsule_likelihood {

inline constexpr double rad_per_degree = std::numbers::pi / 180;
inline constexpr double degrees_per_rad = 180 / std::numbers::pi;

}  // namespace triptych::capsule_likelihood
