// Latency statistics of frames, by a histogram of fixed size that never allocates.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace triptych {

// Times from submit() or step() to the result. All 0 before the first frame.
struct Latency {
  std::int64_t frames = 0;
  double median_us = 0, p90_us = 0, p99_us = 0, max_us = 0, mean_us = 0;
};

class LatencyHistogram {
 public:
  // A negative time or NaN counts as 0, a time above 10^15 us as that.
  void add(double us) {
    us = us > 0 ? std::min(us, 1e15) : 0;
    ++frames_;
    sum_us_ += us;
    max_us_ = std::max(max_us_, us);
    const double bin = us > min_us ? std::log2(us / min_us) * bins_per_octave : 0;
    ++bins_[std::min(static_cast<std::size_t>(bin), bins - 1)];
  }

  // Quantiles are accurate to the width of a bin: 1.1 %.
  Latency latency() const {
    if (frames_ == 0) return {};
    return {frames_,        quantile(0.5), quantile(0.9),
            quantile(0.99), max_us_,       sum_us_ / static_cast<double>(frames_)};
  }

 private:
  static constexpr double min_us = 0.1;
  static constexpr int bins_per_octave = 64;
  static constexpr std::size_t bins = 30 * bins_per_octave;  // up to 107 s

  double quantile(double share) const {
    const auto rank = static_cast<std::int64_t>(std::ceil(share * static_cast<double>(frames_)));
    std::int64_t seen = 0;
    std::size_t i = 0;
    while (i + 1 < bins && (seen += bins_[i]) < rank) ++i;
    return std::min(max_us_, min_us * std::exp2((static_cast<double>(i) + 0.5) / bins_per_octave));
  }

  std::array<std::int64_t, bins> bins_{};
  std::int64_t frames_ = 0;
  double sum_us_ = 0, max_us_ = 0;
};

}  // namespace triptych
