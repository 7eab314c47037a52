// Adds a point to a cloud.
#pragma once

#include <triptych/capsule_likelihood/cloud.hpp>

#include <algorithm>
#include <cmath>

namespace triptych::capsule_likelihood::detail {

// Or counts it as dropped, when it is not finite or too far. Metres.
inline void add_point(Cloud& cloud, double x, double y, double z) {
  const double farthest = std::max({std::abs(x), std::abs(y), std::abs(z)});
  if (farthest <= double{max_coordinate_m} && !std::isnan(x) && !std::isnan(y) && !std::isnan(z)) {
    cloud.points.push_back({static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)});
    return;
  }
  ++cloud.dropped;
  if (std::isfinite(x) && std::isfinite(y) && std::isfinite(z)) ++cloud.too_far;
}

}  // namespace triptych::capsule_likelihood::detail
