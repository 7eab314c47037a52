// What DeviceRays holds: the rays along a Hilbert curve, padded to whole macros, the bounds of their tiles,
// and what was counted, all in device memory.
#pragma once

#include <triptych/capsule_likelihood/rays.hpp>
#include <triptych/core/buffer.hpp>

#include <cstdint>

#include "rays/rays_math.hpp"

namespace triptych::capsule_likelihood {

struct PointTotals {
  unsigned long long used, not_finite, not_in_front;
  unsigned long long max_gain;  // of all points together
};

struct DeviceRays::Data {
  Data(std::int64_t max_points, const Measure& measure);

  Measure measure;
  std::int64_t max_points;
  std::int64_t points = 0;  // as many as were last set, dropped ones among them
  bool weighted = false;
  DeviceBuffer<Ray> rays;
  DeviceBuffer<std::uint32_t> weight;
  DeviceBuffer<TileBound> parts, macros;
  DeviceBuffer<PointTotals> totals;

  std::int64_t macro_count() const { return (points + macro_rays - 1) / macro_rays; }
};

}  // namespace triptych::capsule_likelihood
