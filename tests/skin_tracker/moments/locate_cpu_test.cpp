#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/locate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "frame/locate_math.hpp"
#include "moments/locate_paths.hpp"
#include "skin_tracker/frame/test_frame.hpp"
#include "skin_tracker/moments/print_sums.hpp"
#include "testing/expect_error.hpp"
#include "testing/random.hpp"

namespace triptych::skin_tracker {
namespace {

using test::all_frame_formats;
using test::TestFrame;

constexpr LinearFilter filter{0.02, -0.011, -0.006, 0.15};  // on random bytes a third is 0, some are 1

FixedFilter fixed_for(FrameFormat format) {
  return fix(filter, test::is_yuv(format) ? Channels::yuv_video : Channels::rgb);
}

std::string describe(FrameFormat format, CpuPath path, const Region& r) {
  return std::string(to_string(format)) + " " + std::string(to_string(path)) + " " + std::to_string(r.width) +
         " x " + std::to_string(r.height) + " at " + std::to_string(r.x) + ", " + std::to_string(r.y);
}

// Around steps of 8 and 16 pixels and blocks of 512 and 1024.
constexpr int widths[] = {1,  2,  3,  7,   8,   9,   15,  16,   17,   31,   32,
                          33, 34, 64, 127, 511, 512, 513, 1023, 1024, 1025, 1921};

TEST(SumCpu, EachPathIsTheDefinition) {
  for (const FrameFormat format : all_frame_formats) {
    for (const int width : widths) {
      for (const int gap : {0, 1, 13}) {
        const bool yuv = test::is_yuv(format);
        const int even = yuv ? (width + 1) & ~1 : width;
        const std::uint64_t seed = static_cast<std::uint64_t>(width) * 100 + static_cast<std::uint64_t>(gap);
        TRIPTYCH_TRACE_SEED(seed);
        const TestFrame input(format, even, 6, gap, seed);
        const Region region{0, 0, width, gap == 13 ? 5 : 6};  // rows are read in pairs, and one alone
        const Sums expected = input.sums(region, fixed_for(format));
        for (const CpuPath path : available_cpu_paths()) {
          EXPECT_EQ(sum_cpu_by(path, input.frame(), region, fixed_for(format), 1), expected)
              << describe(format, path, region) << " gap " << gap;
        }
        EXPECT_EQ(sum_cpu(input.frame(), region, filter, 2), expected);
      }
    }
  }
}

TEST(SumCpu, RegionsStartAndEndAnywhere) {
  for (const FrameFormat format : all_frame_formats) {
    const TestFrame input(format, 90, 12, 5, 42);
    for (const Region& region : {Region{1, 0, 89, 12}, Region{3, 1, 40, 7}, Region{2, 5, 1, 1},
                                 Region{5, 3, 1, 2}, Region{5, 3, 2, 2}, Region{89, 11, 1, 1},
                                 Region{17, 2, 33, 9}, Region{16, 1, 17, 10}, Region{73, 4, 16, 3}}) {
      const Sums expected = input.sums(region, fixed_for(format));
      for (const CpuPath path : available_cpu_paths()) {
        EXPECT_EQ(sum_cpu_by(path, input.frame(), region, fixed_for(format), 1), expected)
            << describe(format, path, region);
      }
    }
    for (const Region& empty :
         {Region{0, 0, 0, 0}, Region{90, 12, 0, 0}, Region{4, 4, 0, 3}, Region{4, 4, 3, 0}}) {
      EXPECT_EQ(sum_cpu(input.frame(), empty, filter), Sums{});
    }
  }
}

// What comes next is only a hint to the memory, and it is asked for before the strip ends.
TEST(SumStripCpu, IsTheDefinitionWhateverComesNext) {
  for (const FrameFormat format : all_frame_formats) {
    const TestFrame input(format, 700, 40, 8, 11);
    for (const int height : {1, 2, 3, 4, 9}) {
      const Region strip{2, 7, 660, height};
      const Sums expected = input.sums(strip, fixed_for(format));
      EXPECT_EQ(sum_strip_cpu(input.frame(), strip, fixed_for(format)), expected);
      for (const Region& coming : {Region{}, Region{2, 30, 660, 10}, Region{2, 39, 660, 1},
                                   Region{2, 0, 660, 7}, Region{0, 0, 700, 40}, Region{690, 12, 10, 4}}) {
        int asked = 0;
        auto ask = [&] {
          ++asked;
          return coming;
        };
        EXPECT_EQ(sum_strip_cpu(input.frame(), strip, fixed_for(format), ask), expected)
            << describe(format, CpuPath::simd, strip);
        EXPECT_TRUE(asked > 0 || available_cpu_paths().size() == 1);
      }
    }
  }
}

TEST(SumCpu, WhatLiesBetweenRowsDoesNotCount) {
  for (const FrameFormat format : all_frame_formats) {
    for (const int width : {2, 18, 46, 130}) {
      TestFrame input(format, width, 8, 29, 7);
      std::vector<Sums> before;
      for (const CpuPath path : available_cpu_paths()) {
        before.push_back(sum_cpu_by(path, input.frame(), input.frame().whole(), fixed_for(format), 1));
      }
      input.change_gaps();
      std::size_t i = 0;
      for (const CpuPath path : available_cpu_paths()) {
        EXPECT_EQ(sum_cpu_by(path, input.frame(), input.frame().whole(), fixed_for(format), 1), before[i++])
            << describe(format, path, input.frame().whole());
      }
    }
  }
}

TEST(SumCpu, OneByteMakesADifference) {
  TestFrame input(FrameFormat::rgba, 64, 8, 0, 3);
  input.byte(4 * 40, 5) = 0;
  const Sums before = sum_cpu(input.frame(), input.frame().whole(), {1.0 / 255, 0, 0, 0});
  input.byte(4 * 40, 5) = 1;
  const Sums after = sum_cpu(input.frame(), input.frame().whole(), {1.0 / 255, 0, 0, 0});
  EXPECT_EQ(after.weight, before.weight + 257);
  EXPECT_EQ(after.x, before.x + 257 * 8);
  EXPECT_EQ(after.xy, before.xy + 257 * 8 * 1);
  input.byte(4 * 40 + 3, 5) ^= 0xFF;  // alpha
  EXPECT_EQ(sum_cpu(input.frame(), input.frame().whole(), {1.0 / 255, 0, 0, 0}), after);
}

TEST(SumCpu, PartsAddUpToTheWhole) {
  constexpr std::uint64_t seed = 77;
  TRIPTYCH_TRACE_SEED(seed);
  for (const FrameFormat format : all_frame_formats) {
    const TestFrame input(format, 640, 360, 3, seed);
    const Frame frame = input.frame();
    const Sums whole = sum_cpu(frame, frame.whole(), filter);
    EXPECT_EQ(whole, input.sums(frame.whole(), fixed_for(format)));
    for (const int row : {0, 1, 2, 35, 179, 180, 181, 359, 360}) {
      EXPECT_EQ(
          sum_cpu(frame, {0, 0, 640, row}, filter, 3) + sum_cpu(frame, {0, row, 640, 360 - row}, filter, 2),
          whole);
    }
    for (const int column : {0, 1, 2, 7, 15, 16, 255, 319, 321, 512, 639}) {
      EXPECT_EQ(sum_cpu(frame, {0, 0, column, 360}, filter, 3) +
                    sum_cpu(frame, {column, 0, 640 - column, 360}, filter, 1),
                whole);
    }
  }
}

TEST(SumCpu, DoesNotDependOnTheThreads) {
  const TestFrame input(FrameFormat::rgba, 1000, 700, 0, 9);
  const Sums expected = input.sums(input.frame().whole(), fixed_for(FrameFormat::rgba));
  for (const int threads : {0, 1, 2, 3, 5, 16, 64, 1000}) {
    EXPECT_EQ(sum_cpu(input.frame(), input.frame().whole(), filter, threads), expected) << threads;
  }
}

// Planes from flat to steep, whose coefficients take every length.
TEST(SumCpu, AnyFilterOnEachPath) {
  constexpr std::uint64_t seed = 21;
  TRIPTYCH_TRACE_SEED(seed);
  const auto numbers = triptych::test::random_values<double>(4 * 60, -1.0, 1.0, seed);
  for (const FrameFormat format : all_frame_formats) {
    const TestFrame input(format, 78, 4, 0, seed);
    for (std::size_t i = 0; i < numbers.size(); i += 4) {
      const double size = std::ldexp(1.0, static_cast<int>(i / 4) % 18 - 14);
      const LinearFilter any{numbers[i] * size, numbers[i + 1] * size, numbers[i + 2] * size,
                             numbers[i + 3] * size * 100};
      const FixedFilter fixed = fix(any, channels_of(format));
      const Sums expected = input.sums(input.frame().whole(), fixed);
      for (const CpuPath path : available_cpu_paths()) {
        ASSERT_EQ(sum_cpu_by(path, input.frame(), input.frame().whole(), fixed, 1), expected)
            << describe(format, path, input.frame().whole()) << " " << to_string(any);
      }
    }
  }
}

// The largest frame, white: the sums of the places in closed form.
TEST(SumCpu, TheLargestFrameDoesNotOverflow) {
  const std::vector<std::uint8_t> white(std::size_t{max_width} * max_height * 4, 255);
  const Frame frame(FrameFormat::rgba, white.data(), max_width, max_height, max_width * 4);
  const auto sum = [](std::int64_t n) { return -(n / 2); };  // of -n/2 .. n/2 - 1
  const auto squares = [](std::uint64_t n) { return n * (n * n + 2) / 12; };
  constexpr std::uint64_t w = max_width, h = max_height, one = fixed_one;
  const Sums expected{one * w * h,
                      static_cast<std::int64_t>(one * h) * sum(max_width),
                      static_cast<std::int64_t>(one * w) * sum(max_height),
                      one * h * squares(w),
                      std::int64_t{fixed_one} * sum(max_width) * sum(max_height),
                      one * w * squares(h)};
  EXPECT_EQ(sum_cpu(frame, frame.whole(), {1.0 / 255, 0, 0, 0}), expected);
  for (const CpuPath path : available_cpu_paths()) {
    EXPECT_EQ(sum_cpu_by(path, frame, frame.whole(), fix({0, 0, 0, 1}), 0), expected) << to_string(path);
  }
  const Head head = head_of(expected, max_width, max_height);
  EXPECT_DOUBLE_EQ(head.x_px, (max_width - 1) / 2.0);
  EXPECT_DOUBLE_EQ(head.y_px, (max_height - 1) / 2.0);
}

TEST(SumCpu, ByTable) {
  // A weight that no plane has, different for each colour.
  std::vector<std::uint16_t> weights(WeightTable<std::uint16_t>::colours);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<std::uint16_t>(i * 40503 >> 8);
  const WeightTable<std::uint16_t> table(std::move(weights));
  const auto weight = [&](int r, int g, int b) {
    return int{
        table[{static_cast<std::uint8_t>(r), static_cast<std::uint8_t>(g), static_cast<std::uint8_t>(b)}]};
  };
  for (const FrameFormat format : all_frame_formats) {
    const TestFrame input(format, 130, 40, 3, 1);
    for (const Region& region : {Region{0, 0, 130, 40}, Region{7, 3, 101, 20}, Region{130, 0, 0, 40}}) {
      const Sums expected = input.sums(region, [&](const std::array<int, 3>& p) {
        if (!test::is_yuv(format)) return weight(p[0], p[1], p[2]);
        const Rgb8 c = rgb_of_yuv(p[0], p[1], p[2]);
        return weight(c.r, c.g, c.b);
      });
      for (const int threads : {1, 3}) {
        EXPECT_EQ(sum_cpu(input.frame(), region, table, threads), expected) << to_string(format);
      }
    }
  }
}

// The integers of the conversion against the formula: half of a grey level away, and what three coefficients
// err that are rounded at 2^-20.
TEST(SumCpu, ConvertsYuv) {
  constexpr double most = 0.5 + 0.5 * (239 + 128 + 128) * 0x1p-20;
  for (int y = 0; y < 256; y += 3) {
    for (int u = 0; u < 256; ++u) {
      for (int v = 0; v < 256; v += 3) {
        const std::array<double, 3> exact = test::exact_rgb_of_yuv({y, u, v});
        const Rgb8 c = rgb_of_yuv(y, u, v);
        ASSERT_NEAR(c.r, std::clamp(exact[0], 0.0, 255.0), most) << y << " " << u << " " << v;
        ASSERT_NEAR(c.g, std::clamp(exact[1], 0.0, 255.0), most) << y << " " << u << " " << v;
        ASSERT_NEAR(c.b, std::clamp(exact[2], 0.0, 255.0), most) << y << " " << u << " " << v;
      }
    }
  }
}

TEST(LocateCpu, IsTheFormulaInDouble) {
  for (const FrameFormat format : all_frame_formats) {
    const int width = 210, height = 122;
    const TestFrame input(format, width, height, 7, 5);
    double s = 0, sx = 0, sy = 0;
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const auto p = input.bytes(x, y);
        const std::array<double, 3> rgb = test::is_yuv(format)
                                              ? test::exact_rgb_of_yuv(p)
                                              : std::array{double(p[0]), double(p[1]), double(p[2])};
        const double w = filter.weight(rgb[0], rgb[1], rgb[2]);
        s += w, sx += w * x, sy += w * y;
      }
    }
    const Head head = locate_cpu(input.frame(), filter);
    // A weight errs by at most e, the centroid then by e N / S times the largest distance.
    const double e = largest_error(fixed_for(format)), n = width * height;
    EXPECT_TRUE(head.found);
    EXPECT_NEAR(head.weight_px, s, e * n) << to_string(format);
    EXPECT_NEAR(head.area, s / n, e);
    EXPECT_NEAR(head.x_px, sx / s, e * n / s * width);
    EXPECT_NEAR(head.y_px, sy / s, e * n / s * height);
  }
}

TEST(LocateCpu, FindsNothingInNothing) {
  const TestFrame input(FrameFormat::rgb, 64, 48, 0, 2);
  EXPECT_FALSE(locate_cpu(input.frame(), {0, 0, 0, -1}).found);
  EXPECT_FALSE(locate_cpu(Frame{}, filter).found);
  EXPECT_FALSE(locate_cpu(Frame(FrameFormat::rgb, nullptr, 0, 0, 0), filter).found);
}

TEST(LocateCpu, ATableOfAFilterFindsWhatTheFilterFinds) {
  const TestFrame input(FrameFormat::rgba, 200, 100, 0, 8);
  const WeightTable<std::uint16_t> table{Classifier{filter}};
  const Head by_filter = locate_cpu(input.frame(), filter), by_table = locate_cpu(input.frame(), table);
  // Both weights err by less than 1e-5 each.
  EXPECT_NEAR(by_table.weight_px, by_filter.weight_px, 2e-5 * 200 * 100);
  EXPECT_NEAR(by_table.x_px, by_filter.x_px, 2e-5 / by_filter.area * 200);
}

TEST(SumCpu, RejectsRegionsOutside) {
  const TestFrame input(FrameFormat::rgb, 64, 48, 0, 2);
  for (const Region& region :
       {Region{-1, 0, 5, 5}, Region{0, -1, 5, 5}, Region{60, 0, 5, 5}, Region{0, 45, 5, 5},
        Region{0, 0, -5, 5}, Region{0, 0, 5, -5}, Region{2147483647, 0, 2147483647, 1}}) {
    EXPECT_ERROR(sum_cpu(input.frame(), region, filter), InvalidArgument, "outside a frame of 64 x 48");
  }
  EXPECT_ERROR(sum_cpu(input.frame(), input.frame().whole(), {1e6, 0, 0, 0}), InvalidArgument, "too steep");
}

TEST(SumCpu, RefusesAPathThatTheMachineLacks) {
  EXPECT_EQ(available_cpu_paths().front(), CpuPath::plain);
  const TestFrame input(FrameFormat::rgb, 64, 48, 0, 2);
  for (const CpuPath path : {CpuPath::avx2, CpuPath::avx512, CpuPath::neon}) {
    const auto paths = available_cpu_paths();
    if (std::find(paths.begin(), paths.end(), path) != paths.end()) continue;
    EXPECT_ERROR(sum_cpu_by(path, input.frame(), input.frame().whole(), fix(filter), 1), InvalidArgument,
                 "has no path " + std::string(to_string(path)));
  }
}

}  // namespace
}  // namespace triptych::skin_tracker
