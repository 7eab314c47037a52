// The maths of the kernels that add up a frame, on the host: no GPU is needed to see that it is right.
#include <triptych/skin_tracker/moments.hpp>

#include <gtest/gtest.h>

#include "moments/cuda/frame_tiles.cuh"
#include "moments/cuda/pixel_groups.cuh"
#include "moments/cuda/pixel_weights.cuh"
#include "skin_tracker/frame/frames.hpp"
#include "skin_tracker/moments/print_moments.hpp"

namespace triptych::skin_tracker {
namespace {

using test::all_frame_formats;
using test::RandomFrame;

// By single pixels and by groups.
template <class Layout, class Weights>
void expect_groups(const Frame& frame, const PixelBox& region, const Weights& weights,
                   const Moments& expected) {
  const PixelGroups<Layout, Weights> pixels(frame, region, weights);
  const AddMoments add;
  MomentWords by_pixel = add.identity(), by_group = by_pixel, by_aligned_group = by_pixel;
  for (std::int64_t i = 0; i < pixels.elements(); ++i) by_pixel = add(by_pixel, pixels(i));
  for (std::int64_t i = 0; i < pixels.elements(); i += 8) {
    by_group = add(by_group, pixels.fold(pixels.load(i), i, add));
    if (pixels.aligned())
      by_aligned_group = add(by_aligned_group, pixels.fold(pixels.load_aligned(i), i, add));
  }
  EXPECT_EQ(to_moments(by_pixel), expected);
  EXPECT_EQ(to_moments(by_group), expected);
  if (pixels.aligned()) {
    EXPECT_EQ(to_moments(by_aligned_group), expected);
  }
}

// The same of the tiles that warps add up, lane after lane.
template <class Layout, int steps, class Weights>
void expect_tiles(const Frame& frame, const PixelBox& region, const Weights& weights,
                  const Moments& expected) {
  const FrameTiles<Layout, Weights, steps, Reading::kept> frame_tiles(frame, region, weights);
  std::uint64_t sum[6] = {};
  using Tiles = FrameTiles<Layout, Weights, steps, Reading::kept>;
  typename Tiles::Step ahead[32];
  const auto start_of = [&](int tile, int lane) {
    return frame_tiles.start_of(frame_tiles.place_of(tile), lane);
  };
  for (int tile = 0; tile < frame_tiles.tiles(); ++tile) {
    const TilePlace place = frame_tiles.place_of(tile);
    std::int64_t weight = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
    for (int lane = 0; lane < 32; ++lane) {
      const auto start = start_of(tile, lane), next = start_of(tile + 1, lane);
      if (tile == 0) frame_tiles.prefetch(start, lane, ahead[lane]);
      const bool more = tile + 1 < frame_tiles.tiles();
      const LaneSums l = frame_tiles.of_lane(start, lane, ahead[lane], next, more);
      weight += l.weight, x += l.x, y += l.y, xy += l.xy, yy += l.yy;
      xx += (std::int64_t{l.xx_high} << 16) + l.xx_low;
    }
    const auto low = [](std::int64_t v) { return static_cast<std::int32_t>(v & 0xffff); };
    const auto high = [](std::int64_t v) { return static_cast<std::int32_t>(v >> 16); };
    const auto word = [](std::int64_t v) { return static_cast<std::int32_t>(v); };
    ASSERT_EQ(word(weight), weight);
    ASSERT_EQ(word(y), y);
    const TileSums t{place,    word(weight), word(y),  low(x),  high(x), low(xx),
                     high(xx), low(xy),      high(xy), low(yy), high(yy)};
    for (int k = 0; k < 6; ++k) sum[k] += frame_tiles.sum_of(t, k);
  }
  EXPECT_EQ(to_moments({sum[0], sum[1], sum[2], sum[3], sum[4], sum[5]}), expected);
}

template <class Layout>
void expect_both(const Frame& frame, const PixelBox& region, const DotWeights& weights,
                 const Moments& expected) {
  expect_groups<Layout>(frame, region, weights, expected);
  expect_tiles<Layout, 2>(frame, region, weights, expected);
  expect_tiles<Layout, 4>(frame, region, weights, expected);
}

void expect_both(const Frame& frame, const PixelBox& region, const LinearFilter& f) {
  const Moments expected = moments_cpu(frame, region, f, 1);
  const DotWeights weights(fix(f, channels_of(frame.format())), frame.format());
  by_layout(frame.format(),
            [&](auto layout) { expect_both<decltype(layout)>(frame, region, weights, expected); });
}

TEST(PixelGroups, TheirSumsAreTheFramesOnTheHostToo) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    TRIPTYCH_TRACE_SEED(seed);
    PhiloxStream random(seed, 1);
    const auto below = [&](int n) { return static_cast<int>(random.next() % static_cast<unsigned>(n)); };
    const FrameFormat format = all_frame_formats[static_cast<std::size_t>(below(6))];
    const bool round = seed % 3 == 0;
    const RandomFrame frame(format, round ? 4 * (1 + below(80)) : 1 + below(300), 1 + below(40), seed,
                            round ? 0 : below(20), round ? 0 : below(4));
    SCOPED_TRACE(frame.words());
    const Frame host = frame.host();
    const int x = below(host.width()), y = below(host.height());
    const PixelBox region{x, y, below(host.width() - x + 1), below(host.height() - y + 1)};
    const auto any = [&](double most) { return most * (below(2001) - 1000) / 1000; };
    const LinearFilter f{any(0.05), any(0.05), any(0.05), any(2)};
    expect_both(host, host.whole(), f);
    expect_both(host, region, f);
  }
}

// The largest magnitudes that 32 bits have to hold.
TEST(PixelGroups, TheWidestFrameOfWholeWeightsDoesNotOverflow) {
  constexpr int rows = 16;  // of the highest tile
  const std::vector<std::uint8_t> bytes(std::size_t{4} * max_width * rows, 255);
  const Frame frame(FrameFormat::rgba, bytes.data(), max_width, rows, 4 * max_width);
  expect_both(frame, frame.whole(), {0, 0, 0, 1});
}

TEST(PixelGroups, TheQuotientIsExactForEveryWidth) {
  for (std::uint32_t divisor = 1; divisor <= max_width / 4; ++divisor) {
    const detail::Divisor by(divisor);
    for (std::uint32_t row = 0; row <= max_height / 2; ++row) {
      // the first and the last group of a row: between them the quotient can only be the same
      ASSERT_EQ(by.quotient(row * divisor), row) << divisor;
      ASSERT_EQ(by.quotient(row * divisor + divisor - 1), row) << divisor;
    }
    ASSERT_EQ(by.quotient(0x7fffffffu), 0x7fffffffu / divisor) << divisor;
  }
}

}  // namespace
}  // namespace triptych::skin_tracker
