#include <triptych/core/error.hpp>
#include <triptych/core/philox.hpp>
#include <triptych/skin_tracker/filter.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "testing/expect_error.hpp"
#include "testing/random.hpp"

namespace triptych::skin_tracker {
namespace {

constexpr LinearFilter typical[] = {{0.0112, -0.0031, -0.0054, -0.25},
                                    {0.02, -0.01, -0.008, 0.1},
                                    {0.013, 0.002, -0.017, 0.4},
                                    {1.0 / 255, 0, 0, 0},
                                    {0, 0, 0, 1},
                                    {-0.006, 0.009, 0.0005, -0.3}};

TEST(LinearFilter, WeighsAndClamps) {
  const LinearFilter filter{0.01, -0.01, 0.005, 0.25};
  EXPECT_DOUBLE_EQ(filter.weight(100, 50, 20), 0.85);
  EXPECT_EQ(filter.weight(255, 0, 0), 1.0);
  EXPECT_EQ(filter.weight(0, 255, 0), 0.0);
}

TEST(LinearFilter, TextGoesBothWays) {
  for (const LinearFilter& filter : typical) EXPECT_EQ(parse_filter(to_string(filter)), filter);
  constexpr std::uint64_t seed = 11;
  TRIPTYCH_TRACE_SEED(seed);
  const auto numbers = test::random_values<double>(400, -1.0, 1.0, seed);
  for (std::size_t i = 0; i + 3 < numbers.size(); i += 4) {
    const LinearFilter filter{numbers[i], std::ldexp(numbers[i + 1], -30), numbers[i + 2] * 1e9,
                              numbers[i + 3]};
    EXPECT_EQ(parse_filter(to_string(filter)), filter);
  }
  EXPECT_EQ(to_string(LinearFilter{0.5, -2, 0, 1e-3}), "0.5,-2,0,0.001");
  EXPECT_EQ(parse_filter(" +0.5, -2 ,0,1e-3"), (LinearFilter{0.5, -2, 0, 1e-3}));
}

TEST(LinearFilter, RejectsOtherTexts) {
  for (const char* text : {"", ",", "1,2,3", "1,2,3,4,5", "1,2,3,", "1,2,3,x", "1,2,,4", "1,2,3,4 5",
                           "nan,0,0,0", "0,inf,0,0", "1;2;3;4", "1,2,3,+-4", "1,2,3,1e999", "0x10,1,1,1"}) {
    EXPECT_ERROR(parse_filter(text), InvalidArgument, "expected four finite numbers R,G,B,D");
  }
  EXPECT_ERROR(parse_filter("abc"), InvalidArgument, "\"abc\" is no filter");
}

// All sums of some of the terms, in 64 bits.
void expect_no_overflow(const FixedFilter& f) {
  std::int64_t positive = std::max(f.offset, 0), negative = std::min(f.offset, 0);
  for (const std::int64_t c : {f.c0, f.c1, f.c2}) (c > 0 ? positive : negative) += 255 * c;
  EXPECT_LE(positive, std::numeric_limits<std::int32_t>::max());
  EXPECT_GE(negative, std::numeric_limits<std::int32_t>::min());
  for (const std::int32_t c : {f.c0, f.c1, f.c2}) EXPECT_LE(std::abs(c), 0x7F7F7F);  // three signed bytes
}

TEST(FixedFilter, ErrsLessThanItSays) {
  for (const LinearFilter& filter : typical) {
    const FixedFilter fixed = fix(filter);
    expect_no_overflow(fixed);
    double worst = 0;
    for (int r = 0; r < 256; r += 3) {  // 0 and 255 are among them
      for (int g = 0; g < 256; g += 3) {
        for (int b = 0; b < 256; ++b) {
          worst =
              std::max(worst, std::abs(fixed.weight(r, g, b) / double{fixed_one} - filter.weight(r, g, b)));
        }
      }
    }
    EXPECT_LE(worst, largest_error(fixed)) << to_string(filter);
    EXPECT_LT(largest_error(fixed), 1e-5) << to_string(filter);
  }
}

TEST(FixedFilter, KeepsItsPromisesForAnyPlane) {
  constexpr std::uint64_t seed = 5;
  TRIPTYCH_TRACE_SEED(seed);
  PhiloxStream random(seed, 0);
  const auto around_0 = [&](double size) { return (2.0 * random.next_uniform() - 1) * size; };
  for (int i = 0; i < 300; ++i) {
    const double size = std::ldexp(1.0, i % 24 - 20);  // from planes that hardly rise to the steepest
    const LinearFilter filter{around_0(size), around_0(size), around_0(size), around_0(size * 100)};
    const FixedFilter fixed = fix(filter);
    expect_no_overflow(fixed);
    EXPECT_GE(fixed.shift, 0);
    EXPECT_LE(fixed.shift, 14);
    for (int k = 0; k < 200; ++k) {
      // Corners too, where errors are largest.
      const auto byte = [&] {
        return k % 4 == 0 ? static_cast<int>(random.next() & 1) * 255 : static_cast<int>(random.next() & 255);
      };
      const int r = byte(), g = byte(), b = byte();
      ASSERT_NEAR(fixed.weight(r, g, b) / double{fixed_one}, filter.weight(r, g, b), largest_error(fixed))
          << to_string(filter);
    }
  }
}

TEST(FixedFilter, HasTheLargestShift) {
  EXPECT_EQ(fix({1.0 / 255, 0, 0, 0}).shift, 14);
  for (const LinearFilter& filter : typical) {
    const FixedFilter fixed = fix(filter);
    if (fixed.shift == 14) continue;
    FixedFilter next = fix({filter.r / 2, filter.g / 2, filter.b / 2, filter.d / 2});
    EXPECT_EQ(next.shift, fixed.shift + 1) << "half as steep leaves room for one bit more";
  }
}

// Integers that must not depend on the machine.
TEST(FixedFilter, IsTheSameEverywhere) {
  EXPECT_EQ(fix({1.0 / 255, 0, 0, 0}), (FixedFilter{4210688, 0, 0, 8192, 14}));
  EXPECT_EQ(fix({0, 0, 0, 1}), (FixedFilter{0, 0, 0, 65535 * 16384 + 8192, 14}));
  const LinearFilter skin{0.0112, -0.0031, -0.0054, -0.25};
  EXPECT_EQ(fix(skin), (FixedFilter{6012862, -1664274, -2899059, -134211540, 13}));
  EXPECT_EQ(fix(skin, Channels::yuv), (FixedFilter{724765, -2282197, 4809276, -390571946, 12}));
  EXPECT_EQ(fix(skin, Channels::yuv_video), (FixedFilter{843904, -2598037, 5474845, -448839672, 12}));
}

TEST(FixedFilter, ReachesBothEnds) {
  const FixedFilter white = fix({1.0 / 255, 0, 0, 0});
  EXPECT_EQ(white.weight(255, 7, 9), fixed_one);
  EXPECT_EQ(white.weight(0, 7, 9), 0);
  EXPECT_EQ(white.weight(1, 0, 0), 257);
}

// The plane over Y, U, V is the plane over the RGB that these are, not clamped.
void check_folding(Channels channels, double black, double luma, double chroma) {
  for (const LinearFilter& filter : typical) {
    const FixedFilter fixed = fix(filter, channels);
    expect_no_overflow(fixed);
    for (int y = 0; y < 256; y += 15) {
      for (int u = 0; u < 256; u += 15) {
        for (int v = 0; v < 256; v += 15) {
          const double grey = (y - black) * luma, cb = (u - 128) * chroma, cr = (v - 128) * chroma;
          // BT.601: Kr = 0.299, Kb = 0.114.
          const double r = grey + 2 * (1 - 0.299) * cr;
          const double b = grey + 2 * (1 - 0.114) * cb;
          const double g = (grey - 0.299 * r - 0.114 * b) / (1 - 0.299 - 0.114);
          ASSERT_NEAR(fixed.weight(y, u, v) / double{fixed_one}, filter.weight(r, g, b), largest_error(fixed))
              << to_string(filter) << " at " << y << " " << u << " " << v;
        }
      }
    }
  }
}
TEST(FixedFilter, FoldsFullRangeYuv) { check_folding(Channels::yuv, 0, 1, 1); }
TEST(FixedFilter, FoldsVideoRangeYuv) { check_folding(Channels::yuv_video, 16, 255.0 / 219, 255.0 / 224); }

TEST(FixedFilter, RejectsWhatCannotBeCalculated) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_ERROR(fix({inf, 0, 0, 0}), InvalidArgument, "not finite");
  EXPECT_ERROR(fix({0, 0, 0, std::nan("")}), InvalidArgument, "not finite");
  EXPECT_ERROR(fix({130, 0, 0, 0}), InvalidArgument, "too steep");
  EXPECT_ERROR(fix({0, 0, 0, -40000}), InvalidArgument, "too steep");
  EXPECT_ERROR(fix({1e300, 1e300, 1e300, 0}), InvalidArgument, "too steep");
  EXPECT_EQ(fix({127, 0, 0, 0}).shift, 0);
}

}  // namespace
}  // namespace triptych::skin_tracker
