// The GPU's side of a frame that is shared while it is worked on: bands have the bits of the CPU, and the
// GPU stops when it is told.
#include <triptych/core/clock.hpp>
#include <triptych/skin_tracker/moments.hpp>

#include <gtest/gtest.h>

#include "engine/joint/band_sharing.hpp"
#include "engine/joint/gpu_bands.hpp"
#include "engine/pinned_frame.hpp"
#include "frame/pixel_math.hpp"
#include "moments/cuda/bands_cuda.hpp"
#include "moments/moments_cpu.hpp"
#include "skin_tracker/frame/frames.hpp"
#include "testing/gpu.hpp"

namespace triptych::skin_tracker {
namespace {

using test::all_frame_formats;
using test::PinnedFrame;
using test::RandomFrame;

constexpr LinearFilter filter{0.012, -0.004, -0.006, -0.3};

class GpuBandsTest : public testing::Test {
 protected:
  void SetUp() override { TRIPTYCH_REQUIRE_CUDA_OR_SKIP(); }
};

// Waits for a GPU however slow.
bool comes_in(const GpuBands& bands, int i) {
  constexpr double deadline_us = 120e6;
  const Stopwatch watch;
  while (!bands.is_done(i) && watch.elapsed_us() < deadline_us) {
  }
  return bands.is_done(i);
}

// Bands follow each other from the first row to the last of the planned rows.
void expect_cover(const GpuBands& bands, const PixelBox& region, int rows) {
  int next = region.y;
  for (int i = 0; i < bands.count(); ++i) {
    const PixelBox band = bands.band(i);
    EXPECT_EQ(band.y, next);
    EXPECT_GE(band.height, 1);
    EXPECT_LE(band.height, band_rows);
    next = band.y + band.height;
  }
  EXPECT_EQ(next, region.y + rows);
}

TEST_F(GpuBandsTest, BandsHaveTheBitsOfTheCpu) {
  std::uint64_t seed = 300;
  for (const FrameFormat format : all_frame_formats) {
    for (const int offset : {0, 1}) {
      const RandomFrame pageable(format, 342, 131, ++seed, 3 * offset, offset);
      const PinnedFrame locked(pageable);
      const Frame frame = locked.host();
      SCOPED_TRACE(pageable.words());
      const PinnedFrameInfo info = pinned_frame_info(frame);
      ASSERT_TRUE(info.on_device.has_value());
      EXPECT_FALSE(pinned_frame_info(pageable.host()).pinned);
      GpuBands bands(fix(filter, channels_of(frame.format())), frame.format(), frame.width(), frame.height(),
                     Device::cuda(0), offset * 1e5);
      const int w = frame.width(), h = frame.height();
      for (const PixelBox& region :
           {frame.whole(), PixelBox{5, 3, w - 9, h - 4}, PixelBox{w - 1, h - 2, 1, 2}}) {
        for (const int rows : {region.height, region.height / 2 + 1, 1}) {
          bands.plan(region, rows);
          expect_cover(bands, region, rows);
          for (int i = 0; i < bands.count(); ++i) EXPECT_FALSE(bands.is_done(i));  // those of the last call
          bands.start(*info.on_device);
          for (int i = 0; i < bands.count(); ++i) {
            ASSERT_TRUE(comes_in(bands, i)) << i;
            Moments expected;
            for (int b = i; b >= 0; b -= bands.lanes()) expected += moments_cpu(frame, bands.band(b), filter);
            EXPECT_EQ(bands.moments(i), expected) << i;
          }
          bands.end();
        }
      }
    }
  }
}

TEST_F(GpuBandsTest, AResidentKernelSeesChangedPixels) {
  for (const FrameFormat format : {FrameFormat::rgba, FrameFormat::nv12}) {
    const RandomFrame pageable(format, 320, 96, 402);
    PinnedFrame locked(pageable);
    const Frame frame = locked.host();
    const PinnedFrameInfo info = pinned_frame_info(frame);
    GpuBands bands(fix(filter, channels_of(frame.format())), frame.format(), frame.width(), frame.height(),
                   Device::cuda(0), 1e6);
    for (int k = 0; k < 30; ++k) {
      for (std::size_t i = 0; i < pageable.bytes().size(); i += 13) locked.data()[i] += 17;
      EXPECT_EQ(bands.is_resident(), k > 0);
      bands.plan(frame.whole(), frame.height());
      bands.start(*info.on_device);
      Moments sums;
      for (int i = bands.count() - bands.lanes(); i < bands.count(); ++i) {
        ASSERT_TRUE(comes_in(bands, i));
        sums += bands.moments(i);
        EXPECT_GT(bands.elapsed_us(i), 0);
      }
      bands.end();
      ASSERT_EQ(sums, moments_cpu(frame, frame.whole(), filter)) << k;
    }
  }
}

// Each block checks whether the call is over before every band, of which it has 181: however slow the GPU is,
// it sees that before its last one.
TEST_F(GpuBandsTest, TheGpuStopsAtTheEndOfTheCall) {
  const RandomFrame pageable(FrameFormat::rgba, 1920, max_height, 401);
  const PinnedFrame locked(pageable);
  const Frame frame = locked.host();
  const PinnedFrameInfo info = pinned_frame_info(frame);
  GpuBands bands(fix(filter, channels_of(frame.format())), frame.format(), frame.width(), frame.height(),
                 Device::cuda(0), 1e5);
  bands.plan(frame.whole(), frame.height());
  ASSERT_GE(bands.count(), 180 * bands.lanes());
  bands.end();  // before it has begun: each block does the band that it has, and perhaps some more
  bands.start(*info.on_device);
  EXPECT_TRUE(comes_in(bands, 0));
  bands.abandon();
  const auto count_in = [&] {
    int in = 0;
    for (int i = 0; i < bands.count(); ++i) in += bands.is_done(i) ? 1 : 0;
    return in;
  };
  const int in = count_in();
  EXPECT_GE(in, 1);
  EXPECT_LT(in, bands.count());
  EXPECT_FALSE(bands.is_done(bands.count() - 1));
  EXPECT_EQ(count_in(), in);  // it has left

  bands.plan(frame.whole(), frame.height());  // and the next frame is whole again
  bands.start(*info.on_device);
  Moments sums;
  for (int i = bands.count() - bands.lanes(); i < bands.count(); ++i) {
    ASSERT_TRUE(comes_in(bands, i));
    sums += bands.moments(i);
  }
  EXPECT_EQ(sums, moments_cpu(frame, frame.whole(), filter));
}

// Cores that wait for a band find it, and what lies above the boundary is the GPU's.
TEST_F(GpuBandsTest, ThreadsThatWaitForABandLeaveTheRowsAboveItToTheGpu) {
  const RandomFrame pageable(FrameFormat::rgba, 642, 360, 403);
  const PinnedFrame locked(pageable);
  const Frame frame = locked.host();
  const PinnedFrameInfo info = pinned_frame_info(frame);
  GpuBands bands(fix(filter), frame.format(), frame.width(), frame.height(), Device::cuda(0), 1e5);
  BandSharing<GpuBands> sharing(frame.height(), 4);
  const Moments expected = moments_cpu(frame, frame.whole(), filter);
  for (const int awaited : {0, 20, 59}) {
    const auto start = [&] {
      bands.start(*info.on_device);
      return true;
    };
    const auto shared =
        sharing.run(bands, frame.whole(), 240, start, [&](const PixelBox& rows, NextChunk next) {
          EXPECT_TRUE(comes_in(bands, awaited));
          return chunk_moments_cpu(frame, rows, fix(filter), next);
        });
    EXPECT_EQ(shared.moments, expected);
    EXPECT_GE(shared.gpu_rows, (awaited + 1) * band_rows);
    EXPECT_LE(shared.gpu_rows, 240);
    EXPECT_GT(shared.gpu_us, 0);
  }
}

}  // namespace
}  // namespace triptych::skin_tracker
