#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/calibrate.hpp>
#include <triptych/skin_tracker/moments.hpp>
#include <triptych/skin_tracker/synthetic.hpp>
#include <triptych/skin_tracker/tracker.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "testing/expect_error.hpp"

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
  void skin(const PixelBox& where) {
    const PixelBox r = clip(where, width_, height_);
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

Tracker tracker_of(const TrackerOptions& options = {}) { return Tracker(filter, options, Device::cpu()); }

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
  Tracker tracker = tracker_of(options);
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
  Tracker tracker = tracker_of();
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

TEST(Tracker, FollowsTheHeadBesideAHand) {
  for (const bool started : {false, true}) {
    const SyntheticScene scene(small_scene(true));
    std::vector<Rgb8> pixels(320 * 180);
    const ImageView<Rgb8> view(pixels.data(), 320, 180);
    const Box box = scene.truth(0).box;
    TrackerOptions options;
    options.gate = true;
    if (started) options.start = PixelBox{int(box.x), int(box.y), int(box.width), int(box.height)};
    Tracker tracker(filter, options, Device::cpu(1));
    for (int i = 0; i < scene.options().frames; ++i) {
      scene.render(i, view, 1);
      const SyntheticTruth truth = scene.truth(i);
      const TrackedHead head = tracker.step(view);
      EXPECT_TRUE(head.found()) << i;
      EXPECT_NEAR(head.x_px, truth.x_px, 0.5) << i;
      EXPECT_NEAR(head.y_px, truth.y_px, 0.5) << i;
    }
  }
}

TEST(Tracker, FindsTheHeadAgainElsewhere) {
  Canvas canvas(320, 240);
  const PixelBox start{100, 80, 40, 52};
  canvas.skin(start);
  TrackerOptions options;
  options.gate = true;
  options.start = start;
  Tracker tracker = tracker_of(options);
  EXPECT_TRUE(tracker.step(canvas.frame()).found());
  canvas.clear();
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(tracker.step(canvas.frame()).found());
  canvas.skin({240, 150, 40, 52});
  bool found = false;
  for (int i = 0; i < 3; ++i) found = tracker.step(canvas.frame()).found();
  EXPECT_TRUE(found);
  EXPECT_NEAR(tracker.step(canvas.frame()).x_px, 259.5, 0.5);
  tracker.reset();
  canvas.clear();
  canvas.skin({10, 10, 40, 52});
  EXPECT_NEAR(tracker.step(canvas.frame()).x_px, 29.5, 0.5);
}

TEST(Tracker, SmoothsATremble) {
  Canvas canvas(200, 100);
  TrackerOptions options;
  options.smooth = true;
  Tracker smooth = tracker_of(options);
  Tracker plain = tracker_of();
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
  for (const double persistent_us : {-1.0, 2e6}) {
    options = {};
    options.persistent_us = persistent_us;
    EXPECT_ERROR(tracker_of(options), InvalidArgument, "persistent kernel");
  }
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
  Tracker tracker = tracker_of();
  EXPECT_NEAR(tracker.step(small.frame()).x_px, 59.5, 1e-9);
  const TrackedHead resized = tracker.step(large.frame());
  EXPECT_NEAR(resized.x_px, 119.5, 1e-9);
  EXPECT_EQ(resized.frame, 1);
  EXPECT_EQ(resized.window, (PixelBox{0, 0, 320, 240}));
  // Bytes of skin colour, read as BGR, are blue.
  const Frame swapped(FrameFormat::bgr, large.frame().data(), 320, 240, 3 * 320);
  EXPECT_EQ(tracker.step(swapped).status, HeadStatus::lost_no_skin);
  // In video range Y 180, U 110, V 150 is a skin colour as well: the plane is fixed again for YUV.
  std::vector<std::uint8_t> yuyv(64 * 48 * 2);
  for (std::size_t i = 0; i < yuyv.size(); i += 4) {
    yuyv[i] = yuyv[i + 2] = 180;
    yuyv[i + 1] = 100;
    yuyv[i + 3] = 160;
  }
  const Frame converted(FrameFormat::yuyv, yuyv.data(), 64, 48, 128);
  const TrackedHead head = tracker.step(converted);
  EXPECT_TRUE(head.found());
  EXPECT_EQ(head.raw.weight_px, locate_cpu(converted, filter).weight_px);
  // Not while frames are in flight; those are not disturbed.
  tracker.submit(small.frame());
  EXPECT_ERROR(tracker.submit(large.frame()), InvalidArgument, "in flight");
  EXPECT_EQ(tracker.in_flight(), 1);
  EXPECT_NEAR(tracker.next().x_px, 59.5, 1e-9);
}

TEST(Tracker, AGateSurvivesAChangeOfSize) {
  Canvas small(200, 100), large(320, 240);
  small.skin({50, 20, 30, 40});
  large.skin({200, 80, 40, 52});
  TrackerOptions options;
  options.gate = true;
  options.start = PixelBox{50, 20, 30, 40};
  Tracker tracker = tracker_of(options);
  EXPECT_NEAR(tracker.step(small.frame()).x_px, 64.5, 0.5);
  EXPECT_NEAR(tracker.step(large.frame()).x_px, 219.5, 0.5);
}

TEST(Tracker, SaysWhyTheHeadIsLost) {
  Canvas canvas(320, 240);
  TrackerOptions options;
  options.gate = true;
  Tracker tracker = tracker_of(options);
  EXPECT_EQ(tracker.step(canvas.frame()).status, HeadStatus::lost_no_skin);
  canvas.skin({100, 80, 40, 52});
  EXPECT_EQ(tracker.step(canvas.frame()).status, HeadStatus::found);
  canvas.clear();
  canvas.skin({0, 0, 320, 240});  // everywhere: no box stands out
  EXPECT_EQ(tracker.step(canvas.frame()).status, HeadStatus::lost_by_gate);
  Tracker whole = tracker_of();
  canvas.clear();
  canvas.skin({0, 0, 2, 2});
  const TrackedHead speck = whole.step(canvas.frame());
  EXPECT_EQ(speck.status, HeadStatus::lost_too_small);
  EXPECT_EQ(speck.score, 0);
  for (const HeadStatus status :
       {HeadStatus::lost_no_skin, HeadStatus::lost_too_small, HeadStatus::lost_by_gate})
    EXPECT_EQ(to_string(status).substr(0, 4), "lost");
  EXPECT_EQ(to_string(HeadStatus::found), "found");
}

TEST(Tracker, ScoresASolidHeadAboveScatteredSkin) {
  Canvas canvas(320, 240);
  canvas.skin({100, 80, 40, 52});
  Tracker tracker = tracker_of();
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

// What skin_demo does with a box: calibrate, gate, and take the reference area from the calibration.
TEST(Tracker, FollowsAFaceFromItsBox) {
  const SyntheticScene scene(small_scene(true));
  std::vector<Rgb8> pixels(320 * 180);
  const ImageView<Rgb8> view(pixels.data(), 320, 180);
  scene.render(0, view, 1);
  Tracker tracker = Tracker::from_box(view, scene.truth(0).box, {}, Device::cpu(1));
  for (int i = 0; i < scene.options().frames; ++i) {
    scene.render(i, view, 1);
    const SyntheticTruth truth = scene.truth(i);
    const TrackedHead head = tracker.step(view);
    EXPECT_TRUE(head.found()) << i;
    EXPECT_NEAR(head.x_px, truth.x_px, 0.5) << i;
    EXPECT_NEAR(head.y_px, truth.y_px, 0.5) << i;
    if (i == 0) {
      EXPECT_NEAR(head.distance_m, 0.6, 0.01);
    }
  }
  EXPECT_ERROR(Tracker::from_box(view, {500, 500, 20, 20}, {}, Device::cpu()), CalibrationError, "mark");
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

// A face between a darker and a brighter wall of its hue: one of them weighs as much as the face by any
// plane.
TEST(Tracker, AGateGoesByColoursThatNoPlaneSeparates) {
  constexpr int width = 320, height = 200, frames = 60;
  std::vector<Rgb8> pixels(std::size_t{width} * height);
  const auto face_at = [](int k) { return Box{30.0 + 3.5 * k, 60 + 20 * std::sin(0.2 * k), 44, 60}; };
  const auto paint = [&](int k) {
    const Box face = face_at(k);
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
  TrackerOptions options;
  options.gate = true;
  options.start = PixelBox{30, 60, 44, 60};
  options.gate_by = learnt.colours;
  Tracker tracker(learnt.filter, options, Device::cpu());
  for (int k = 0; k < frames; ++k) {
    const TrackedHead head = tracker.step(paint(k));
    const Box face = face_at(k);
    ASSERT_TRUE(head.found()) << k;
    EXPECT_LT(std::abs(head.x_px - face.x - face.width / 2), 0.2 * face.width) << k;
    EXPECT_LT(std::abs(head.y_px - face.y - face.height / 2), 0.2 * face.height) << k;
  }
}

TEST(Tracker, RefusesAGateThatGoesByNothing) {
  TrackerOptions options;
  options.gate = true;
  options.gate_by = HistogramRatio{};
  EXPECT_ERROR(tracker_of(options), InvalidArgument, "histogram");
}

}  // namespace
}  // namespace triptych::skin_tracker
