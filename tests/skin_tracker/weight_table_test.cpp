#include <triptych/skin_tracker/weight_table.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <triptych/core/error.hpp>

#include "support/expect_error.hpp"

namespace triptych::skin_tracker {
namespace {

constexpr LinearFilter filter{0.013, 0.002, -0.017, 0.4};

// Every 97th colour: all bytes of each channel come by, as 97 and 256 share no factor.
template <class Check>
void for_colours(Check check) {
  for (std::size_t i = 0; i < WeightTable<float>::colours; i += 97) {
    check(i, Rgb8{static_cast<std::uint8_t>(i >> 16), static_cast<std::uint8_t>(i >> 8 & 255),
                  static_cast<std::uint8_t>(i & 255)});
  }
}

// A weight passes through a float before it is rounded to its type.
template <class T>
void check_table(double one, double rounding) {
  const WeightTable<T> table(Classifier{filter}, 2);
  ASSERT_EQ(table.weights().size(), std::size_t{1} << 24);
  double worst = 0;
  for_colours([&](std::size_t i, Rgb8 c) {
    ASSERT_EQ(WeightTable<T>::index(c), i);
    ASSERT_EQ(table[c], table.weights()[i]);
    worst = std::max(worst, std::abs(static_cast<double>(table[c]) / one - filter.weight(c.r, c.g, c.b)));
  });
  EXPECT_LE(worst, rounding / one + 4 * 0x1p-24);  // a few operations in float
  EXPECT_GT(worst, 0) << "the weights are not the classifier's";
}
TEST(WeightTable, OfBytes) { check_table<std::uint8_t>(255, 0.5); }
TEST(WeightTable, Of16Bits) { check_table<std::uint16_t>(fixed_one, 0.5); }
TEST(WeightTable, OfFloats) { check_table<float>(1, 0); }

TEST(WeightTable, DoesNotDependOnTheThreads) {
  const WeightTable<std::uint8_t> one(Classifier{filter}, 1), many(Classifier{filter}, 7);
  EXPECT_TRUE(std::ranges::equal(one.weights(), many.weights()));
}

TEST(WeightTable, TakesReadyWeights) {
  std::vector<std::uint8_t> weights(WeightTable<std::uint8_t>::colours);
  weights[0x123456] = 77;
  const WeightTable<std::uint8_t> table(std::move(weights));
  EXPECT_EQ((table[{0x12, 0x34, 0x56}]), 77);
  EXPECT_EQ((table[{0x56, 0x34, 0x12}]), 0);
  EXPECT_ERROR(WeightTable<float>(std::vector<float>(5)), InvalidArgument,
               "16777216 colours, and there are 5");
}

}  // namespace
}  // namespace triptych::skin_tracker
