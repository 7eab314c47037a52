#include <common/pinned_frames.hpp>
#include <gtest/gtest.h>
#include <opencv2/core.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "testing/gpu.hpp"

namespace triptych::apps {
namespace {

// Frames of the colours 0, 1, 2, ...; the one called unreadable is empty. It writes into the caller's Mat, as
// a camera does.
class Counting : public FrameSource {
 public:
  static constexpr int frames = 12, unreadable = 4;

  bool next(cv::Mat& frame) override {
    if (at_ == frames) return false;
    frame.create(at_ == unreadable ? cv::Size() : cv::Size(7, 5), CV_8UC3);
    frame.setTo(cv::Scalar::all(at_++));
    return true;
  }
  int count() const override { return frames; }

 private:
  int at_ = 0;
};

bool shows(const cv::Mat& frame, int colour) {
  if (colour == Counting::unreadable) return frame.empty();
  const cv::Mat expected(5, 7, CV_8UC3, cv::Scalar::all(colour));
  return frame.size() == expected.size() && cv::norm(frame, expected, cv::NORM_INF) == 0;
}

TEST(PinnedFrames, PassesFramesOnWhenNothingIsPinned) {
  PinnedFrames frames(std::make_unique<Counting>(), false);
  EXPECT_EQ(frames.count(), Counting::frames);
  cv::Mat frame;
  for (int i = 0; i < Counting::frames; ++i) {
    ASSERT_TRUE(frames.next(frame));
    EXPECT_TRUE(shows(frame, i)) << i;
  }
  EXPECT_FALSE(frames.next(frame));
}

TEST(PinnedFrames, KeepsTheLastFramesAsTheyWere) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  PinnedFrames frames(std::make_unique<Counting>(), true);
  std::vector<cv::Mat> all(Counting::frames);
  for (int i = 0; i < Counting::frames; ++i) {
    ASSERT_TRUE(frames.next(all[static_cast<std::size_t>(i)]));
    for (int k = std::max(0, i + 1 - static_cast<int>(PinnedFrames::slots)); k <= i; ++k)
      EXPECT_TRUE(shows(all[static_cast<std::size_t>(k)], k)) << k << " after " << i;
  }
  EXPECT_NE(all[0].data, all[1].data);
  EXPECT_EQ(all[0].data, all[PinnedFrames::slots + 1].data);  // the unreadable frame took no slot
  cv::Mat frame;
  EXPECT_FALSE(frames.next(frame));
}

}  // namespace
}  // namespace triptych::apps
