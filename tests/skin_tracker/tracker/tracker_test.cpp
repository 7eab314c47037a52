#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/calibrate.hpp>
#include <triptych/skin_tracker/locate.hpp>
#include <triptych/skin_tracker/synthetic.hpp>
#include <triptych/skin_tracker/tracker.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "testing/expect_error.hpp"
#include "tracker/latency.hpp"

namespace triptych::skin_tracker {
namespace {

constexpr LinearFilter filter{0.03, 0, -0.03, -0.7};

// A grey frame with skin-coloured rectangles.
class Canvas {
 public:
  Canvas(int width, int height)
      : width_(width),
        height_(height),
        pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) {
    clear();
  }
  void clear() { std::fill(pixels_.begin(), pixels_.end(), Rgb8{90, 95, 100}); }
  void skin(const Region& where) {
    const Region r = clip(where, width_, height_);
    for (int y = r.y; y < r.y + r.height; ++y)
      for (int x = r.x; x < r.x + r.width; ++x)
        pixels_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                static_cast<std::size_t>(x)] = {220, 170, 140};
  }
  Frame frame() const { return {ImageView<const Rgb8>(pixels_.data(), width_, height_)}; }

 private:
  int width_, height_;
  std::vector<Rgb8> pixels_;
};

Tracker tracker_of(int width, int height, const TrackerOptions& options = {}) {
  return {filter, FrameFormat::rgb, width, height, options};
}

SyntheticOptions small_scene(bool distractor) {
  SyntheticOptions options;
  options.width = 320;
  options.height = 180;
  options.distractor = distractor;
  return options;
}

TEST(Tracker, FindsTheCentroidOfAWholeFrame) {
  Canvas canvas(200, 100);
  canvas.skin({50, 20, 20, 30});
  TrackerOptions options;
  options.reference_area = 0.03;
  options.reference_distance_m = 0.8;
  Tracker tracker = tracker_of(200, 100, options);
  const TrackedHead head = tracker.track(canvas.frame());
  EXPECT_TRUE(head.found);
  EXPECT_EQ(head.frame, 0);
  EXPECT_NEAR(head.x_px, 59.5, 1e-9);
  EXPECT_NEAR(head.y_px, 34.5, 1e-9);
  EXPECT_NEAR(head.area, 0.03, 1e-6);
  EXPECT_NEAR(head.distance_m, 0.8, 1e-4);
  EXPECT_EQ(head.window, (Region{0, 0, 200, 100}));
  EXPECT_GT(head.latency_us, 0);
  // Twice as near: four times the area.
  canvas.skin({40, 5, 40, 60});
  EXPECT_NEAR(tracker.track(canvas.frame()).distance_m, 0.4, 1e-4);
  EXPECT_EQ(tracker.latency().frames, 2);
}

TEST(Tracker, StaysWhereTheHeadWasWhenItIsLost) {
  Canvas canvas(200, 100);
  Tracker tracker = tracker_of(200, 100);
  EXPECT_FALSE(tracker.track(canvas.frame()).found);
  canvas.skin({50, 20, 20, 30});
  const TrackedHead seen = tracker.track(canvas.frame());
  EXPECT_TRUE(seen.found);
  canvas.clear();
  const TrackedHead lost = tracker.track(canvas.frame());
  EXPECT_FALSE(lost.found);
  EXPECT_EQ(lost.x_px, seen.x_px);
  EXPECT_EQ(lost.y_px, seen.y_px);
  EXPECT_EQ(lost.distance_m, seen.distance_m);
  EXPECT_EQ(lost.frame, 2);
  canvas.skin({0, 0, 1, 1});  // less than the smallest head
  EXPECT_FALSE(tracker.track(canvas.frame()).found);
}

TEST(Tracker, FollowsTheHeadBesideAHand) {
  for (const bool started : {false, true}) {
    const SyntheticScene scene(small_scene(true));
    std::vector<Rgb8> pixels(320 * 180);
    const ImageView<Rgb8> view(pixels.data(), 320, 180);
    const Oval box = scene.truth(0).box;
    TrackerOptions options;
    options.gate = true;
    options.threads = 1;
    if (started) options.start = Region{int(box.x), int(box.y), int(box.width), int(box.height)};
    Tracker tracker = tracker_of(320, 180, options);
    for (int i = 0; i < scene.options().frames; ++i) {
      scene.render(i, view, 1);
      const SyntheticTruth truth = scene.truth(i);
      const TrackedHead head = tracker.track(Frame(ImageView<const Rgb8>(view)));
      EXPECT_TRUE(head.found) << i;
      EXPECT_NEAR(head.x_px, truth.x_px, 0.5) << i;
      EXPECT_NEAR(head.y_px, truth.y_px, 0.5) << i;
    }
  }
}

TEST(Tracker, FindsTheHeadAgainElsewhere) {
  Canvas canvas(320, 240);
  const Region start{100, 80, 40, 52};
  canvas.skin(start);
  TrackerOptions options;
  options.gate = true;
  options.start = start;
  Tracker tracker = tracker_of(320, 240, options);
  EXPECT_TRUE(tracker.track(canvas.frame()).found);
  canvas.clear();
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(tracker.track(canvas.frame()).found);
  canvas.skin({240, 150, 40, 52});
  bool found = false;
  for (int i = 0; i < 3; ++i) found = tracker.track(canvas.frame()).found;
  EXPECT_TRUE(found);
  EXPECT_NEAR(tracker.track(canvas.frame()).x_px, 259.5, 0.5);
  tracker.reset();
  canvas.clear();
  canvas.skin({10, 10, 40, 52});
  EXPECT_NEAR(tracker.track(canvas.frame()).x_px, 29.5, 0.5);
}

TEST(Tracker, SmoothsATremble) {
  Canvas canvas(200, 100);
  TrackerOptions options;
  options.smooth = true;
  Tracker smooth = tracker_of(200, 100, options);
  Tracker plain = tracker_of(200, 100);
  double swing_smooth = 0, swing_plain = 0, last_smooth = 0, last_plain = 0;
  for (int i = 0; i < 60; ++i) {
    canvas.clear();
    canvas.skin({50 + i % 2, 20, 20, 30});
    const double s = smooth.track(canvas.frame()).x_px, p = plain.track(canvas.frame()).x_px;
    if (i > 30) swing_smooth += std::abs(s - last_smooth), swing_plain += std::abs(p - last_plain);
    last_smooth = s;
    last_plain = p;
  }
  EXPECT_LT(swing_smooth, 0.5 * swing_plain);
  EXPECT_ERROR(smooth.track(canvas.frame(), 0), InvalidArgument, "above 0");
}

TEST(Tracker, RejectsWhatMakesNoSense) {
  const Canvas canvas(64, 48);
  EXPECT_ERROR(tracker_of(0, 10), InvalidArgument, "0 x 10");
  EXPECT_ERROR(tracker_of(10000, 10), InvalidArgument, "10000 x 10");
  EXPECT_ERROR(Tracker(filter, FrameFormat::yuyv, 63, 48), InvalidArgument, "odd");
  TrackerOptions options;
  options.reference_area = 0;
  EXPECT_ERROR(tracker_of(64, 48, options), InvalidArgument, "reference area");
  options = {};
  options.start = Region{100, 100, 10, 10};
  EXPECT_ERROR(tracker_of(64, 48, options), InvalidArgument, "cannot start");
  for (const double ready_us : {-1.0, 2e6}) {
    options = {};
    options.ready_us = ready_us;
    EXPECT_ERROR(tracker_of(64, 48, options), InvalidArgument, "at the ready");
  }
  Tracker tracker = tracker_of(65, 48);
  EXPECT_ERROR(tracker.track(canvas.frame()), InvalidArgument, "64 x 48 rgb");
  EXPECT_ERROR(tracker.track(DeviceFrame(FrameFormat::rgb, canvas.frame().data(), 65, 48, 65 * 3)),
               InvalidArgument, "on the GPU");
}

TEST(Tracker, FramesInFlightKeepTheirOrder) {
  const SyntheticScene scene(small_scene(false));
  TrackerOptions options;
  options.gate = true;
  options.smooth = true;
  Tracker waiting(filter, FrameFormat::rgb, 320, 180, options);
  Tracker ahead(filter, FrameFormat::rgb, 320, 180, options);
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
    expected.push_back(waiting.track(frame));
    if (ahead.in_flight() == Tracker::max_in_flight) {
      EXPECT_ERROR(ahead.submit(frame), InvalidArgument, "in flight");
      EXPECT_ERROR(ahead.track(frame), InvalidArgument, "in flight");
      expect_next();
    }
    ahead.submit(frame);
  }
  while (ahead.in_flight() > 0) expect_next();
  EXPECT_EQ(ahead.latency().frames, 20);
}

// A face between a darker and a brighter wall of its hue: one of them weighs as much as the face by any
// plane.
TEST(Tracker, AGateGoesByColoursThatNoPlaneSeparates) {
  constexpr int width = 320, height = 200, frames = 60;
  std::vector<Rgb8> pixels(std::size_t{width} * height);
  const auto face_at = [](int k) { return Oval{30.0 + 3.5 * k, 60 + 20 * std::sin(0.2 * k), 44, 60}; };
  const auto paint = [&](int k) {
    const Oval face = face_at(k);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const double u = (x + 0.5 - face.x - face.width / 2) / (face.width / 2);
        const double v = (y + 0.5 - face.y - face.height / 2) / (face.height / 2);
        const Rgb8 wall = x < width / 2 ? Rgb8{80, 56, 44} : Rgb8{250, 175, 138};
        pixels[static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x)] =
            u * u + v * v <= 1 ? Rgb8{160, 112, 88} : wall;
      }
    }
    return Frame{ImageView<const Rgb8>(pixels.data(), width, height)};
  };
  const MarkedFrame marked{paint(0), face_at(0)};
  const Calibration learnt = calibrate({&marked, 1}, 1);
  ASSERT_EQ(learnt.status, CalibrationStatus::good);
  TrackerOptions options;
  options.gate = true;
  options.start = Region{30, 60, 44, 60};
  options.gate_by = learnt.colours;
  Tracker tracker(learnt.filter, FrameFormat::rgb, width, height, options);
  for (int k = 0; k < frames; ++k) {
    const TrackedHead head = tracker.track(paint(k));
    const Oval face = face_at(k);
    ASSERT_TRUE(head.found) << k;
    EXPECT_LT(std::abs(head.x_px - face.x - face.width / 2), 0.2 * face.width) << k;
    EXPECT_LT(std::abs(head.y_px - face.y - face.height / 2), 0.2 * face.height) << k;
  }
}

TEST(Tracker, RefusesAGateThatGoesByNothing) {
  TrackerOptions options;
  options.gate = true;
  options.gate_by = HistogramRatio{};
  EXPECT_ERROR(tracker_of(64, 48, options), InvalidArgument, "histogram");
}

TEST(LatencyHistogram, KnowsItsQuantiles) {
  LatencyHistogram histogram;
  EXPECT_EQ(histogram.statistics().frames, 0);
  for (int i = 1; i <= 1000; ++i) histogram.add(i);
  const LatencyStatistics s = histogram.statistics();
  EXPECT_EQ(s.frames, 1000);
  EXPECT_NEAR(s.median_us, 500, 0.012 * 500);  // a bin is 1.1 % wide
  EXPECT_NEAR(s.p90_us, 900, 0.012 * 900);
  EXPECT_NEAR(s.p99_us, 990, 0.012 * 990);
  EXPECT_EQ(s.worst_us, 1000);
  EXPECT_NEAR(s.mean_us, 500.5, 1e-9);
}

}  // namespace
}  // namespace triptych::skin_tracker
