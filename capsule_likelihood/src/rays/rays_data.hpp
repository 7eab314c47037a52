// What Rays holds: the rays by coordinate, along a Hilbert curve, padded to whole ray blocks, and the bounds
// of their tiles.
#pragma once

#include <triptych/capsule_likelihood/rays.hpp>

#include <cstdint>
#include <span>
#include <vector>

#include "rays/rays_math.hpp"

namespace triptych::capsule_likelihood {

// InvalidArgument for a sensor model out of range.
void check_sensor(const SensorModel& sensor);
// InvalidArgument unless sigma_m is empty or has one value above 0 for each point.
void check_sigmas(std::size_t points, std::span<const float> sigma_m);

// Tile bounds by coordinate.
struct Bounds {
  std::vector<float> x, y, radius, nearest_m, farthest_m;

  void resize(std::size_t count) {
    for (auto* column : {&x, &y, &radius, &nearest_m, &farthest_m}) column->resize(count);
  }
  void set(std::size_t i, const TileBound& b) {
    x[i] = b.x;
    y[i] = b.y;
    radius[i] = b.radius;
    nearest_m[i] = b.nearest_m;
    farthest_m[i] = b.farthest_m;
  }
  TileBound operator[](std::size_t i) const { return {x[i], y[i], radius[i], nearest_m[i], farthest_m[i]}; }
};

struct Rays::Data {
  SensorModel sensor;
  PointCount count;
  bool weighted = false;
  std::uint64_t max_gain = 0;  // of all points together
  std::vector<float> x, y, g, h, vv, inverse_vv;
  std::vector<std::uint32_t> weight;  // only when weighted
  Bounds sub_tiles, ray_blocks;       // ray_blocks: padded with empty ones to a multiple of 32

  std::int64_t ray_block_count() const { return static_cast<std::int64_t>(x.size()) / rays_per_ray_block; }
  Ray ray(std::int64_t i) const {
    const auto k = static_cast<std::size_t>(i);
    return {x[k], y[k], g[k], h[k]};
  }
};

}  // namespace triptych::capsule_likelihood
