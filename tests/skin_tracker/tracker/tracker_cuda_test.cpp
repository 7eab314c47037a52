// What adds up pixels for a tracker on a GPU, alone or beside the CPU: the bits of the CPU, from memory of
// any kind, and nothing allocated once it runs.
#include <triptych/skin_tracker/moments.hpp>
#include <triptych/skin_tracker/tracker.hpp>

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "skin_tracker/engine/moment_engines.hpp"
#include "skin_tracker/frame/frames.hpp"
#include "testing/expect_error.hpp"
#include "testing/gpu.hpp"

namespace triptych::skin_tracker {
namespace {

using test::all_frame_formats;
using test::cuda_engine;
using test::joint_engine;
using test::PinnedFrame;
using test::RandomFrame;

constexpr LinearFilter filter{0.012, -0.004, -0.006, -0.3};

class TrackerCuda : public testing::Test {
 protected:
  void SetUp() override { TRIPTYCH_REQUIRE_CUDA_OR_SKIP(); }
};

void expect_bits_of_the_cpu(MomentEngine& engine, const Frame& frame) {
  const int w = frame.width(), h = frame.height();
  const PixelBox whole = frame.whole();
  EXPECT_EQ(engine.compute(frame, whole), moments_cpu(frame, whole, filter));
  // then parts of the same frame
  for (const PixelBox region :
       {PixelBox{3, 5, w / 2, h / 3}, PixelBox{0, 0, w, 0}, PixelBox{w - 1, h - 1, 1, 1}})
    EXPECT_EQ(engine.compute(frame, region), moments_cpu(frame, region, filter)) << region.y;
}

TEST_F(TrackerCuda, EveryFormatFromPageableAndPageLockedMemory) {
  std::uint64_t seed = 10;
  for (const FrameFormat format : all_frame_formats) {
    for (const int padding : {0, 5}) {
      const RandomFrame pageable(format, 642, 482, ++seed, padding), next(format, 642, 482, ++seed, padding);
      SCOPED_TRACE(pageable.words());
      const PinnedFrame locked(pageable);
      const Frame first = pageable.host();
      for (const bool joint : {false, true}) {
        const auto engine = joint ? joint_engine(filter, format, first.width(), first.height())
                                  : cuda_engine(filter, format, first.width(), first.height());
        expect_bits_of_the_cpu(*engine, first);
        expect_bits_of_the_cpu(*engine, next.host());
        expect_bits_of_the_cpu(*engine, locked.host());
      }
    }
  }
}

// Only the rows of a region are uploaded: rows of the frame before must not be mistaken for this one's.
TEST_F(TrackerCuda, RegionsOfFramesThatChange) {
  for (const FrameFormat format : {FrameFormat::rgba, FrameFormat::nv12}) {
    const RandomFrame one(format, 320, 200, 21), two(format, 320, 200, 22);
    const auto engine = cuda_engine(filter, format, 320, 200);
    for (const PixelBox region :
         {PixelBox{0, 0, 320, 200}, PixelBox{10, 91, 100, 17}, PixelBox{10, 50, 100, 20},
          PixelBox{0, 40, 320, 1}, PixelBox{0, 0, 320, 200}}) {
      for (const RandomFrame* frame : {&one, &two})
        EXPECT_EQ(engine->compute(frame->host(), region), moments_cpu(frame->host(), region, filter))
            << to_string(format) << ", rows from " << region.y;
    }
  }
}

// Frames on their way at the same time: pageable ones may change at once, the order is kept.
TEST_F(TrackerCuda, FramesInFlightKeepTheirOrderAndTheirPixels) {
  for (const Device& device : {Device::cuda(), Device::joint()}) {
    for (const bool pinned : {false, true}) {
      Tracker tracker(filter, {}, device);
      std::vector<RandomFrame> frames;
      std::vector<PinnedFrame> locked;
      frames.reserve(20);
      locked.reserve(20);
      for (std::uint64_t k = 0; k < 20; ++k) frames.emplace_back(FrameFormat::rgba, 640, 360, 100 + k);
      for (const RandomFrame& frame : frames) locked.emplace_back(frame);
      std::vector<std::uint8_t> camera(frames[0].bytes().size());  // one buffer, filled again and again
      const auto frame = [&](std::size_t k) -> Frame {
        if (pinned) return locked[k].host();
        camera = frames[k].bytes();
        const Frame f = frames[k].host();
        return {f.format(), camera.data(), f.width(), f.height(), f.pitch_bytes()};
      };
      const auto expect = [&](std::size_t k) {
        const TrackedHead head = tracker.next();
        const Head exact = locate_cpu(frames[k].host(), filter);
        EXPECT_EQ(head.frame, static_cast<std::int64_t>(k));
        EXPECT_EQ(head.raw.x_px, exact.x_px) << k;
        EXPECT_EQ(head.raw.y_px, exact.y_px) << k;
        EXPECT_EQ(head.raw.xx_px2, exact.xx_px2) << k;
      };
      for (std::size_t k = 0; k < frames.size(); ++k) {
        if (tracker.in_flight() == max_in_flight) expect(k - static_cast<std::size_t>(max_in_flight));
        tracker.submit(frame(k));
      }
      EXPECT_EQ(tracker.in_flight(), max_in_flight);
      EXPECT_ERROR(tracker.submit(frame(0)), InvalidArgument, "in flight");
      EXPECT_ERROR(tracker.step(frame(0)), InvalidArgument, "in flight");
      for (std::size_t k = frames.size() - 3; k < frames.size(); ++k) expect(k);
      EXPECT_ERROR(tracker.next(), InvalidArgument, "submit");
      tracker.submit(frame(1));  // destroyed with a frame on its way
    }
  }
}

TEST_F(TrackerCuda, AFrameOnTheGpuStaysThere) {
  const RandomFrame frame(FrameFormat::bgra, 640, 360, 31);
  Stream stream;
  DeviceBuffer<std::uint8_t> memory(static_cast<std::int64_t>(frame.bytes().size()));
  copy_to_device(std::span<const std::uint8_t>(frame.bytes()), memory.span(), stream);
  stream.synchronize();
  const PixelBox region{11, 21, 300, 200};
  for (const bool joint : {false, true}) {
    const auto engine = joint ? joint_engine(filter, FrameFormat::bgra, 640, 360)
                              : cuda_engine(filter, FrameFormat::bgra, 640, 360);
    EXPECT_EQ(engine->compute(frame.device(memory.data()), region),
              moments_cpu(frame.host(), region, filter));
    EXPECT_EQ(engine->gpu_rows(), 200);
  }
}

TEST_F(TrackerCuda, ClassifiersThatAreNotLinearGoByTheirTable) {
  ChrominanceEllipse ellipse;
  ellipse.mean = {150, 110};
  ellipse.precision = {0.005, 0.001, 0.008};
  const WeightTable<std::uint16_t> table{Classifier(ellipse)};
  for (const FrameFormat format : {FrameFormat::rgb, FrameFormat::nv12}) {
    const RandomFrame frame(format, 322, 242, 41);
    const Moments expected = moments_cpu(frame.host(), frame.host().whole(), table);
    EXPECT_GT(expected.weight, 0u);
    const auto cuda = cuda_engine(ellipse, format, 322, 242);
    const auto joint = joint_engine(ellipse, format, 322, 242, 2);
    EXPECT_EQ(cuda->compute(frame.host(), frame.host().whole()), expected);
    for (int k = 0; k < 5; ++k) EXPECT_EQ(joint->compute(frame.host(), frame.host().whole()), expected);
  }
}

// How the rows are shared depends on times; the sums do not.
TEST_F(TrackerCuda, TheJointFormHasTheBitsOfTheCpuWhateverTheGpuTakes) {
  const RandomFrame frame(FrameFormat::rgba, 1920, 1080, 51);
  const Moments expected = moments_cpu(frame.host(), frame.host().whole(), filter);
  const PinnedFrame locked(frame);
  for (const bool pinned : {false, true}) {
    const Frame host = pinned ? locked.host() : frame.host();
    const auto engine = joint_engine(filter, FrameFormat::rgba, 1920, 1080);
    for (int k = 0; k < 100; ++k) {
      EXPECT_EQ(engine->compute(host, host.whole()), expected);
      // copying what a core could have added up meanwhile is not worth it
      EXPECT_LE(engine->gpu_rows(), pinned ? 1080 : 0);
      EXPECT_GE(engine->gpu_rows(), 0);
    }
  }
}

// Pageable frames stay with the CPU.
TEST_F(TrackerCuda, TheJointFormTakesFramesOfAnyMemoryInAnyOrder) {
  const RandomFrame first(FrameFormat::rgba, 640, 360, 52), second(FrameFormat::rgba, 640, 360, 53);
  const PinnedFrame locked(first);
  const PixelBox part{100, 31, 300, 212};
  const auto engine = joint_engine(filter, FrameFormat::rgba, 640, 360);
  for (int k = 0; k < 120; ++k) {
    const Frame host = k / 3 % 3 == 1 || k % 5 == 0 ? second.host() : locked.host();
    const PixelBox region = k % 4 == 3 ? part : host.whole();
    EXPECT_EQ(engine->compute(host, region), moments_cpu(host, region, filter)) << k;
    if (host.data() == second.host().data()) {
      EXPECT_EQ(engine->gpu_rows(), 0) << k;
    }
  }
}

TEST_F(TrackerCuda, SteadyStateAllocatesNothing) {
  const RandomFrame frame(FrameFormat::rgba, 640, 360, 61);
  const PixelBox part{100, 100, 50, 60};
  for (const bool joint : {false, true}) {
    const auto engine = joint ? joint_engine(filter, FrameFormat::rgba, 640, 360)
                              : cuda_engine(filter, FrameFormat::rgba, 640, 360);
    const auto run = [&] {
      for (int k = 0; k < 5; ++k) {
        engine->compute(frame.host(), frame.host().whole());
        engine->compute(frame.host(), part);
      }
    };
    run();
    const auto device = device_allocation_count();
    const auto pinned = pinned_allocation_count();
    run();
    EXPECT_EQ(device_allocation_count(), device);
    EXPECT_EQ(pinned_allocation_count(), pinned);
  }
}

// The gate samples a head that grows and moves: its maps have different sizes.
TEST_F(TrackerCuda, GatedFramesOnTheGpuAllocateNothing) {
  TrackerOptions options;
  options.gate = true;
  options.start = PixelBox{20, 20, 30, 40};
  Tracker tracker(filter, options, Device::cuda());
  Stream stream;
  DeviceBuffer<std::uint8_t> memory(std::int64_t{3} * 640 * 480);
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(memory.size()));
  const auto step = [&](int k) {
    std::fill(pixels.begin(), pixels.end(), std::uint8_t{90});
    for (int y = 20 + 4 * k; y < 60 + 12 * k; ++y) {
      for (int x = 20 + 6 * k; x < 50 + 12 * k; ++x) pixels[3 * static_cast<std::size_t>(640 * y + x)] = 255;
    }
    copy_to_device(std::span<const std::uint8_t>(pixels), memory.span(), stream);
    stream.synchronize();
    return tracker.step(DeviceFrame(FrameFormat::rgb, memory.data(), 640, 480, std::int64_t{3} * 640));
  };
  EXPECT_TRUE(step(0).found());
  const auto device = device_allocation_count(), pinned = pinned_allocation_count();
  for (int k = 1; k < 30; ++k) step(k);
  EXPECT_EQ(device_allocation_count(), device);
  EXPECT_EQ(pinned_allocation_count(), pinned);
}

TEST_F(TrackerCuda, TheCallersCurrentGpuStaysCurrent) {
  if (cuda_device_count() < 2) GTEST_SKIP() << "needs two GPUs";
  const RandomFrame frame(FrameFormat::rgb, 320, 240, 95);
  const PinnedFrame pinned(frame);
  TrackerOptions options;
  options.gate = true;
  for (const Device& device : {Device::cuda(1), Device::joint(1)}) {
    int current = -1;
    const auto expect_first = [&] {
      ASSERT_EQ(cudaGetDevice(&current), cudaSuccess);
      EXPECT_EQ(current, 0);
    };
    Device::cuda(0).activate();
    Tracker tracker(filter, options, device);
    expect_first();
    tracker.step(frame.host());
    expect_first();
    tracker.submit(pinned.host());
    expect_first();
    tracker.next();
    tracker.reset();
    expect_first();
  }
}

TEST_F(TrackerCuda, AChangedPixelIsSeenInTheNextFrame) {
  RandomFrame frame(FrameFormat::rgba, 640, 360, 71);
  const LinearFilter red{1.0 / 255, 0, 0, 0};
  const auto engine = cuda_engine(red, FrameFormat::rgba, 640, 360);
  const Moments before = engine->compute(frame.host(), frame.host().whole());
  frame.bytes()[std::size_t{4} * (640 * 360 - 1)] ^= 1;
  EXPECT_NE(engine->compute(frame.host(), frame.host().whole()), before);
}

TEST_F(TrackerCuda, TheTrackerSeesTheSameHeadOnEveryDevice) {
  HistogramRatio colours{3, {}};
  for (int i = 0; i < 1 << 9; ++i) colours.share.push_back(static_cast<float>(i * 37 % 101) / 100);
  for (const std::optional<Classifier>& gate_by :
       {std::optional<Classifier>(), std::optional<Classifier>(colours)}) {
    TrackerOptions options;
    options.gate = true;
    options.gate_by = gate_by;
    Tracker cpu(filter, options, Device::cpu());
    Tracker cuda(filter, options, Device::cuda()), resident(filter, options, Device::cuda());
    Tracker joint(filter, options, Device::joint());
    Stream stream;
    for (std::uint64_t seed = 80; seed < 90; ++seed) {
      const RandomFrame frame(FrameFormat::rgb, 640, 480, seed);
      DeviceBuffer<std::uint8_t> memory(static_cast<std::int64_t>(frame.bytes().size()));
      copy_to_device(std::span<const std::uint8_t>(frame.bytes()), memory.span(), stream);
      stream.synchronize();
      const TrackedHead expected = cpu.step(frame.host());
      for (const TrackedHead& head :
           {cuda.step(frame.host()), joint.step(frame.host()), resident.step(frame.device(memory.data()))}) {
        EXPECT_EQ(head.status, expected.status);
        EXPECT_EQ(head.score, expected.score);
        EXPECT_EQ(head.confidence, expected.confidence);
        EXPECT_EQ(head.evidence, expected.evidence);
        EXPECT_EQ(head.x_px, expected.x_px);
        EXPECT_EQ(head.y_px, expected.y_px);
        EXPECT_EQ(head.area, expected.area);
        EXPECT_EQ(head.window, expected.window);
      }
    }
  }
}

// A head that moves, is lost and is found again: what the confidence follows from has the bits of the CPU, in
// every format, from host and device memory.
TEST_F(TrackerCuda, TheConfidenceHasTheBitsOfTheCpu) {
  for (const FrameFormat format :
       {FrameFormat::rgb, FrameFormat::bgra, FrameFormat::yuyv, FrameFormat::nv12}) {
    for (const bool gate : {false, true}) {
      TrackerOptions options;
      options.gate = gate;
      if (gate) options.start = PixelBox{200, 120, 90, 120};
      Tracker cpu(filter, options, Device::cpu(1)), resident(filter, options, Device::cuda());
      Tracker cuda(filter, options, Device::cuda()), joint(filter, options, Device::joint());
      Stream stream;
      bool varied = false;
      HeadEvidence first;
      for (int k = 0; k < 16; ++k) {
        RandomFrame frame(format, 640, 480, 300 + static_cast<std::uint64_t>(k < 8 ? 0 : k));
        // Bytes of another value move over the noise of the first frames.
        for (int y = 120 + 3 * k; y < 240 + 3 * k && k < 8; ++y) {
          std::uint8_t* row = frame.bytes().data() + static_cast<std::size_t>(y * frame.host().pitch_bytes());
          std::fill(row + 200 + 2 * k, row + 290 + 2 * k, std::uint8_t{200});
        }
        DeviceBuffer<std::uint8_t> memory(static_cast<std::int64_t>(frame.bytes().size()));
        copy_to_device(std::span<const std::uint8_t>(frame.bytes()), memory.span(), stream);
        stream.synchronize();
        const TrackedHead expected = cpu.step(frame.host());
        if (k == 0) first = expected.evidence;
        varied = varied || expected.evidence != first;
        for (const TrackedHead& head : {cuda.step(frame.host()), joint.step(frame.host()),
                                        resident.step(frame.device(memory.data()))}) {
          EXPECT_EQ(head.status, expected.status) << k;
          EXPECT_EQ(head.confidence, expected.confidence) << k;
          EXPECT_EQ(head.evidence, expected.evidence) << k;
          EXPECT_EQ(reason(head), reason(expected)) << k;
        }
      }
      EXPECT_TRUE(varied) << to_string(format) << gate;  // frames are told apart
    }
  }
}

// The engine is made again for another format or size; reset() drops frames in flight.
TEST_F(TrackerCuda, FramesOfAnotherSizeAndAResetOnEveryDevice) {
  const RandomFrame small(FrameFormat::rgba, 320, 200, 91), large(FrameFormat::nv12, 640, 480, 92);
  for (const Device& device : {Device::cuda(), Device::joint()}) {
    Tracker tracker(filter, {}, device);
    for (const RandomFrame* frame : {&small, &large, &small}) {
      const Head exact = locate_cpu(frame->host(), filter);
      EXPECT_EQ(tracker.step(frame->host()).raw.x_px, exact.x_px);
      EXPECT_EQ(tracker.step(frame->host()).raw.yy_px2, exact.yy_px2);
    }
    tracker.submit(small.host());
    EXPECT_ERROR(tracker.submit(large.host()), InvalidArgument, "in flight");
    tracker.submit(small.host());
    tracker.reset();
    EXPECT_EQ(tracker.in_flight(), 0);
    EXPECT_EQ(tracker.step(large.host()).raw.x_px, locate_cpu(large.host(), filter).x_px);
  }
}

}  // namespace
}  // namespace triptych::skin_tracker
