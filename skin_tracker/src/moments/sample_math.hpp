// The weight of one pixel, for samples: by a filter that was fixed for the format's channels, or by the cell
// of its colour. Host and device.
#pragma once

#include <triptych/core/host_device.hpp>
#include <triptych/skin_tracker/filter.hpp>

#include <cstdint>

#include "colour/cell_weights.hpp"
#include "frame/pixel_math.hpp"

namespace triptych::skin_tracker {

template <FrameFormat format>
TRIPTYCH_INLINE_HD std::uint16_t sample_of(const FixedFilter& filter, const PixelBytes& p) {
  return static_cast<std::uint16_t>(filter.weight(p.v0, p.v1, p.v2));
}
template <FrameFormat format>
TRIPTYCH_INLINE_HD std::uint16_t sample_of(const CellWeights& weights, const PixelBytes& p) {
  return weights[colour_of<format>(p)];
}

}  // namespace triptych::skin_tracker
