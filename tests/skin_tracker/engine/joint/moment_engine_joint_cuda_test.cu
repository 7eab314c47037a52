// CPU and GPU share a frame: the moments of the CPU for any split, and the caller's frame is free when the
// call returns.
#include <triptych/core/clock.hpp>
#include <triptych/core/cuda.cuh>
#include <triptych/skin_tracker/moments.hpp>
#include <triptych/skin_tracker/tracker.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>

#include "skin_tracker/engine/moment_engines.hpp"
#include "skin_tracker/frame/frames.hpp"
#include "testing/cuda_fixture.hpp"
#include "testing/expect_error.hpp"

namespace triptych::skin_tracker {
namespace {

using test::all_frame_formats;
using test::joint_engine;
using test::PinnedFrame;
using test::RandomFrame;

constexpr LinearFilter filter{0.012, -0.004, -0.006, -0.3};

__device__ std::uint64_t now_ns() {
  std::uint64_t t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
  return t;
}

constexpr int busy_threads = 512;

// Every block stays on its multiprocessor for that time.
__global__ void __launch_bounds__(busy_threads) busy_kernel(std::uint64_t ns, volatile int* began) {
  const std::uint64_t start = now_ns();
  *began = 1;
  while (now_ns() - start < ns) __nanosleep(1000);
}

class MomentEngineJoint : public test::CudaFixture {
 protected:
  // All multiprocessors are full for that time when this returns. It counts from the returned watch's start
  // or later.
  Stopwatch occupy_gpu(double us) {
    int blocks = 0, multiprocessors = 0;
    TRIPTYCH_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, busy_kernel, busy_threads, 0));
    TRIPTYCH_CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    *began_.data() = 0;
    const Stopwatch watch;
    launch(busy_kernel, {dim3(static_cast<unsigned>(blocks * multiprocessors)), busy_threads}, stream(),
           static_cast<std::uint64_t>(1e3 * us), static_cast<volatile int*>(began_.data()));
    while (std::atomic_ref(*began_.data()).load() == 0) {
    }
    return watch;
  }

 private:
  PinnedBuffer<int> began_ = cuda_unavailable_reason().empty() ? PinnedBuffer<int>(1) : PinnedBuffer<int>();
};

void expect_raw(const Head& head, const Head& exact) {
  EXPECT_EQ(head.x_px, exact.x_px);
  EXPECT_EQ(head.y_px, exact.y_px);
  EXPECT_EQ(head.xx_px2, exact.xx_px2);
  EXPECT_EQ(head.xy_px2, exact.xy_px2);
  EXPECT_EQ(head.yy_px2, exact.yy_px2);
}

// The first frames try a half, three quarters and a quarter of the rows; later ones what was learnt.
TEST_F(MomentEngineJoint, AnySplitOfAnyFormatHasTheBitsOfTheCpu) {
  std::uint64_t seed = 300;
  for (const FrameFormat format : all_frame_formats) {
    for (const int offset : {0, 1}) {
      const RandomFrame pageable(format, 343, 131, ++seed, 3 * offset, offset);
      const PinnedFrame pinned(pageable);
      const Frame frame = pinned.host();
      SCOPED_TRACE(pageable.words());
      const int w = frame.width(), h = frame.height();
      const Moments expected = moments_cpu(frame, frame.whole(), filter);
      for (const int threads : {1, 2, 5}) {
        const auto engine = joint_engine(filter, format, w, h, threads);
        bool both = false;
        for (int k = 0; k < 12; ++k) {
          ASSERT_EQ(engine->compute(frame, frame.whole()), expected) << k;
          both = both || (engine->gpu_rows() > 0 && engine->gpu_rows() < h);
          for (const PixelBox& region : {PixelBox{5, 3, w - 9, h - 4}, PixelBox{w - 1, h - 2, 1, 2}})
            ASSERT_EQ(engine->compute(frame, region), moments_cpu(frame, region, filter)) << k;
          EXPECT_EQ(engine->compute(frame, {0, 0, w, 0}), Moments());
          EXPECT_EQ(engine->gpu_rows(), 0);
        }
        EXPECT_TRUE(both);
      }
    }
  }
}

TEST_F(MomentEngineJoint, ATableSharesPinnedAndPageableFrames) {
  ChrominanceEllipse ellipse;
  ellipse.mean = {150, 110};
  ellipse.precision = {0.005, 0.001, 0.008};
  const WeightTable<std::uint16_t> table{Classifier(ellipse)};
  for (const FrameFormat format : {FrameFormat::rgba, FrameFormat::nv12}) {
    const RandomFrame pageable(format, 322, 241, 41);
    const PinnedFrame pinned(pageable);
    const auto engine = joint_engine(ellipse, format, 322, pageable.host().height(), 2);
    for (const Frame& frame : {pageable.host(), pinned.host()}) {
      const Moments expected = moments_cpu(frame, frame.whole(), table);
      for (int k = 0; k < 8; ++k) EXPECT_EQ(engine->compute(frame, frame.whole()), expected) << k;
    }
  }
}

TEST_F(MomentEngineJoint, AFrameMayChangeAsSoonAsStepReturns) {
  for (const FrameFormat format : {FrameFormat::rgba, FrameFormat::nv12}) {
    const RandomFrame pageable(format, 640, 360, 402);
    PinnedFrame pinned(pageable);
    const std::size_t bytes = pageable.bytes().size();
    Tracker tracker(filter, {}, Device::joint());
    for (std::uint64_t k = 0; k < 60; ++k) {
      const RandomFrame next(format, 640, 360, 500 + k);
      std::memcpy(pinned.data(), next.bytes().data(), bytes);
      const TrackedHead head = tracker.step(pinned.host());
      std::memset(pinned.data(), 255, bytes);
      expect_raw(head.raw, locate_cpu(next.host(), filter));
    }
  }
}

// The GPU is full: its part of the frame cannot begin before the other kernel ends, and step() waits for it.
TEST_F(MomentEngineJoint, StepWaitsForABusyGpu) {
  constexpr double busy_us = 30e3;
  const RandomFrame pageable(FrameFormat::rgba, 640, 360, 403);
  const Head exact = locate_cpu(pageable.host(), filter);
  for (const bool on_pinned : {true, false}) {
    for (const Device& device : {Device::joint(), Device::cuda()}) {
      if (!on_pinned && device.kind() == DeviceKind::joint) continue;  // the CPU alone
      PinnedFrame pinned(pageable);
      std::vector<std::uint8_t> bytes = pageable.bytes();
      const Frame host = pageable.host();
      const Frame frame =
          on_pinned ? pinned.host()
                    : Frame(host.format(), bytes.data(), host.width(), host.height(), host.pitch_bytes());
      Tracker tracker(filter, {}, device);
      EXPECT_EQ(tracker.gpu_rows(), 0);
      tracker.step(frame);  // allocates
      tracker.reset();
      const Stopwatch watch = occupy_gpu(busy_us);
      const TrackedHead head = tracker.step(frame);
      EXPECT_GE(watch.elapsed_us(), 0.9 * busy_us);
      EXPECT_GT(tracker.gpu_rows(), 0);
      std::memset(on_pinned ? pinned.data() : bytes.data(), 255, bytes.size());
      stream().synchronize();
      expect_raw(head.raw, exact);
    }
  }
}

TEST_F(MomentEngineJoint, IsUsableAfterAnException) {
  const RandomFrame pageable(FrameFormat::rgba, 320, 200, 404);
  const PinnedFrame pinned(pageable);
  const Frame frame = pinned.host();
  const auto engine = joint_engine(filter, FrameFormat::rgba, 320, 200);
  const Moments expected = moments_cpu(frame, frame.whole(), filter);
  for (int k = 0; k < 10; ++k) {
    EXPECT_ERROR(engine->compute(frame, {0, 0, 320, 201}), InvalidArgument, "outside");
    EXPECT_EQ(engine->compute(frame, frame.whole()), expected);
  }
}

}  // namespace
}  // namespace triptych::skin_tracker
