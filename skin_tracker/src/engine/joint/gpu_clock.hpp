// When a GPU was done, by the host's clock.
#pragma once

#include <algorithm>

namespace triptych::skin_tracker {

// A GPU's own clock tells how long it took, even when nobody looked at its end; but not when it began, some
// time after the host did. That time is not longer than what is left of the host's when all is seen to be in,
// and comes close to it whenever the GPU was just done: the least is kept, and grows a little in case it has
// changed.
class GpuClock {
 public:
  // From the frame's beginning to the GPU's end. gpu_us: what the GPU took; now_us: from the frame's
  // beginning until now, when its results are in.
  double end_us(double gpu_us, double now_us) {
    lag_us_ = std::min(lag_us_ + growth_us, now_us - gpu_us);
    return lag_us_ + gpu_us;
  }

 private:
  static constexpr double growth_us = 0.05;  // a frame
  double lag_us_ = 1e6;                      // from the frame's beginning to the GPU's
};

}  // namespace triptych::skin_tracker
