// GpuStartEstimator: maps the GPU's elapsed time to the host's clock.
#pragma once

#include <algorithm>

namespace triptych::skin_tracker {

// The GPU's clock measures how long a kernel ran, but not when it started on the host's clock. When the host
// sees the result at now_us, the start delay is at most now_us - gpu_us, and close to that whenever the GPU
// has just finished. The estimate is the running minimum; it grows slowly so that it follows a change.
class GpuStartEstimator {
 public:
  // From the start of the frame to the end of the GPU's part. gpu_us: the GPU's elapsed time; now_us: from
  // the start of the frame until now, when its results have arrived.
  double end_us(double gpu_us, double now_us) {
    delay_us_ = std::min(delay_us_ + growth_us, now_us - gpu_us);
    return delay_us_ + gpu_us;
  }

 private:
  static constexpr double growth_us = 0.05;  // per frame
  double delay_us_ = 1e6;                    // from the start of the frame to the start of the GPU
};

}  // namespace triptych::skin_tracker
