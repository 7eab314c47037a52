// The ways in which the CPU adds up a filter's weights, by name, for tests and benches: all return the same
// bits. And strips of a frame, for who deals them out.
#pragma once

#include <triptych/core/cpu_path.hpp>
#include <triptych/skin_tracker/filter.hpp>
#include <triptych/skin_tracker/frame.hpp>
#include <triptych/skin_tracker/head.hpp>
#include <triptych/skin_tracker/weight_table.hpp>

#include <cstdint>
#include <span>

#include "moments/strips.hpp"

namespace triptych::skin_tracker {

// What this machine can run; plain is always among them, simd is not listed.
std::span<const CpuPath> available_cpu_paths();

// As sum_cpu, with a filter that was fixed for the frame's channels. InvalidArgument when the machine lacks
// the path (simd is never lacking: it falls back to plain).
Sums sum_cpu_by(CpuPath path, const Frame& frame, const Region& region, const FixedFilter& filter,
                int threads);

inline Sums sum_cpu(const Frame& frame, const Region& region, const FixedFilter& filter, int threads) {
  return sum_cpu_by(CpuPath::simd, frame, region, filter, threads);
}

// The sums over a strip, by the calling thread.
Sums sum_strip_cpu(const Frame& frame, const Region& strip, const FixedFilter& filter, NextStrip next = {});
Sums sum_strip_cpu(const Frame& frame, const Region& strip, const WeightTable<std::uint16_t>& table,
                   NextStrip next = {});

}  // namespace triptych::skin_tracker
