// The One-Euro filter (Casiez, Roussel, Vogel 2012): smooth when the signal is slow, quick when it is fast.
#pragma once

#include <optional>

namespace triptych::skin_tracker {

struct OneEuroOptions {
  double min_cutoff_hz = 1.0;
  double beta = 0.02;  // how much speed (units a second) raises the cut-off
  double speed_cutoff_hz = 1.0;
};

class OneEuro {
 public:
  // InvalidArgument unless the cut-offs are above 0 and beta is not below.
  explicit OneEuro(OneEuroOptions options = {});
  // The next value; seconds since the last one. InvalidArgument when value is not finite, or seconds <= 0
  // after the first call.
  double filter(double value, double seconds);
  void reset() noexcept;

 private:
  OneEuroOptions options_;
  std::optional<double> value_;
  double speed_ = 0;
};

}  // namespace triptych::skin_tracker
