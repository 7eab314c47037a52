// The CPU paths of moments_cpu by name, for tests and benches (all return the same bits), and the moments of
// single chunks of rows, for schedulers.
#pragma once

#include <triptych/core/cpu_path.hpp>
#include <triptych/skin_tracker/filter.hpp>
#include <triptych/skin_tracker/frame.hpp>
#include <triptych/skin_tracker/head.hpp>
#include <triptych/skin_tracker/weight_table.hpp>

#include <cstdint>
#include <span>

#include "moments/row_scheduler.hpp"

namespace triptych::skin_tracker {

// The paths that this machine can run; always with plain, without simd, which picks one of them.
std::span<const CpuPath> available_cpu_paths();

// As moments_cpu, with a filter that was fixed for the frame's channels. InvalidArgument when the machine
// lacks the path (simd falls back to plain).
Moments moments_cpu_by(CpuPath path, const Frame& frame, const PixelBox& region, const FixedFilter& filter,
                       int threads);

inline Moments moments_cpu(const Frame& frame, const PixelBox& region, const FixedFilter& filter,
                           int threads) {
  return moments_cpu_by(CpuPath::simd, frame, region, filter, threads);
}

// The moments of a chunk of rows, by the calling thread.
Moments chunk_moments_cpu(const Frame& frame, const PixelBox& chunk, const FixedFilter& filter,
                          NextChunk next = {});
Moments chunk_moments_cpu(const Frame& frame, const PixelBox& chunk, const WeightTable<std::uint16_t>& table,
                          NextChunk next = {});

}  // namespace triptych::skin_tracker
