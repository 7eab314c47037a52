// What DeviceRays holds: the rays along a Hilbert curve, padded to whole ray blocks, the bounds of their
// tiles, and what was counted, all in device memory.
#pragma once

#include <triptych/capsule_likelihood/rays.hpp>
#include <triptych/core/buffer.hpp>

#include <cstdint>

#include "rays/rays_math.hpp"

namespace triptych::capsule_likelihood {

struct PointTotals {
  unsigned long long used, not_finite, not_in_front;
  unsigned long long max_gain;  // of all points together

  PointCount count() const {
    return {static_cast<std::int64_t>(used), static_cast<std::int64_t>(not_finite),
            static_cast<std::int64_t>(not_in_front)};
  }
};

struct DeviceRays::Data {
  Data(std::int64_t max_points, const SensorModel& sensor);

  SensorModel sensor;
  std::int64_t max_points;
  std::int64_t points = 0;  // the number last set, with dropped points
  bool weighted = false;
  DeviceBuffer<Ray> rays;
  DeviceBuffer<std::uint32_t> weight;
  DeviceBuffer<TileBound> sub_tiles, ray_blocks;
  DeviceBuffer<PointTotals> totals;

  PointTotals read_totals(StreamRef stream) const;  // waits for the stream
  std::int64_t ray_block_count() const { return (points + rays_per_ray_block - 1) / rays_per_ray_block; }
};

}  // namespace triptych::capsule_likelihood
