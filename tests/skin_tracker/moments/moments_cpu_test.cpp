#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/moments.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "frame/pixel_math.hpp"
#include "moments/moments_cpu.hpp"
#include "skin_tracker/frame/test_frame.hpp"
#include "skin_tracker/moments/print_moments.hpp"
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

std::string describe(FrameFormat format, CpuPath path, const PixelBox& r) {
  return to_string(format) + " " + to_string(path) + " " + std::to_string(r.width) + " x " +
         std::to_string(r.height) + " at " + std::to_string(r.x) + ", " + std::to_string(r.y);
}

// Around steps of 8 and 16 pixels and blocks of 512 and 1024.
constexpr int widths[] = {1,  2,  3,  7,   8,   9,   15,  16,   17,   31,   32,
                          33, 34, 64, 127, 511, 512, 513, 1023, 1024, 1025, 1921};

TEST(MomentsCpu, EachPathIsTheDefinition) {
  for (const FrameFormat format : all_frame_formats) {
    for (const int width : widths) {
      for (const int gap : {0, 1, 13}) {
        const bool yuv = test::is_yuv(format);
        const int even = yuv ? (width + 1) & ~1 : width;
        const std::uint64_t seed = static_cast<std::uint64_t>(width) * 100 + static_cast<std::uint64_t>(gap);
        TRIPTYCH_TRACE_SEED(seed);
        const TestFrame input(format, even, 6, gap, seed);
        const PixelBox region{0, 0, width, gap == 13 ? 5 : 6};  // rows are read in pairs, and one alone
        const Moments expected = input.moments(region, fixed_for(format));
        for (const CpuPath path : available_cpu_paths()) {
          EXPECT_EQ(moments_cpu_by(path, input.frame(), region, fixed_for(format), 1), expected)
              << describe(format, path, region) << " gap " << gap;
        }
        EXPECT_EQ(moments_cpu(input.frame(), region, filter, 2), expected);
      }
    }
  }
}

TEST(MomentsCpu, RegionsStartAndEndAnywhere) {
  for (const FrameFormat format : all_frame_formats) {
    const TestFrame input(format, 90, 12, 5, 42);
    for (const PixelBox& region : {PixelBox{1, 0, 89, 12}, PixelBox{3, 1, 40, 7}, PixelBox{2, 5, 1, 1},
                                   PixelBox{5, 3, 1, 2}, PixelBox{5, 3, 2, 2}, PixelBox{89, 11, 1, 1},
                                   PixelBox{17, 2, 33, 9}, PixelBox{16, 1, 17, 10}, PixelBox{73, 4, 16, 3}}) {
      const Moments expected = input.moments(region, fixed_for(format));
      for (const CpuPath path : available_cpu_paths()) {
        EXPECT_EQ(moments_cpu_by(path, input.frame(), region, fixed_for(format), 1), expected)
            << describe(format, path, region);
      }
    }
    for (const PixelBox& empty :
         {PixelBox{0, 0, 0, 0}, PixelBox{90, 12, 0, 0}, PixelBox{4, 4, 0, 3}, PixelBox{4, 4, 3, 0}}) {
      EXPECT_EQ(moments_cpu(input.frame(), empty, filter), Moments{});
    }
  }
}

// The next chunk is only prefetched, and it is requested before the present chunk ends.
TEST(SumStripCpu, IsTheDefinitionWhateverComesNext) {
  for (const FrameFormat format : all_frame_formats) {
    const TestFrame input(format, 700, 40, 8, 11);
    for (const int height : {1, 2, 3, 4, 9}) {
      const PixelBox chunk{2, 7, 660, height};
      const Moments expected = input.moments(chunk, fixed_for(format));
      EXPECT_EQ(chunk_moments_cpu(input.frame(), chunk, fixed_for(format)), expected);
      for (const PixelBox& coming :
           {PixelBox{}, PixelBox{2, 30, 660, 10}, PixelBox{2, 39, 660, 1}, PixelBox{2, 0, 660, 7},
            PixelBox{0, 0, 700, 40}, PixelBox{690, 12, 10, 4}}) {
        int requests = 0;
        auto request = [&] {
          ++requests;
          return coming;
        };
        EXPECT_EQ(chunk_moments_cpu(input.frame(), chunk, fixed_for(format), request), expected)
            << describe(format, CpuPath::simd, chunk);
        EXPECT_TRUE(requests > 0 || available_cpu_paths().size() == 1);
      }
    }
  }
}

TEST(MomentsCpu, WhatLiesBetweenRowsDoesNotCount) {
  for (const FrameFormat format : all_frame_formats) {
    for (const int width : {2, 18, 46, 130}) {
      TestFrame input(format, width, 8, 29, 7);
      std::vector<Moments> before;
      for (const CpuPath path : available_cpu_paths()) {
        before.push_back(moments_cpu_by(path, input.frame(), input.frame().whole(), fixed_for(format), 1));
      }
      input.change_gaps();
      std::size_t i = 0;
      for (const CpuPath path : available_cpu_paths()) {
        EXPECT_EQ(moments_cpu_by(path, input.frame(), input.frame().whole(), fixed_for(format), 1),
                  before[i++])
            << describe(format, path, input.frame().whole());
      }
    }
  }
}

TEST(MomentsCpu, OneByteMakesADifference) {
  TestFrame input(FrameFormat::rgba, 64, 8, 0, 3);
  input.byte(4 * 40, 5) = 0;
  const Moments before = moments_cpu(input.frame(), input.frame().whole(), {1.0 / 255, 0, 0, 0});
  input.byte(4 * 40, 5) = 1;
  const Moments after = moments_cpu(input.frame(), input.frame().whole(), {1.0 / 255, 0, 0, 0});
  EXPECT_EQ(after.weight, before.weight + 257);
  EXPECT_EQ(after.x, before.x + 257 * 8);
  EXPECT_EQ(after.xy, before.xy + 257 * 8 * 1);
  input.byte(4 * 40 + 3, 5) ^= 0xFF;  // alpha
  EXPECT_EQ(moments_cpu(input.frame(), input.frame().whole(), {1.0 / 255, 0, 0, 0}), after);
}

TEST(MomentsCpu, PartsAddUpToTheWhole) {
  constexpr std::uint64_t seed = 77;
  TRIPTYCH_TRACE_SEED(seed);
  for (const FrameFormat format : all_frame_formats) {
    const TestFrame input(format, 640, 360, 3, seed);
    const Frame frame = input.frame();
    const Moments whole = moments_cpu(frame, frame.whole(), filter);
    EXPECT_EQ(whole, input.moments(frame.whole(), fixed_for(format)));
    for (const int row : {0, 1, 2, 35, 179, 180, 181, 359, 360}) {
      EXPECT_EQ(moments_cpu(frame, {0, 0, 640, row}, filter, 3) +
                    moments_cpu(frame, {0, row, 640, 360 - row}, filter, 2),
                whole);
    }
    for (const int column : {0, 1, 2, 7, 15, 16, 255, 319, 321, 512, 639}) {
      EXPECT_EQ(moments_cpu(frame, {0, 0, column, 360}, filter, 3) +
                    moments_cpu(frame, {column, 0, 640 - column, 360}, filter, 1),
                whole);
    }
  }
}

TEST(MomentsCpu, DoesNotDependOnTheThreads) {
  const TestFrame input(FrameFormat::rgba, 1000, 700, 0, 9);
  const Moments expected = input.moments(input.frame().whole(), fixed_for(FrameFormat::rgba));
  for (const int threads : {0, 1, 2, 3, 5, 16, 64, 1000}) {
    EXPECT_EQ(moments_cpu(input.frame(), input.frame().whole(), filter, threads), expected) << threads;
  }
}

// Planes from flat to steep, whose coefficients take every length.
TEST(MomentsCpu, AnyFilterOnEachPath) {
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
      const Moments expected = input.moments(input.frame().whole(), fixed);
      for (const CpuPath path : available_cpu_paths()) {
        ASSERT_EQ(moments_cpu_by(path, input.frame(), input.frame().whole(), fixed, 1), expected)
            << describe(format, path, input.frame().whole()) << " " << to_string(any);
      }
    }
  }
}

// The largest frame, white: the sums of the places in closed form.
TEST(MomentsCpu, TheLargestFrameDoesNotOverflow) {
  const std::vector<std::uint8_t> white(std::size_t{max_width} * max_height * 4, 255);
  const Frame frame(FrameFormat::rgba, white.data(), max_width, max_height, max_width * 4);
  const auto sum = [](std::int64_t n) { return -(n / 2); };  // of -n/2 .. n/2 - 1
  const auto squares = [](std::uint64_t n) { return n * (n * n + 2) / 12; };
  constexpr std::uint64_t w = max_width, h = max_height, one = fixed_one;
  const Moments expected{one * w * h,
                         static_cast<std::int64_t>(one * h) * sum(max_width),
                         static_cast<std::int64_t>(one * w) * sum(max_height),
                         one * h * squares(w),
                         std::int64_t{fixed_one} * sum(max_width) * sum(max_height),
                         one * w * squares(h)};
  EXPECT_EQ(moments_cpu(frame, frame.whole(), {1.0 / 255, 0, 0, 0}), expected);
  for (const CpuPath path : available_cpu_paths()) {
    EXPECT_EQ(moments_cpu_by(path, frame, frame.whole(), fix({0, 0, 0, 1}), 0), expected) << to_string(path);
  }
  const Head head = head_of(expected, max_width, max_height);
  EXPECT_DOUBLE_EQ(head.x_px, (max_width - 1) / 2.0);
  EXPECT_DOUBLE_EQ(head.y_px, (max_height - 1) / 2.0);
}

TEST(MomentsCpu, ByTable) {
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
    for (const PixelBox& region :
         {PixelBox{0, 0, 130, 40}, PixelBox{7, 3, 101, 20}, PixelBox{130, 0, 0, 40}}) {
      const Moments expected = input.moments(region, [&](const std::array<int, 3>& p) {
        if (!test::is_yuv(format)) return weight(p[0], p[1], p[2]);
        const Rgb8 c = rgb_of_yuv(p[0], p[1], p[2]);
        return weight(c.r, c.g, c.b);
      });
      for (const int threads : {1, 3}) {
        EXPECT_EQ(moments_cpu(input.frame(), region, table, threads), expected) << to_string(format);
      }
    }
  }
}

// The integers of the conversion against the formula: half of a grey level away, and what three coefficients
// err that are rounded at 2^-20.
TEST(MomentsCpu, ConvertsYuv) {
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

TEST(MomentsCpu, ABatchHasTheBitsOfItsFramesOneByOne) {
  const WeightTable<std::uint16_t> table{Classifier{ChrominanceEllipse{{150, 110}, {0.01, 0, 0.01}, 1, 1}}};
  std::vector<TestFrame> inputs;
  for (const FrameFormat format : all_frame_formats) {
    inputs.emplace_back(format, 96, 64, 0, 11);
    inputs.emplace_back(format, 640, 480, 5, 12);  // enough for several threads
  }
  std::vector<Frame> frames;
  frames.reserve(inputs.size());
  for (const TestFrame& input : inputs) frames.push_back(input.frame());
  for (const int threads : {0, 1, 3, 64}) {  // few and many frames per thread
    std::vector<Moments> by_filter(frames.size()), by_table(frames.size());
    moments_batch_cpu(frames, filter, by_filter, threads);
    moments_batch_cpu(frames, table, by_table, threads);
    for (std::size_t i = 0; i < frames.size(); ++i) {
      EXPECT_EQ(by_filter[i], moments_cpu(frames[i], frames[i].whole(), filter)) << i;
      EXPECT_EQ(by_table[i], moments_cpu(frames[i], frames[i].whole(), table)) << i;
    }
    EXPECT_NE(by_filter[0], by_filter[1]);
  }
  std::vector<Moments> too_few(1);
  EXPECT_ERROR(moments_batch_cpu(frames, filter, too_few), InvalidArgument, "12 frames, not of 1");
  moments_batch_cpu({}, filter, {});
}

TEST(MomentsCpu, RejectsRegionsOutside) {
  const TestFrame input(FrameFormat::rgb, 64, 48, 0, 2);
  for (const PixelBox& region :
       {PixelBox{-1, 0, 5, 5}, PixelBox{0, -1, 5, 5}, PixelBox{60, 0, 5, 5}, PixelBox{0, 45, 5, 5},
        PixelBox{0, 0, -5, 5}, PixelBox{0, 0, 5, -5}, PixelBox{2147483647, 0, 2147483647, 1}}) {
    EXPECT_ERROR(moments_cpu(input.frame(), region, filter), InvalidArgument, "outside a frame of 64 x 48");
  }
  EXPECT_ERROR(moments_cpu(input.frame(), input.frame().whole(), {1e6, 0, 0, 0}), InvalidArgument,
               "too steep");
}

TEST(MomentsCpu, RefusesAPathThatTheMachineLacks) {
  EXPECT_EQ(available_cpu_paths().front(), CpuPath::plain);
  const TestFrame input(FrameFormat::rgb, 64, 48, 0, 2);
  for (const CpuPath path : {CpuPath::avx2, CpuPath::avx512, CpuPath::neon}) {
    const auto paths = available_cpu_paths();
    if (std::find(paths.begin(), paths.end(), path) != paths.end()) continue;
    EXPECT_ERROR(moments_cpu_by(path, input.frame(), input.frame().whole(), fix(filter), 1), InvalidArgument,
                 "does not have the CPU path " + to_string(path));
  }
}

}  // namespace
}  // namespace triptych::skin_tracker
