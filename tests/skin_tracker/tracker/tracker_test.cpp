#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/moments.hpp>
#include <triptych/skin_tracker/tracker.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "skin_tracker/tracker/canvas.hpp"
#include "testing/expect_error.hpp"

namespace triptych::skin_tracker {
namespace {

using namespace test_canvas;

TEST(Tracker, FindsTheCentroidOfAWholeFrame) {
  Canvas canvas(200, 100);
  canvas.skin({50, 20, 20, 30});
  TrackerOptions options;
  options.reference_area = 0.03;
  options.reference_distance_m = 0.8;
  Tracker tracker = tracker_of(finds_rectangles(options));
  const TrackedHead head = tracker.step(canvas.frame());
  EXPECT_TRUE(head.found());
  EXPECT_EQ(head.frame, 0);
  EXPECT_NEAR(head.x_px, 59.5, 1e-9);
  EXPECT_NEAR(head.y_px, 34.5, 1e-9);
  EXPECT_NEAR(head.area, 0.03, 1e-6);
  EXPECT_NEAR(head.distance_m, 0.8, 1e-4);
  EXPECT_EQ(head.window, (PixelBox{0, 0, 200, 100}));
  EXPECT_GT(head.latency_us, 0);
  // Twice as near: four times the area.
  canvas.skin({40, 5, 40, 60});
  EXPECT_NEAR(tracker.step(canvas.frame()).distance_m, 0.4, 1e-4);
  EXPECT_EQ(tracker.latency().frames, 2);
}

TEST(Tracker, StaysWhereTheHeadWasWhenItIsLost) {
  Canvas canvas(200, 100);
  Tracker tracker = tracker_of(finds_rectangles());
  EXPECT_FALSE(tracker.step(canvas.frame()).found());
  canvas.skin({50, 20, 20, 30});
  const TrackedHead seen = tracker.step(canvas.frame());
  EXPECT_TRUE(seen.found());
  canvas.clear();
  const TrackedHead lost = tracker.step(canvas.frame());
  EXPECT_FALSE(lost.found());
  EXPECT_EQ(lost.x_px, seen.x_px);
  EXPECT_EQ(lost.y_px, seen.y_px);
  EXPECT_EQ(lost.distance_m, seen.distance_m);
  EXPECT_EQ(lost.frame, 2);
  canvas.skin({0, 0, 1, 1});  // less than the smallest head
  EXPECT_FALSE(tracker.step(canvas.frame()).found());
}

TEST(Tracker, SmoothsATremble) {
  Canvas canvas(200, 100);
  TrackerOptions options;
  options.smooth = true;
  Tracker smooth = tracker_of(finds_rectangles(options));
  Tracker plain = tracker_of(finds_rectangles());
  double swing_smooth = 0, swing_plain = 0, last_smooth = 0, last_plain = 0;
  for (int i = 0; i < 60; ++i) {
    canvas.clear();
    canvas.skin({50 + i % 2, 20, 20, 30});
    const double s = smooth.step(canvas.frame()).x_px, p = plain.step(canvas.frame()).x_px;
    if (i > 30) swing_smooth += std::abs(s - last_smooth), swing_plain += std::abs(p - last_plain);
    last_smooth = s;
    last_plain = p;
  }
  EXPECT_LT(swing_smooth, 0.5 * swing_plain);
  EXPECT_ERROR(smooth.step(canvas.frame(), 0), InvalidArgument, "above 0");
}

TEST(Tracker, SmoothsOnAfterAnIntervalOfNearlyNothing) {
  Canvas canvas(64, 48);
  TrackerOptions options;
  options.smooth = true;
  Tracker tracker = tracker_of(options);
  for (int k = 0; k < 20; ++k) {
    canvas.clear();
    canvas.skin({10 + k, 10, 12, 16});
    const TrackedHead head = tracker.step(canvas.frame(), k == 3 ? 1e-310 : 1.0 / 30);
    ASSERT_TRUE(std::isfinite(head.x_px) && std::isfinite(head.y_px) && std::isfinite(head.distance_m)) << k;
  }
}

TEST(Tracker, RejectsWhatMakesNoSense) {
  const Canvas canvas(64, 48);
  TrackerOptions options;
  options.max_width = 0;
  EXPECT_ERROR(tracker_of(options), InvalidArgument, "0 x 1080");
  options.max_width = 10000;
  EXPECT_ERROR(tracker_of(options), InvalidArgument, "10000 x 1080");
  options = {};
  options.reference_area = 0;
  EXPECT_ERROR(tracker_of(options), InvalidArgument, "reference area");
  options = {};
  options.start = PixelBox{10, 10, 0, 10};
  EXPECT_ERROR(tracker_of(options), InvalidArgument, "start box");
  options.start = PixelBox{100, 100, 10, 10};
  Tracker outside = tracker_of(options);
  EXPECT_ERROR(outside.step(canvas.frame()), InvalidArgument, "cannot start");
  Tracker tracker = tracker_of();
  EXPECT_ERROR(tracker.step(Frame()), InvalidArgument, "empty");
  EXPECT_ERROR(tracker.step(DeviceFrame(FrameFormat::rgb, canvas.frame().data(), 64, 48, 64 * 3)),
               InvalidArgument, "on the GPU");
  options = {};
  options.max_width = 63;
  Tracker small = tracker_of(options);
  EXPECT_ERROR(small.step(canvas.frame()), InvalidArgument, "raise max_width");
}

TEST(Tracker, TakesFramesOfAnotherSizeAndFormat) {
  Canvas small(200, 100), large(320, 240);
  small.skin({50, 20, 20, 30});
  large.skin({100, 80, 40, 52});
  Tracker tracker = tracker_of(finds_rectangles());
  EXPECT_NEAR(tracker.step(small.frame()).x_px, 59.5, 1e-9);
  const TrackedHead resized = tracker.step(large.frame());
  EXPECT_NEAR(resized.x_px, 119.5, 1e-9);
  EXPECT_EQ(resized.frame, 1);
  EXPECT_EQ(resized.window, (PixelBox{0, 0, 320, 240}));
  // Bytes of skin colour, read as BGR, are blue.
  const Frame swapped(FrameFormat::bgr, large.frame().data(), 320, 240, 3 * 320);
  EXPECT_EQ(tracker.step(swapped).status, HeadStatus::lost_no_skin);
  // Y 180, U 100, V 160 in video range is a skin colour as well: the plane is fixed again for YUV.
  std::vector<std::uint8_t> yuyv(64 * 48 * 2);
  for (std::size_t i = 0; i < yuyv.size(); i += 4) {
    yuyv[i] = yuyv[i + 2] = 180;
    yuyv[i + 1] = 100;
    yuyv[i + 3] = 160;
  }
  const Frame converted(FrameFormat::yuyv, yuyv.data(), 64, 48, 128);
  const TrackedHead head = tracker.step(converted);
  EXPECT_EQ(head.status, HeadStatus::lost_too_large);  // all of the frame is skin
  EXPECT_EQ(head.raw.weight_px, locate_cpu(converted, skin_filter).weight_px);
  // Not while frames are in flight; those are not disturbed.
  tracker.submit(small.frame());
  EXPECT_ERROR(tracker.submit(large.frame()), InvalidArgument, "in flight");
  EXPECT_EQ(tracker.in_flight(), 1);
  EXPECT_NEAR(tracker.next().x_px, 59.5, 1e-9);
}

TEST(Tracker, ScoresASolidHeadAboveScatteredSkin) {
  Canvas canvas(320, 240);
  canvas.skin({100, 80, 40, 52});
  TrackerOptions any;
  any.min_confidence = 0;  // scattered skin counts as well
  Tracker tracker = tracker_of(any);
  // A rectangle w x h has the variances w^2 / 12 and h^2 / 12: it scores 12 / (4 pi) = 0.955.
  EXPECT_NEAR(tracker.step(canvas.frame()).score, 0.955, 0.001);
  canvas.skin({0, 0, 20, 20});
  canvas.skin({300, 220, 20, 20});
  const double scattered = tracker.step(canvas.frame()).score;
  EXPECT_GT(scattered, 0);
  EXPECT_LT(scattered, 0.5);
}

TEST(Tracker, ResetMakesItNewAgain) {
  Canvas canvas(200, 100);
  canvas.skin({50, 20, 20, 30});
  TrackerOptions options;
  options.smooth = true;
  Tracker tracker = tracker_of(options);
  tracker.reset();  // before the first frame
  const TrackedHead first = tracker.step(canvas.frame());
  canvas.clear();
  canvas.skin({60, 30, 20, 30});
  for (int i = 0; i < 3; ++i) tracker.submit(canvas.frame());
  tracker.reset();
  EXPECT_EQ(tracker.in_flight(), 0);
  EXPECT_EQ(tracker.latency().frames, 0);
  canvas.clear();
  const TrackedHead lost = tracker.step(canvas.frame());
  EXPECT_EQ(lost.frame, 0);
  EXPECT_EQ(lost.x_px, 99.5);
  canvas.skin({50, 20, 20, 30});
  EXPECT_EQ(tracker.step(canvas.frame()).x_px, first.x_px);
}

TEST(Tracker, DescribesItselfInALine) {
  TrackerOptions options;
  options.gate = true;
  Tracker tracker = tracker_of(options);
  EXPECT_NE(tracker.describe().find("linear"), std::string::npos);
  EXPECT_NE(tracker.describe().find("up to 1920 x 1080"), std::string::npos);
  EXPECT_NE(tracker.describe().find("gated"), std::string::npos);
  EXPECT_NE(tracker.describe().find(tracker.device().describe()), std::string::npos);
  tracker.step(Canvas(200, 100).frame());
  EXPECT_NE(tracker.describe().find("200 x 100 rgb"), std::string::npos);
  EXPECT_EQ(tracker.device().kind(), DeviceKind::cpu);
}

TEST(Tracker, FramesInFlightKeepTheirOrder) {
  const SyntheticScene scene(small_scene(false));
  TrackerOptions options;
  options.gate = true;
  options.smooth = true;
  Tracker waiting = tracker_of(options);
  Tracker ahead = tracker_of(options);
  EXPECT_ERROR(ahead.next(), InvalidArgument, "submit");
  std::vector<Rgb8> pixels(320 * 180);
  std::vector<TrackedHead> expected;
  const auto expect_next = [&] {
    const TrackedHead head = ahead.next();
    const TrackedHead& wanted = expected[static_cast<std::size_t>(head.frame)];
    EXPECT_EQ(head.frame, wanted.frame);
    EXPECT_EQ(head.x_px, wanted.x_px);
    EXPECT_EQ(head.y_px, wanted.y_px);
    EXPECT_EQ(head.distance_m, wanted.distance_m);
    EXPECT_EQ(head.window, wanted.window);
  };
  for (int k = 0; k < 20; ++k) {
    scene.render(k, {pixels.data(), 320, 180});  // the one before is gone
    const Frame frame{ImageView<const Rgb8>(pixels.data(), 320, 180)};
    expected.push_back(waiting.step(frame));
    if (ahead.in_flight() == max_in_flight) {
      EXPECT_ERROR(ahead.submit(frame), InvalidArgument, "in flight");
      EXPECT_ERROR(ahead.step(frame), InvalidArgument, "in flight");
      expect_next();
    }
    ahead.submit(frame);
  }
  while (ahead.in_flight() > 0) expect_next();
  EXPECT_EQ(ahead.latency().frames, 20);
}

TEST(TrackerMove, KeepsWhatIsTracked) {
  const std::vector<Rgb8> pixels(64 * 48, Rgb8{200, 120, 100});
  const Frame frame(ImageView<const Rgb8>(pixels.data(), 64, 48));
  Tracker kept(generic_skin_filter, {}, Device::cpu(1)), first(generic_skin_filter, {}, Device::cpu(1));
  kept.step(frame);
  first.step(frame);
  Tracker second(std::move(first));
  Tracker third(generic_skin_filter, {}, Device::cpu(1));
  third = std::move(second);
  EXPECT_EQ(third.gpu_rows(), 0);
  const TrackedHead expected = kept.step(frame), head = third.step(frame);
  EXPECT_EQ(head.frame, expected.frame);
  EXPECT_EQ(head.x_px, expected.x_px);
  EXPECT_EQ(head.score, expected.score);
}

}  // namespace
}  // namespace triptych::skin_tracker
