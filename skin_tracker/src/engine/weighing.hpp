// How a tracker weighs its pixels, fixed once for the format of its frames.
#pragma once

#include <triptych/skin_tracker/classifier.hpp>
#include <triptych/skin_tracker/locate.hpp>
#include <triptych/skin_tracker/weight_table.hpp>

#include <cstdint>
#include <optional>
#include <span>

#include "frame/locate_math.hpp"
#include "moments/locate_paths.hpp"
#include "moments/sample_cpu.hpp"

namespace triptych::skin_tracker {

// A linear filter is calculated, anything else looked up: in one table, so that CPU and GPU agree.
struct Weighing {
  std::optional<LinearFilter> filter;
  FixedFilter fixed;  // the filter for the frames' format
  std::optional<WeightTable<std::uint16_t>> table;

  // threads: that build a table; 0 means all cores.
  Weighing(const Classifier& classifier, FrameFormat format, int threads) {
    if (const auto* linear = std::get_if<LinearFilter>(&classifier)) {
      filter = *linear;
      fixed = fix(*linear, channels_of(format));
    } else {
      table.emplace(classifier, threads);
    }
  }

  Sums sum(const Frame& frame, const Region& region, int threads) const {
    return filter ? sum_cpu_by(CpuPath::simd, frame, region, fixed, threads)
                  : sum_cpu(frame, region, *table, threads);
  }
  // On the calling thread.
  Sums sum_strip(const Frame& frame, const Region& strip, NextStrip next = {}) const {
    return filter ? sum_strip_cpu(frame, strip, fixed, next) : sum_strip_cpu(frame, strip, *table);
  }
  void sample(const Frame& frame, const Region& region, int step, std::span<std::uint16_t> weights) const {
    filter ? sample_cpu(frame, region, step, *filter, weights)
           : sample_cpu(frame, region, step, *table, weights);
  }
};

}  // namespace triptych::skin_tracker
