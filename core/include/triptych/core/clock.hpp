// A monotonic clock and a stopwatch.
#pragma once

#include <chrono>

namespace triptych {

using Clock = std::chrono::steady_clock;

// Runs from its construction, or from the last restart.
class Stopwatch {
 public:
  void restart() noexcept { start_ = Clock::now(); }

  double elapsed_s() const noexcept { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  double elapsed_ms() const noexcept { return 1e3 * elapsed_s(); }
  double elapsed_us() const noexcept { return 1e6 * elapsed_s(); }

 private:
  Clock::time_point start_ = Clock::now();
};

}  // namespace triptych
