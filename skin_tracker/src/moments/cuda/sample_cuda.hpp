// A thinned-out map of weights from a frame on the GPU.
#pragma once

#include <triptych/core/span.hpp>
#include <triptych/core/stream.hpp>
#include <triptych/skin_tracker/filter.hpp>
#include <triptych/skin_tracker/frame.hpp>

#include <cstdint>

namespace triptych::skin_tracker {

// As sample_cpu, with the same bits: width / step by height / step weights, which the stream writes when it
// comes that far.
void sample_cuda(const DeviceFrame& frame, const Region& region, int step, const LinearFilter& filter,
                 std::uint16_t* weights_on_device, StreamRef stream);
void sample_cuda(const DeviceFrame& frame, const Region& region, int step,
                 DeviceSpan<const std::uint16_t> table, std::uint16_t* weights_on_device, StreamRef stream);

}  // namespace triptych::skin_tracker
