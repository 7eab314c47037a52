#include <triptych/core/latency.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace triptych {
namespace {

TEST(Latency, IsZeroWithoutFrames) {
  const Latency none = LatencyHistogram().latency();
  EXPECT_EQ(none.frames, 0);
  EXPECT_EQ(none.median_us, 0);
  EXPECT_EQ(none.max_us, 0);
}

// A bin is 2^(1/64) wide and represented by its middle: the error is at most 2^(1/128) - 1.
TEST(Latency, QuantilesAreRightToABin) {
  LatencyHistogram histogram;
  for (int us = 1; us <= 1000; ++us) histogram.add(us);
  const Latency latency = histogram.latency();
  const double bin = 0.0055;
  EXPECT_EQ(latency.frames, 1000);
  EXPECT_NEAR(latency.median_us, 500, 500 * bin + 1);
  EXPECT_NEAR(latency.p90_us, 900, 900 * bin + 1);
  EXPECT_NEAR(latency.p99_us, 990, 990 * bin + 1);
  EXPECT_EQ(latency.max_us, 1000);
  EXPECT_DOUBLE_EQ(latency.mean_us, 500.5);
}

TEST(Latency, ExtremeTimesStayInTheHistogram) {
  LatencyHistogram histogram;
  histogram.add(0);
  histogram.add(1e12);
  EXPECT_EQ(histogram.latency().frames, 2);
  EXPECT_EQ(histogram.latency().max_us, 1e12);
  EXPECT_LE(histogram.latency().median_us, 0.11);
}

TEST(Latency, TimesThatAreNotNumbersCountAsExtremes) {
  LatencyHistogram histogram;
  for (const double us : {std::nan(""), -1.0, -HUGE_VAL}) histogram.add(us);
  EXPECT_EQ(histogram.latency().frames, 3);
  EXPECT_EQ(histogram.latency().max_us, 0);
  EXPECT_EQ(histogram.latency().mean_us, 0);
  histogram.add(HUGE_VAL);
  histogram.add(1e308);
  EXPECT_TRUE(std::isfinite(histogram.latency().mean_us));
  EXPECT_TRUE(std::isfinite(histogram.latency().max_us));
}

}  // namespace
}  // namespace triptych
