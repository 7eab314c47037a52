#include <triptych/core/error.hpp>
#include <triptych/core/one_euro.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "testing/expect_error.hpp"
#include "testing/random.hpp"

namespace triptych {
namespace {

constexpr double tick_s = 1.0 / 30;

TEST(OneEuro, GivesTheFirstValueBack) {
  OneEuro filter;
  EXPECT_EQ(filter.filter(12.5, 0), 12.5);  // no time has passed yet
}

TEST(OneEuro, FollowsTheFormula) {
  // By hand, with 2 pi * 1 Hz * 0.1 s = r: the speed's share is r / (r + 1), the value's has the raised
  // cut-off.
  OneEuro filter({1.0, 0.5, 1.0});
  filter.filter(10, 0.1);
  const double r = 2 * std::numbers::pi * 0.1;
  const double speed = r / (r + 1) * (12.0 - 10.0) / 0.1;
  const double raised = r * (1 + 0.5 * speed);
  EXPECT_NEAR(filter.filter(12, 0.1), 10 + raised / (raised + 1) * 2, 1e-12);
}

TEST(OneEuro, KeepsAConstantExactly) {
  OneEuro filter;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(filter.filter(7.25, tick_s), 7.25);
}

TEST(OneEuro, QuietensNoiseOfASlowSignal) {
  constexpr std::uint64_t seed = 17;
  TRIPTYCH_TRACE_SEED(seed);
  PhiloxStream random(seed, 0);
  OneEuro filter({0.5, 0.0, 1.0});
  double raw = 0, smooth = 0;
  for (int i = 0; i < 2000; ++i) {
    const double noise = random.next_normal_pair().first;
    const double value = filter.filter(100 + noise, tick_s);
    if (i < 100) continue;
    raw += noise * noise;
    smooth += (value - 100) * (value - 100);
  }
  // A low-pass filter that takes the share s of each value keeps s / (2 - s) of the variance: 0.05 here.
  EXPECT_LT(smooth, 0.1 * raw);
  EXPECT_GT(smooth, 0);
}

TEST(OneEuro, LagsLessBehindAFastSignalWhenBetaIsLarger) {
  OneEuro slow({1.0, 0.0, 1.0});
  OneEuro quick({1.0, 0.05, 1.0});
  double behind_slow = 0, behind_quick = 0;
  for (int i = 0; i < 60; ++i) {
    const double value = 300.0 * i * tick_s;  // pixels a second
    behind_slow = value - slow.filter(value, tick_s);
    behind_quick = value - quick.filter(value, tick_s);
  }
  EXPECT_GT(behind_slow, 40);  // about speed / (2 pi * 1 Hz)
  EXPECT_LT(behind_quick, 10);
}

TEST(OneEuro, StartsAnewAfterReset) {
  OneEuro filter;
  filter.filter(0, tick_s);
  filter.filter(50, tick_s);
  filter.reset();
  EXPECT_EQ(filter.filter(1000, 0), 1000);
}

TEST(OneEuro, StaysFiniteForEveryAcceptedInput) {
  const double values[] = {1e100, -1e100, 0, 5, 1e-310, -3};
  for (const double seconds : {5e-324, 1e-310, 1e-300, 1e-9, 1e9}) {
    for (const double cutoff_hz : {5e-324, 1.0, 1e9}) {
      for (const double beta : {0.0, 0.02, 1e9}) {
        OneEuro filter({cutoff_hz, beta, cutoff_hz});
        for (int k = 0; k < 30; ++k) {
          const double value = filter.filter(values[k % 6], k % 5 == 4 ? tick_s : seconds);
          ASSERT_TRUE(std::isfinite(value)) << seconds << " s, " << cutoff_hz << " Hz, beta " << beta;
        }
      }
    }
  }
}

TEST(OneEuro, FollowsAgainAfterAnIntervalOfNearlyNothing) {
  OneEuro filter;
  filter.filter(10, tick_s);
  EXPECT_NEAR(filter.filter(11, 1e-310), 10, 1e-9);  // no time has passed: nothing of the new value
  for (int k = 0; k < 200; ++k) filter.filter(11, tick_s);
  EXPECT_NEAR(filter.filter(11, tick_s), 11, 1e-3);
}

TEST(OneEuro, RejectsWhatMakesNoSense) {
  OneEuro filter;
  filter.filter(1, 0);
  EXPECT_ERROR(filter.filter(1, 0), InvalidArgument, "above 0 s");
  EXPECT_ERROR(filter.filter(1, -1), InvalidArgument, "not -1");
  EXPECT_ERROR(filter.filter(std::numeric_limits<double>::quiet_NaN(), tick_s), InvalidArgument, "nan");
  EXPECT_EQ(filter.filter(1, tick_s), 1);  // a rejected value leaves no trace
  EXPECT_ERROR(filter.filter(1, 1e10), InvalidArgument, "1e+10");
  EXPECT_ERROR(filter.filter(1e101, tick_s), InvalidArgument, "1e+101");
  EXPECT_ERROR(OneEuro({1e10, 0, 1}), InvalidArgument, "cut-off");
  EXPECT_ERROR(OneEuro({1, 1e10, 1}), InvalidArgument, "beta");
  EXPECT_ERROR(OneEuro({0, 0, 1}), InvalidArgument, "cut-off");
  EXPECT_ERROR(OneEuro({1, -1, 1}), InvalidArgument, "beta");
  EXPECT_ERROR(OneEuro({1, 0, 0}), InvalidArgument, "speed");
}

}  // namespace
}  // namespace triptych
