// The moments of the skin weights in a colour frame: total weight, centroid and second moments, from which
// the head follows.
//
// moments_cpu, moments_cuda, the batches, and every split of a frame between CPU and GPU return the same bits
// (integer sums).
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

// The moments of the region's pixels, about the middle of the whole frame. threads 0: all cores.
// InvalidArgument when the region is not inside the frame.
Moments moments_cpu(const Frame& frame, const PixelBox& region, const LinearFilter& filter, int threads = 0);
// By a table of 16-bit weights instead of a filter: any classifier at the same cost. Frames of yuv formats
// are converted pixel by pixel (BT.601, clamped).
Moments moments_cpu(const Frame& frame, const PixelBox& region, const WeightTable<std::uint16_t>& table,
                    int threads = 0);

// The head in a whole frame.
Head locate_cpu(const Frame& frame, const LinearFilter& filter, int threads = 0);
Head locate_cpu(const Frame& frame, const WeightTable<std::uint16_t>& table, int threads = 0);

// The same on the GPU: enqueues and returns; *moments_on_device is valid when the stream has finished the
// call. No synchronisation, no allocation once the workspace is large enough; can be captured in a graph.
void moments_cuda(const DeviceFrame& frame, const PixelBox& region, const LinearFilter& filter,
                  Moments* moments_on_device, const reduction::Options& options, Workspace& workspace,
                  StreamRef stream);
void moments_cuda(const DeviceFrame& frame, const PixelBox& region, DeviceSpan<const std::uint16_t> table,
                  Moments* moments_on_device, const reduction::Options& options, Workspace& workspace,
                  StreamRef stream);

// Several whole frames, such as those of several cameras: moments[i] belongs to frames[i]. InvalidArgument
// unless there are as many moments as frames.
void moments_batch_cpu(std::span<const Frame> frames, const LinearFilter& filter, std::span<Moments> moments,
                       int threads = 0);
void moments_batch_cpu(std::span<const Frame> frames, const WeightTable<std::uint16_t>& table,
                       std::span<Moments> moments, int threads = 0);
// On the GPU 192 frames in one launch; otherwise as moments_cuda. The frames must have one size, format and
// pitch.
void moments_batch_cuda(std::span<const DeviceFrame> frames, const LinearFilter& filter,
                        Moments* moments_on_device, Workspace& workspace, StreamRef stream);
void moments_batch_cuda(std::span<const DeviceFrame> frames, DeviceSpan<const std::uint16_t> table,
                        Moments* moments_on_device, Workspace& workspace, StreamRef stream);

}  // namespace triptych::skin_tracker
