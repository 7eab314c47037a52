// The range of positions.
#pragma once

namespace triptych::capsule_likelihood {

// Of a coordinate, a radius, sigma or tau: 1000 km. Within it squares and sums keep clear of a float's ends.
constexpr float max_position_m = 1e6f;

}  // namespace triptych::capsule_likelihood
