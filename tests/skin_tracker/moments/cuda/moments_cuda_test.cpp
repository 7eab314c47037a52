// The sums on the GPU: the bits of the CPU twin for every format, size, pitch, region, strategy, batch and
// split.
#include <triptych/core/graph.hpp>
#include <triptych/skin_tracker/moments.hpp>

#include <gtest/gtest.h>

#include "skin_tracker/frame/frames.hpp"
#include "skin_tracker/moments/print_moments.hpp"
#include "testing/cuda_fixture.hpp"
#include "testing/expect_error.hpp"

namespace triptych::skin_tracker {
namespace {

using reduction::Determinism;
using reduction::Options;
using reduction::Strategy;
using test::all_frame_formats;
using test::GuardedDevice;
using test::RandomFrame;

constexpr LinearFilter filter{0.012, -0.004, -0.006, -0.3};

Options by(Strategy strategy) { return {strategy, Determinism::gpu_to_gpu, 0}; }

class MomentsCuda : public test::CudaFixture {
 protected:
  template <class How>
  Moments sum(const DeviceFrame& frame, const PixelBox& region, const How& how, const Options& options = {}) {
    return result_of<Moments>(
        [&](Moments* sums) { moments_cuda(frame, region, how, sums, options, workspace_, stream()); });
  }
};

// Less than a tile, one block of tiles, all blocks, whole tiles and such that stick out, aligned or not.
TEST_F(MomentsCuda, EveryFormatSizeAndPitchHasTheBitsOfTheCpu) {
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
                moments_cpu(frame.host(), frame.host().whole(), filter))
          << frame.words() << ", seed " << seed;
    }
  }
}

TEST_F(MomentsCuda, FramesOf4KAnd8KHaveTheBitsOfTheCpu) {
  const struct { int width, height; } sizes[] = {{3840, 2160}, {8190, 4351}, {max_width, max_height}};
  for (const auto& size : sizes) {
    const RandomFrame frame(FrameFormat::rgba, size.width, size.height, 21);
    const auto memory = upload(frame.bytes());
    const LinearFilter whole{0, 0, 0, 1};  // the largest sums there are
    for (const LinearFilter& f : {filter, whole}) {
      EXPECT_EQ(sum(frame.device(memory.data()), frame.host().whole(), f),
                moments_cpu(frame.host(), frame.host().whole(), f))
          << frame.words();
    }
  }
}

TEST_F(MomentsCuda, RegionsHaveTheBitsOfTheCpu) {
  std::uint64_t seed = 300;
  for (const FrameFormat format : all_frame_formats) {
    const RandomFrame frame(format, 402, 230, ++seed, 6);
    const auto memory = upload(frame.bytes());
    for (const PixelBox region :
         {PixelBox{0, 0, 402, 230}, PixelBox{1, 1, 1, 1}, PixelBox{3, 7, 55, 33}, PixelBox{4, 2, 64, 64},
          PixelBox{401, 229, 1, 1}, PixelBox{100, 50, 301, 180}, PixelBox{10, 10, 0, 5},
          PixelBox{402, 230, 0, 0}}) {
      EXPECT_EQ(sum(frame.device(memory.data()), region, filter), moments_cpu(frame.host(), region, filter))
          << frame.words() << ", region at " << region.x << ", " << region.y;
    }
  }
}

TEST_F(MomentsCuda, EveryStrategyHasTheSameBits) {
  for (const FrameFormat format : {FrameFormat::rgba, FrameFormat::bgra}) {
    for (const auto& size : {std::pair{1920, 1080}, {333, 77}, {5, 3}}) {
      const RandomFrame frame(format, size.first, size.second, 41);
      const auto memory = upload(frame.bytes());
      const PixelBox whole = frame.host().whole();
      const Moments expected = moments_cpu(frame.host(), whole, filter);
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

WeightTable<std::uint16_t> arbitrary_table() {
  std::vector<std::uint16_t> weights(WeightTable<std::uint16_t>::colours);
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] = static_cast<std::uint16_t>(static_cast<std::uint32_t>(i) * 2654435761u >> 16);
  return WeightTable<std::uint16_t>(std::move(weights));
}

TEST_F(MomentsCuda, ATableHasTheBitsOfTheCpuForEveryFormat) {
  const WeightTable<std::uint16_t> table = arbitrary_table();
  const auto device_table = upload(table.weights());
  std::uint64_t seed = 500;
  for (const FrameFormat format : all_frame_formats) {
    for (const auto& size : {std::pair{1280, 720}, {131, 67}, {1, 1}}) {
      const RandomFrame frame(format, size.first, size.second, ++seed, size.first % 7);
      const auto memory = upload(frame.bytes());
      const Frame host = frame.host();
      const PixelBox part = clip({5, 3, host.width(), host.height() / 2}, host.width(), host.height());
      for (const PixelBox& region : {host.whole(), part})
        EXPECT_EQ(sum(frame.device(memory.data()), region, device_table.span()),
                  moments_cpu(host, region, table))
            << frame.words();
    }
  }
}

TEST_F(MomentsCuda, ABatchHasTheBitsOfItsFrames) {
  const struct {
    FrameFormat format;
    int width, height, count;
  } batches[] = {{FrameFormat::rgba, 640, 360, 1},   {FrameFormat::rgba, 640, 360, 7},
                 {FrameFormat::bgra, 1920, 1080, 3}, {FrameFormat::rgb, 101, 55, 5},
                 {FrameFormat::nv12, 640, 480, 4},   {FrameFormat::yuyv, 322, 100, 3},
                 {FrameFormat::rgba, 33, 17, 200},   {FrameFormat::bgr, 4, 4, 450}};
  const WeightTable<std::uint16_t> table = arbitrary_table();
  const auto device_table = upload(table.weights());
  for (const auto& b : batches) {
    std::vector<RandomFrame> frames;
    std::vector<DeviceBuffer<std::uint8_t>> memory;
    std::vector<DeviceFrame> on_device;
    for (int k = 0; k < b.count; ++k) {
      frames.emplace_back(b.format, b.width, b.height, 700 + static_cast<std::uint64_t>(k));
      memory.push_back(upload(frames.back().bytes()));
      on_device.push_back(frames.back().device(memory.back().data()));
    }
    std::vector<Frame> on_host;
    on_host.reserve(frames.size());
    for (const RandomFrame& frame : frames) on_host.push_back(frame.host());
    std::vector<Moments> by_filter(frames.size()), by_table(frames.size());
    moments_batch_cpu(on_host, filter, by_filter);
    moments_batch_cpu(on_host, table, by_table);
    for (int again = 0; again < 2; ++again) {
      GuardedDevice<Moments> filtered(b.count, stream()), looked_up(b.count, stream());
      moments_batch_cuda(on_device, filter, filtered.span().data(), workspace_, stream());
      moments_batch_cuda(on_device, device_table.span(), looked_up.span().data(), workspace_, stream());
      EXPECT_EQ(filtered.to_host(), by_filter) << frames[0].words();
      EXPECT_EQ(looked_up.to_host(), by_table) << frames[0].words();
      EXPECT_TRUE(filtered.intact() && looked_up.intact());
    }
  }
  moments_batch_cuda({}, filter, nullptr, workspace_, stream());  // nothing to do
  std::vector<std::uint32_t> words(Workspace::ticket_count);
  copy_to_host(DeviceSpan<const std::uint32_t>(workspace_.tickets(), Workspace::ticket_count),
               std::span<std::uint32_t>(words), stream());
  stream().synchronize();
  for (std::size_t k = 0; k < words.size(); ++k) ASSERT_EQ(words[k], 0u) << "ticket " << k;
}

TEST_F(MomentsCuda, FiveSplitsBetweenGpuAndCpuHaveTheBitsOfTheWhole) {
  std::uint64_t seed = 900;
  for (const FrameFormat format : all_frame_formats) {
    const RandomFrame frame(format, 1001, 600, ++seed, 3);
    const auto memory = upload(frame.bytes());
    const Frame host = frame.host();
    const Moments expected = moments_cpu(host, host.whole(), filter);
    for (const int rows : {0, 1, 149, 300, host.height()}) {
      const Moments upper = sum(frame.device(memory.data()), {0, 0, host.width(), rows}, filter);
      const Moments lower = moments_cpu(host, {0, rows, host.width(), host.height() - rows}, filter);
      EXPECT_EQ(upper + lower, expected) << frame.words() << ", " << rows << " rows on the GPU";
    }
  }
}

TEST_F(MomentsCuda, AChangedPixelChangesTheSums) {
  RandomFrame frame(FrameFormat::rgba, 641, 481, 13);
  const LinearFilter red{1.0 / 255, 0, 0, 0};
  const auto sums = [&] {
    const auto memory = upload(frame.bytes());
    return sum(frame.device(memory.data()), frame.host().whole(), red);
  };
  const Moments before = sums();
  frame.bytes()[std::size_t{4} * (641 * 481 - 1)] ^= 1;  // red of the last pixel
  EXPECT_NE(sums(), before);
}

TEST_F(MomentsCuda, EverythingIsCapturedAndReplayed) {
  RandomFrame frame(FrameFormat::rgba, 640, 360, 61);
  auto memory = upload(frame.bytes());
  const DeviceFrame device = frame.device(memory.data());
  const std::vector<DeviceFrame> twice{device, device};
  GuardedDevice<Moments> result(4, stream());
  workspace_.reserve(0, stream());
  const Graph graph = Graph::capture(stream(), [&] {
    Moments* sums = result.span().data();
    moments_cuda(device, device.whole(), filter, sums, {}, workspace_, stream());
    moments_batch_cuda(twice, filter, sums + 1, workspace_, stream());
    moments_cuda(device, device.whole(), filter, sums + 3, by(Strategy::single_pass), workspace_, stream());
  });
  EXPECT_EQ(graph.node_count(), 3);
  for (const std::uint64_t seed : {62u, 63u}) {
    frame.bytes() = test::random_values<std::uint8_t>(memory.size(), 0, 255, seed);
    copy_to_device(std::span<const std::uint8_t>(frame.bytes()), memory.span(), stream());
    graph.launch(stream());
    graph.launch(stream());
    const Moments expected = moments_cpu(frame.host(), frame.host().whole(), filter);
    for (const Moments& sums : result.to_host()) EXPECT_EQ(sums, expected);
  }
  EXPECT_TRUE(result.intact());
}

TEST_F(MomentsCuda, SteadyStateAllocatesNothing) {
  const RandomFrame frame(FrameFormat::rgba, 640, 360, 71);
  const auto memory = upload(frame.bytes());
  const std::vector<DeviceFrame> frames(5, frame.device(memory.data()));
  DeviceBuffer<Moments> result(5);
  const auto all = [&] {
    for (const Strategy strategy : reduction::all_strategies())
      moments_cuda(frames[0], frames[0].whole(), filter, result.data(), by(strategy), workspace_, stream());
    moments_batch_cuda(frames, filter, result.data(), workspace_, stream());
  };
  all();
  const auto before = device_allocation_count();
  all();
  EXPECT_EQ(device_allocation_count(), before);
  stream().synchronize();
}

TEST_F(MomentsCuda, BadInputIsRefusedBeforeAnythingIsWritten) {
  const RandomFrame frame(FrameFormat::rgba, 64, 32, 81), other(FrameFormat::rgba, 32, 32, 82),
      video(FrameFormat::nv12, 64, 32, 83);
  const auto memory = upload(frame.bytes()), other_memory = upload(other.bytes()),
             video_memory = upload(video.bytes());
  const DeviceFrame device = frame.device(memory.data());
  GuardedDevice<Moments> result(2, stream());
  Moments* sums = result.span().data();
  EXPECT_ERROR(moments_cuda(device, {60, 0, 5, 1}, filter, sums, {}, workspace_, stream()), InvalidArgument,
               "outside");
  EXPECT_ERROR(moments_cuda(device, device.whole(), filter, nullptr, {}, workspace_, stream()),
               InvalidArgument, "result");
  EXPECT_ERROR(
      moments_cuda(device, device.whole(), LinearFilter{1e9, 0, 0, 0}, sums, {}, workspace_, stream()),
      InvalidArgument, "steep");
  EXPECT_ERROR(
      moments_cuda(device, device.whole(), DeviceSpan<const std::uint16_t>(), sums, {}, workspace_, stream()),
      InvalidArgument, "table");
  const DeviceFrame nv12 = video.device(video_memory.data());
  EXPECT_ERROR(
      moments_cuda(nv12, nv12.whole(), filter, sums, by(Strategy::tree_sequential), workspace_, stream()),
      InvalidArgument, "tree_sequential");
  const std::vector<DeviceFrame> mixed{device, other.device(other_memory.data())};
  EXPECT_ERROR(moments_batch_cuda(mixed, filter, sums, workspace_, stream()), InvalidArgument, "one size");
  EXPECT_ERROR(moments_batch_cuda(std::span(mixed).first(1), filter, nullptr, workspace_, stream()),
               InvalidArgument, "null");
  for (const Moments& untouched : result.to_host()) EXPECT_EQ(untouched.weight, 0xCDCDCDCDCDCDCDCDu);
}

}  // namespace
}  // namespace triptych::skin_tracker
