// A subsampled map of weights, which the gate of a tracker searches.
#pragma once

#include <triptych/skin_tracker/filter.hpp>
#include <triptych/skin_tracker/frame.hpp>

#include <cstdint>
#include <span>

#include "colour/cell_weights.hpp"

namespace triptych::skin_tracker {

// The weight of the middle pixel, (step / 2, step / 2), of each step x step tile of the region: width / step
// by height / step weights, row by row. The filter must be fixed for the frame's channels. InvalidArgument
// when the region is not inside the frame, step < 1, or samples has another size.
void sample_cpu(const Frame& frame, const PixelBox& region, int step, const FixedFilter& filter,
                std::span<std::uint16_t> samples);
void sample_cpu(const Frame& frame, const PixelBox& region, int step, const CellWeights& weights,
                std::span<std::uint16_t> samples);

}  // namespace triptych::skin_tracker
