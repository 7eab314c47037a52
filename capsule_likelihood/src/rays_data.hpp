// What Rays holds: the rays by coordinate, in Morton order, padded to whole macros, and the bounds of their
// tiles.
#pragma once

#include <triptych/capsule_likelihood/rays.hpp>

#include <cstdint>
#include <vector>

#include "rays_math.hpp"

namespace triptych::capsule_likelihood {

// InvalidArgument for a measure that makes no sense.
void check_measure(const Measure& measure);

struct Rays::Data {
  Measure measure;
  PointCount count;
  bool weighted = false;
  std::uint64_t most_gain = 0;  // of all points together
  std::vector<float> x, y, g, h, vv, inverse_vv;
  std::vector<std::uint32_t> weight;  // only when weighted
  std::vector<TileBound> parts, macros;

  Ray ray(std::int64_t i) const {
    const auto k = static_cast<std::size_t>(i);
    return {x[k], y[k], g[k], h[k]};
  }
};

}  // namespace triptych::capsule_likelihood
