// Where the head is in one colour frame: the fuzzy skin centroid, area and second moments.
//
// locate_cpu, locate_cuda and every split of a frame between them return the same bits (integer sums).
#pragma once

#include <triptych/core/span.hpp>
#include <triptych/core/stream.hpp>
#include <triptych/core/workspace.hpp>
#include <triptych/reduction/strategy.hpp>
#include <triptych/skin_tracker/filter.hpp>
#include <triptych/skin_tracker/frame.hpp>
#include <triptych/skin_tracker/head.hpp>
#include <triptych/skin_tracker/weight_table.hpp>

#include <span>

namespace triptych::skin_tracker {

// The sums over the region's pixels, places counted from the middle of the whole frame. threads 0: all cores.
// InvalidArgument when the region is not inside the frame.
Sums sum_cpu(const Frame& frame, const Region& region, const LinearFilter& filter, int threads = 0);
// By a table of 16-bit weights instead of a filter: any classifier at the same cost. Frames of yuv formats
// are converted pixel by pixel (BT.601, clamped).
Sums sum_cpu(const Frame& frame, const Region& region, const WeightTable<std::uint16_t>& table,
             int threads = 0);

Head locate_cpu(const Frame& frame, const LinearFilter& filter, int threads = 0);
Head locate_cpu(const Frame& frame, const WeightTable<std::uint16_t>& table, int threads = 0);

// The same on the GPU: enqueues and returns; *sums_on_device is valid once the stream has come that far. No
// synchronisation, no allocation once the workspace is large enough; can be captured in a graph.
void sum_cuda(const DeviceFrame& frame, const Region& region, const LinearFilter& filter,
              Sums* sums_on_device, const reduction::Options& options, Workspace& workspace,
              StreamRef stream);
void sum_cuda(const DeviceFrame& frame, const Region& region, DeviceSpan<const std::uint16_t> table,
              Sums* sums_on_device, const reduction::Options& options, Workspace& workspace,
              StreamRef stream);

// Frames of one size, format and pitch, 192 in one launch: sums_on_device[i] belongs to frames[i].
void sum_batch_cuda(std::span<const DeviceFrame> frames, const LinearFilter& filter, Sums* sums_on_device,
                    Workspace& workspace, StreamRef stream);

}  // namespace triptych::skin_tracker
