// A frame that is shared while both sides work on it has the bits of the whole, wherever the boundary comes
// to lie. What the GPU would do is scripted: no time decides.
#include <triptych/skin_tracker/moments.hpp>

#include <gtest/gtest.h>

#include <functional>

#include "engine/joint/band_sharing.hpp"
#include "moments/moments_cpu.hpp"
#include "skin_tracker/frame/frames.hpp"
#include "skin_tracker/moments/print_moments.hpp"

namespace triptych::skin_tracker {
namespace {

constexpr LinearFilter filter{0.012, -0.004, -0.006, -0.3};

// Bands whose sums are in from the beginning or never, as a function says.
class ScriptedBands {
 public:
  ScriptedBands(const Frame& frame, std::function<bool(int)> in) : frame_(frame), in_(std::move(in)) {}

  int lanes() const { return 3; }
  void plan(const PixelBox& region, int rows) {
    region_ = {region.x, region.y, region.width, rows};
    count_ = (region.y % 2 + rows + band_rows - 1) / band_rows;
  }
  int count() const { return count_; }
  PixelBox band(int i) const {
    const int first = region_.y / 2 * 2 + i * band_rows, top = std::max(first, region_.y);
    return {region_.x, top, region_.width, std::min(first + band_rows, region_.y + region_.height) - top};
  }
  bool is_done(int i) const { return in_(i); }
  void prefetch(int) const {}
  Moments moments(int i) const {
    Moments sums;
    for (; i >= 0; i -= lanes()) sums += moments_cpu(frame_, band(i), filter, 1);
    return sums;
  }
  double elapsed_us(int) const { return 1; }
  void end() { ++ends; }

  int ends = 0;

 private:
  Frame frame_;
  std::function<bool(int)> in_;
  PixelBox region_;
  int count_ = 0;
};

class BandSharingTest : public testing::Test {
 protected:
  using Result = BandSharing<ScriptedBands>::Result;

  // The GPU may do 60 of the region's rows.
  Result run(const PixelBox& region, int threads, std::function<bool(int)> in, bool starts = true) {
    ScriptedBands bands(frame_, std::move(in));
    BandSharing<ScriptedBands> sharing(frame_.height(), threads);
    const Result result = sharing.run(
        bands, region, std::min(60, region.height), [&] { return starts; },
        [&](const PixelBox& rows, NextChunk next) {
          return chunk_moments_cpu(frame_, rows, fix(filter), next);
        });
    EXPECT_EQ(bands.ends, starts ? 1 : 0);
    EXPECT_EQ(result.moments, moments_cpu(frame_, region, filter, 1));
    return result;
  }

  const test::RandomFrame random_{FrameFormat::rgba, 200, 101, 61};
  const Frame frame_ = random_.host();
  const PixelBox regions_[3] = {frame_.whole(), {3, 7, 190, 80}, {100, 20, 1, 3}};
};

TEST_F(BandSharingTest, TheBoundaryIsWhereAThreadFindsADoneBand) {
  for (const PixelBox& region : regions_) {
    const int rows = std::min(60, region.height);
    for (const int threads : {1, 2, 5}) {
      for (const int done : {1, 2, 7, 14}) {
        const Result result = run(region, threads, [&](int band) { return band < done; });
        const int bottom = std::min(region.y + rows, region.y / 2 * 2 + done * band_rows);
        EXPECT_EQ(result.gpu_rows, bottom - region.y) << done;
        EXPECT_GT(result.gpu_us, 0);
      }
    }
  }
}

TEST_F(BandSharingTest, ThreadsDoEverythingBesideAnIdleGpu) {
  for (const PixelBox& region : regions_) {
    for (const bool starts : {true, false}) {
      const Result result = run(
          region, 3, [](int) { return false; }, starts);
      EXPECT_EQ(result.gpu_rows, 0);
      EXPECT_EQ(result.gpu_us, 0);
    }
  }
}

// Lanes do not go down evenly: where the boundary is found, a band of another lane may not be in yet. Nor its
// predecessors: the cores add up what is missing.
TEST_F(BandSharingTest, TheCpuCompletesALaneThatIsLate) {
  for (const PixelBox& region : regions_) {
    run(region, 2, [](int band) { return band % 3 == 0 && band <= 9; });
    run(region, 2, [](int band) { return band % 3 == 0 ? band <= 9 : band % 3 == 1 && band <= 1; });
    run(region, 2, [](int band) { return band % 3 == 2 ? band <= 5 : band <= 12; });
  }
}

TEST_F(BandSharingTest, ARunDoesNotSeeTheLastOne) {
  BandSharing<ScriptedBands> sharing(frame_.height(), 2);
  for (const int done : {9, 0, 15, 2, 0}) {
    ScriptedBands bands(frame_, [&](int band) { return band < done; });
    const Result result = sharing.run(
        bands, frame_.whole(), 60, [] { return true; },
        [&](const PixelBox& rows, NextChunk next) {
          return chunk_moments_cpu(frame_, rows, fix(filter), next);
        });
    EXPECT_EQ(result.moments, moments_cpu(frame_, frame_.whole(), filter, 1)) << done;
    EXPECT_EQ(result.gpu_rows, done * band_rows);
  }
}

}  // namespace
}  // namespace triptych::skin_tracker
