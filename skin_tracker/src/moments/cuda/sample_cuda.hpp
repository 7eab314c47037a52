// A subsampled map of weights from a frame on the GPU.
#pragma once

#include <triptych/core/stream.hpp>
#include <triptych/skin_tracker/filter.hpp>
#include <triptych/skin_tracker/frame.hpp>

#include <cstdint>

#include "colour/cell_weights.hpp"

namespace triptych::skin_tracker {

// As sample_cpu, with the same bits: width / step by height / step weights, written in
// the order of the stream. The cells are on the GPU.
void sample_cuda(const DeviceFrame& frame, const PixelBox& region, int step, const FixedFilter& filter,
                 std::uint16_t* samples_on_device, StreamRef stream);
void sample_cuda(const DeviceFrame& frame, const PixelBox& region, int step, const CellWeights& weights,
                 std::uint16_t* samples_on_device, StreamRef stream);

}  // namespace triptych::skin_tracker
