// The One-Euro filter (Casiez, Roussel, Vogel 2012): smooth when the signal is slow, quick when it is fast.
#pragma once

#include <optional>

namespace triptych {

struct OneEuroOptions {
  double min_cutoff_hz = 1.0;
  double beta = 0.02;  // how much speed (units a second) raises the cut-off
  double speed_cutoff_hz = 1.0;
};

class OneEuro {
 public:
  // Limits within which every result is finite.
  static constexpr double max_seconds = 1e9, max_value = 1e100;
  static constexpr double max_cutoff_hz = 1e9, max_beta = 1e9;

  // InvalidArgument unless the cut-offs are above 0 and beta is not below, and none exceeds its limit.
  explicit OneEuro(OneEuroOptions options = {});
  // The next value; seconds since the last one. InvalidArgument when value is not finite or beyond
  // max_value, or, after the first call, seconds is not in (0, max_seconds].
  double filter(double value, double seconds);
  void reset() noexcept;

 private:
  OneEuroOptions options_;
  std::optional<double> value_;
  double speed_ = 0;
};

}  // namespace triptych
