// The sums on the GPU: the bits of the CPU twin for every format, size, pitch, region, strategy, batch and
// split.
#include "moments/cuda/pixel_groups.cuh"
#include "skin_tracker/frame/frames.hpp"
#include "testing/cuda_fixture.hpp"
#include "testing/expect_error.hpp"

#include <gtest/gtest.h>
#include <triptych/core/graph.hpp>
#include <triptych/skin_tracker/locate.hpp>

#include <ostream>

namespace triptych::skin_tracker {

inline std::ostream& operator<<(std::ostream& out, const Sums& s) {
  return out << "{" << s.weight << ", " << s.x << ", " << s.y << ", " << s.xx << ", " << s.xy << ", " << s.yy
             << "}";
}

namespace {

using reduction::Determinism;
using reduction::Options;
using reduction::Strategy;
using test::all_frame_formats;
using test::GuardedDevice;
using test::RandomFrame;

constexpr LinearFilter filter{0.012, -0.004, -0.006, -0.3};

Options by(Strategy strategy) { return {strategy, Determinism::gpu_to_gpu, 0}; }

// What the kernels add up, on the host: no GPU is needed to see that it is right.
template <class Layout, class Weights>
void expect_groups(const Frame& frame, const Region& region, const Weights& weights, const Sums& expected) {
  const PixelGroups<Layout, Weights> pixels(frame, region, weights);
  const AddSums add;
  SumWords by_pixel = add.identity(), by_group = by_pixel, by_aligned_group = by_pixel;
  for (std::int64_t i = 0; i < pixels.elements(); ++i) by_pixel = add(by_pixel, pixels(i));
  for (std::int64_t i = 0; i < pixels.elements(); i += 8) {
    by_group = add(by_group, pixels.fold(pixels.load(i), i, add));
    if (pixels.aligned())
      by_aligned_group = add(by_aligned_group, pixels.fold(pixels.load_aligned(i), i, add));
  }
  EXPECT_EQ(to_sums(by_pixel), expected);
  EXPECT_EQ(to_sums(by_group), expected);
  if (pixels.aligned()) {
    EXPECT_EQ(to_sums(by_aligned_group), expected);
  }
}

// The same of the tiles that warps add up, lane after lane.
template <class Layout, int steps, class Weights>
void expect_tiles(const Frame& frame, const Region& region, const Weights& weights, const Sums& expected) {
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
      if (tile == 0) frame_tiles.ask(start, lane, ahead[lane]);
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
  EXPECT_EQ(to_sums({sum[0], sum[1], sum[2], sum[3], sum[4], sum[5]}), expected);
}

template <class Layout>
void expect_both(const Frame& frame, const Region& region, const DotWeights& weights, const Sums& expected) {
  expect_groups<Layout>(frame, region, weights, expected);
  expect_tiles<Layout, 1>(frame, region, weights, expected);
  expect_tiles<Layout, 2>(frame, region, weights, expected);
  expect_tiles<Layout, 4>(frame, region, weights, expected);
}

DotWeights dot_weights(FrameFormat format, const LinearFilter& f) {
  const FixedFilter x = fix(f, channels_of(format));
  const bool blue_first = format == FrameFormat::bgr || format == FrameFormat::bgra;
  return blue_first ? DotWeights(x.c2, x.c1, x.c0, x) : DotWeights(x.c0, x.c1, x.c2, x);
}

void expect_both(const Frame& frame, const Region& region, const LinearFilter& f) {
  const Sums expected = sum_cpu(frame, region, f, 1);
  const DotWeights weights = dot_weights(frame.format(), f);
  switch (frame.format()) {
    case FrameFormat::rgb:
    case FrameFormat::bgr:
      return expect_both<Rgb4>(frame, region, weights, expected);
    case FrameFormat::rgba:
    case FrameFormat::bgra:
      return expect_both<Rgba4>(frame, region, weights, expected);
    case FrameFormat::nv12:
      return expect_both<Nv12x4>(frame, region, weights, expected);
    case FrameFormat::yuyv:
      return expect_both<Yuyv4>(frame, region, weights, expected);
  }
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
    const Region region{x, y, below(host.width() - x + 1), below(host.height() - y + 1)};
    const auto any = [&](double most) { return most * (below(2001) - 1000) / 1000; };
    const LinearFilter f{any(0.05), any(0.05), any(0.05), any(2)};
    expect_both(host, host.whole(), f);
    expect_both(host, region, f);
  }
}

// The largest magnitudes that 32 bits have to hold.
TEST(PixelGroups, TheWidestFrameOfWholeWeightsDoesNotOverflow) {
  constexpr int rows = 16;  // of the highest tile
  const std::vector<std::uint8_t> bytes(std::size_t{4} * most_width * rows, 255);
  const Frame frame(FrameFormat::rgba, bytes.data(), most_width, rows, 4 * most_width);
  expect_both(frame, frame.whole(), {0, 0, 0, 1});
}

TEST(PixelGroups, TheQuotientIsExactForEveryWidth) {
  for (std::uint32_t divisor = 1; divisor <= most_width / 4; ++divisor) {
    const detail::Divisor by(divisor);
    for (std::uint32_t row = 0; row <= most_height / 2; ++row) {
      // the first and the last group of a row: between them the quotient can only be the same
      ASSERT_EQ(by.quotient(row * divisor), row) << divisor;
      ASSERT_EQ(by.quotient(row * divisor + divisor - 1), row) << divisor;
    }
    ASSERT_EQ(by.quotient(0x7fffffffu), 0x7fffffffu / divisor) << divisor;
  }
}

class LocateCuda : public test::CudaFixture {
 protected:
  template <class How>
  Sums sum(const DeviceFrame& frame, const Region& region, const How& how, const Options& options = {}) {
    return result_of<Sums>(
        [&](Sums* sums) { sum_cuda(frame, region, how, sums, options, workspace_, stream()); });
  }
};

// Less than a tile, one block of tiles, all blocks, whole tiles and such that stick out, aligned or not.
TEST_F(LocateCuda, EveryFormatSizeAndPitchHasTheBitsOfTheCpu) {
  const struct {
    int width, height, padding, offset;
  } shapes[] = {{1, 1, 0, 0},       {3, 2, 1, 0},       {4, 2, 0, 0},      {31, 33, 5, 1},
                {64, 48, 0, 0},     {127, 63, 1, 3},    {320, 240, 0, 0},  {322, 241, 2, 0},
                {640, 480, 64, 16}, {642, 480, 0, 4},   {1281, 721, 7, 2}, {1280, 720, 16, 0},
                {1920, 1080, 0, 0}, {1920, 1081, 32, 0}};
  std::uint64_t seed = 100;
  for (const FrameFormat format : all_frame_formats) {
    for (const auto& s : shapes) {
      const RandomFrame frame(format, s.width, s.height, ++seed, s.padding, s.offset);
      const auto memory = upload(frame.bytes());
      EXPECT_EQ(sum(frame.device(memory.data()), frame.host().whole(), filter),
                sum_cpu(frame.host(), frame.host().whole(), filter))
          << frame.words() << ", seed " << seed;
    }
  }
}

TEST_F(LocateCuda, FramesOf4KAnd8KHaveTheBitsOfTheCpu) {
  const struct { int width, height; } sizes[] = {{3840, 2160}, {8190, 4351}, {most_width, most_height}};
  for (const auto& size : sizes) {
    const RandomFrame frame(FrameFormat::rgba, size.width, size.height, 21);
    const auto memory = upload(frame.bytes());
    const LinearFilter whole{0, 0, 0, 1};  // the largest sums there are
    for (const LinearFilter& f : {filter, whole}) {
      EXPECT_EQ(sum(frame.device(memory.data()), frame.host().whole(), f),
                sum_cpu(frame.host(), frame.host().whole(), f))
          << frame.words();
    }
  }
}

TEST_F(LocateCuda, RegionsHaveTheBitsOfTheCpu) {
  std::uint64_t seed = 300;
  for (const FrameFormat format : all_frame_formats) {
    const RandomFrame frame(format, 402, 230, ++seed, 6);
    const auto memory = upload(frame.bytes());
    for (const Region region :
         {Region{0, 0, 402, 230}, Region{1, 1, 1, 1}, Region{3, 7, 55, 33}, Region{4, 2, 64, 64},
          Region{401, 229, 1, 1}, Region{100, 50, 301, 180}, Region{10, 10, 0, 5}, Region{402, 230, 0, 0}}) {
      EXPECT_EQ(sum(frame.device(memory.data()), region, filter), sum_cpu(frame.host(), region, filter))
          << frame.words() << ", region at " << region.x << ", " << region.y;
    }
  }
}

TEST_F(LocateCuda, EveryStrategyHasTheSameBits) {
  for (const FrameFormat format : {FrameFormat::rgba, FrameFormat::bgra}) {
    for (const auto& size : {std::pair{1920, 1080}, {333, 77}, {5, 3}}) {
      const RandomFrame frame(format, size.first, size.second, 41);
      const auto memory = upload(frame.bytes());
      const Region whole = frame.host().whole();
      const Sums expected = sum_cpu(frame.host(), whole, filter);
      for (const Strategy strategy : reduction::all_strategies())
        EXPECT_EQ(sum(frame.device(memory.data()), whole, filter, by(strategy)), expected)
            << reduction::to_string(strategy) << ", " << frame.words();
      for (const int blocks : {1, 7, 1000})
        EXPECT_EQ(sum(frame.device(memory.data()), whole, filter,
                      {Strategy::single_pass, Determinism::gpu_to_gpu, blocks}),
                  expected)
            << blocks << " blocks, " << frame.words();
    }
  }
}

TEST_F(LocateCuda, ATableHasTheBitsOfTheCpuForEveryFormat) {
  std::vector<std::uint16_t> weights(WeightTable<std::uint16_t>::colours);
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] = static_cast<std::uint16_t>(static_cast<std::uint32_t>(i) * 2654435761u >> 16);
  const WeightTable<std::uint16_t> table(std::move(weights));
  const auto device_table = upload(table.weights());
  std::uint64_t seed = 500;
  for (const FrameFormat format : all_frame_formats) {
    for (const auto& size : {std::pair{1280, 720}, {131, 67}, {1, 1}}) {
      const RandomFrame frame(format, size.first, size.second, ++seed, size.first % 7);
      const auto memory = upload(frame.bytes());
      const Frame host = frame.host();
      const Region part = clip({5, 3, host.width(), host.height() / 2}, host.width(), host.height());
      for (const Region& region : {host.whole(), part})
        EXPECT_EQ(sum(frame.device(memory.data()), region, device_table.span()), sum_cpu(host, region, table))
            << frame.words();
    }
  }
}

TEST_F(LocateCuda, ABatchHasTheBitsOfItsFrames) {
  const struct {
    FrameFormat format;
    int width, height, count;
  } batches[] = {{FrameFormat::rgba, 640, 360, 1},   {FrameFormat::rgba, 640, 360, 7},
                 {FrameFormat::bgra, 1920, 1080, 3}, {FrameFormat::rgb, 101, 55, 5},
                 {FrameFormat::nv12, 640, 480, 4},   {FrameFormat::yuyv, 322, 100, 3},
                 {FrameFormat::rgba, 33, 17, 200},   {FrameFormat::bgr, 4, 4, 450}};
  for (const auto& b : batches) {
    std::vector<RandomFrame> frames;
    std::vector<DeviceBuffer<std::uint8_t>> memory;
    std::vector<DeviceFrame> on_device;
    for (int k = 0; k < b.count; ++k) {
      frames.emplace_back(b.format, b.width, b.height, 700 + static_cast<std::uint64_t>(k));
      memory.push_back(upload(frames.back().bytes()));
      on_device.push_back(frames.back().device(memory.back().data()));
    }
    for (int again = 0; again < 2; ++again) {
      GuardedDevice<Sums> result(b.count, stream());
      sum_batch_cuda(on_device, filter, result.span().data(), workspace_, stream());
      const auto sums = result.to_host();
      EXPECT_TRUE(result.intact());
      for (std::size_t k = 0; k < sums.size(); ++k)
        ASSERT_EQ(sums[k], sum_cpu(frames[k].host(), frames[k].host().whole(), filter))
            << frames[k].words() << ", frame " << k;
    }
  }
  sum_batch_cuda({}, filter, nullptr, workspace_, stream());  // nothing to do
  std::vector<std::uint32_t> words(Workspace::ticket_count);
  copy_to_host(DeviceSpan<const std::uint32_t>(workspace_.tickets(), Workspace::ticket_count),
               std::span<std::uint32_t>(words), stream());
  stream().synchronize();
  for (std::size_t k = 0; k < words.size(); ++k) ASSERT_EQ(words[k], 0u) << "ticket " << k;
}

TEST_F(LocateCuda, FiveSplitsBetweenGpuAndCpuHaveTheBitsOfTheWhole) {
  std::uint64_t seed = 900;
  for (const FrameFormat format : all_frame_formats) {
    const RandomFrame frame(format, 1001, 600, ++seed, 3);
    const auto memory = upload(frame.bytes());
    const Frame host = frame.host();
    const Sums expected = sum_cpu(host, host.whole(), filter);
    for (const int rows : {0, 1, 149, 300, host.height()}) {
      const Sums upper = sum(frame.device(memory.data()), {0, 0, host.width(), rows}, filter);
      const Sums lower = sum_cpu(host, {0, rows, host.width(), host.height() - rows}, filter);
      EXPECT_EQ(upper + lower, expected) << frame.words() << ", " << rows << " rows on the GPU";
    }
  }
}

TEST_F(LocateCuda, AChangedPixelChangesTheSums) {
  RandomFrame frame(FrameFormat::rgba, 641, 481, 13);
  const LinearFilter red{1.0 / 255, 0, 0, 0};
  const auto sums = [&] {
    const auto memory = upload(frame.bytes());
    return sum(frame.device(memory.data()), frame.host().whole(), red);
  };
  const Sums before = sums();
  frame.bytes()[std::size_t{4} * (641 * 481 - 1)] ^= 1;  // red of the last pixel
  EXPECT_NE(sums(), before);
}

TEST_F(LocateCuda, EverythingIsCapturedAndReplayed) {
  RandomFrame frame(FrameFormat::rgba, 640, 360, 61);
  auto memory = upload(frame.bytes());
  const DeviceFrame device = frame.device(memory.data());
  const std::vector<DeviceFrame> twice{device, device};
  GuardedDevice<Sums> result(4, stream());
  workspace_.reserve(0, stream());
  const Graph graph = Graph::capture(stream(), [&] {
    Sums* sums = result.span().data();
    sum_cuda(device, device.whole(), filter, sums, {}, workspace_, stream());
    sum_batch_cuda(twice, filter, sums + 1, workspace_, stream());
    sum_cuda(device, device.whole(), filter, sums + 3, by(Strategy::single_pass), workspace_, stream());
  });
  EXPECT_EQ(graph.node_count(), 3);
  for (const std::uint64_t seed : {62u, 63u}) {
    frame.bytes() = test::random_values<std::uint8_t>(memory.size(), 0, 255, seed);
    copy_to_device(std::span<const std::uint8_t>(frame.bytes()), memory.span(), stream());
    graph.launch(stream());
    graph.launch(stream());
    const Sums expected = sum_cpu(frame.host(), frame.host().whole(), filter);
    for (const Sums& sums : result.to_host()) EXPECT_EQ(sums, expected);
  }
  EXPECT_TRUE(result.intact());
}

TEST_F(LocateCuda, SteadyStateAllocatesNothing) {
  const RandomFrame frame(FrameFormat::rgba, 640, 360, 71);
  const auto memory = upload(frame.bytes());
  const std::vector<DeviceFrame> frames(5, frame.device(memory.data()));
  DeviceBuffer<Sums> result(5);
  const auto all = [&] {
    for (const Strategy strategy : reduction::all_strategies())
      sum_cuda(frames[0], frames[0].whole(), filter, result.data(), by(strategy), workspace_, stream());
    sum_batch_cuda(frames, filter, result.data(), workspace_, stream());
  };
  all();
  const auto before = device_allocation_count();
  all();
  EXPECT_EQ(device_allocation_count(), before);
  stream().synchronize();
}

TEST_F(LocateCuda, BadInputIsRefusedBeforeAnythingIsWritten) {
  const RandomFrame frame(FrameFormat::rgba, 64, 32, 81), other(FrameFormat::rgba, 32, 32, 82),
      video(FrameFormat::nv12, 64, 32, 83);
  const auto memory = upload(frame.bytes()), other_memory = upload(other.bytes()),
             video_memory = upload(video.bytes());
  const DeviceFrame device = frame.device(memory.data());
  GuardedDevice<Sums> result(2, stream());
  Sums* sums = result.span().data();
  EXPECT_ERROR(sum_cuda(device, {60, 0, 5, 1}, filter, sums, {}, workspace_, stream()), InvalidArgument,
               "outside");
  EXPECT_ERROR(sum_cuda(device, device.whole(), filter, nullptr, {}, workspace_, stream()), InvalidArgument,
               "result");
  EXPECT_ERROR(sum_cuda(device, device.whole(), LinearFilter{1e9, 0, 0, 0}, sums, {}, workspace_, stream()),
               InvalidArgument, "steep");
  EXPECT_ERROR(
      sum_cuda(device, device.whole(), DeviceSpan<const std::uint16_t>(), sums, {}, workspace_, stream()),
      InvalidArgument, "table");
  const DeviceFrame nv12 = video.device(video_memory.data());
  EXPECT_ERROR(
      sum_cuda(nv12, nv12.whole(), filter, sums, by(Strategy::tree_sequential), workspace_, stream()),
      InvalidArgument, "tree_sequential");
  const std::vector<DeviceFrame> mixed{device, other.device(other_memory.data())};
  EXPECT_ERROR(sum_batch_cuda(mixed, filter, sums, workspace_, stream()), InvalidArgument, "one size");
  EXPECT_ERROR(sum_batch_cuda(std::span(mixed).first(1), filter, nullptr, workspace_, stream()),
               InvalidArgument, "null");
  for (const Sums& untouched : result.to_host()) EXPECT_EQ(untouched.weight, 0xCDCDCDCDCDCDCDCDu);
}

}  // namespace
}  // namespace triptych::skin_tracker
