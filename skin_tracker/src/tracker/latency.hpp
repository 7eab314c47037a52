// Latencies in a histogram of fixed size: no memory is asked for after construction, however many frames
// come.
#pragma once

#include <triptych/skin_tracker/tracker.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace triptych::skin_tracker {

class LatencyHistogram {
 public:
  void add(double us) {
    ++frames_;
    sum_us_ += us;
    worst_us_ = std::max(worst_us_, us);
    const double place = us > min_us ? std::log2(us / min_us) * bins_per_octave : 0;
    ++bins_[std::min(static_cast<std::size_t>(place), bins - 1)];
  }

  // Quantiles are right to a bin: 1.1 %.
  LatencyStatistics statistics() const {
    LatencyStatistics s;
    s.frames = frames_;
    if (frames_ == 0) return s;
    s.median_us = quantile(0.5);
    s.p90_us = quantile(0.9);
    s.p99_us = quantile(0.99);
    s.worst_us = worst_us_;
    s.mean_us = sum_us_ / static_cast<double>(frames_);
    return s;
  }

 private:
  static constexpr double min_us = 0.1;
  static constexpr int bins_per_octave = 64;
  static constexpr std::size_t bins = 30 * bins_per_octave;  // up to 107 s

  double quantile(double share) const {
    const auto wanted = static_cast<std::int64_t>(std::ceil(share * static_cast<double>(frames_)));
    std::int64_t seen = 0;
    std::size_t i = 0;
    while (i + 1 < bins && (seen += bins_[i]) < wanted) ++i;
    return std::min(worst_us_, min_us * std::exp2((static_cast<double>(i) + 0.5) / bins_per_octave));
  }

  std::array<std::int64_t, bins> bins_{};
  std::int64_t frames_ = 0;
  double sum_us_ = 0, worst_us_ = 0;
};

}  // namespace triptych::skin_tracker
