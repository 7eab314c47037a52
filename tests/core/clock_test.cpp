#include <triptych/core/clock.hpp>

#include <gtest/gtest.h>

#include <thread>

namespace triptych {
namespace {

static_assert(Clock::is_steady);

TEST(Stopwatch, CountsInEveryUnit) {
  const Stopwatch stopwatch;
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const double us = stopwatch.elapsed_us();
  const double ms = stopwatch.elapsed_ms();
  const double s = stopwatch.elapsed_s();
  EXPECT_GE(us, 5000);
  EXPECT_GE(1e3 * ms, us);
  EXPECT_GE(1e3 * s, ms);
}

TEST(Stopwatch, RestartsFromZero) {
  Stopwatch stopwatch;
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const double before_s = stopwatch.elapsed_s();
  const Clock::time_point begin = Clock::now();
  stopwatch.restart();
  const double after_s = stopwatch.elapsed_s();
  EXPECT_LE(after_s, std::chrono::duration<double>(Clock::now() - begin).count());
  EXPECT_GE(before_s, 5e-3);
}

}  // namespace
}  // namespace triptych
