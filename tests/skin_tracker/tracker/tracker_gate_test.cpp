// A tracker with a gate: follows one head beside other skin, loses it and finds it again.
#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/calibrate.hpp>
#include <triptych/skin_tracker/synthetic.hpp>
#include <triptych/skin_tracker/tracker.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "skin_tracker/tracker/canvas.hpp"
#include "testing/expect_error.hpp"

namespace triptych::skin_tracker {
namespace {

using namespace test_canvas;

void expect_at(const TrackedHead& head, const SyntheticTruth& truth, int frame) {
  EXPECT_TRUE(head.found()) << frame;
  EXPECT_NEAR(head.x_px, truth.x_px, 0.5) << frame;
  EXPECT_NEAR(head.y_px, truth.y_px, 0.5) << frame;
}

TEST(TrackerGate, FollowsTheHeadBesideAHand) {
  for (const bool started : {false, true}) {
    const SyntheticScene scene(small_scene(true));
    std::vector<Rgb8> pixels(320 * 180);
    const ImageView<Rgb8> view(pixels.data(), 320, 180);
    const Box box = scene.truth(0).box;
    TrackerOptions options;
    options.gate = true;
    if (started) options.start = PixelBox{int(box.x), int(box.y), int(box.width), int(box.height)};
    Tracker tracker(skin_filter, options, Device::cpu(1));
    for (int i = 0; i < scene.options().frames; ++i) {
      scene.render(i, view, 1);
      const TrackedHead head = tracker.step(view);
      expect_at(head, scene.truth(i), i);
    }
  }
}

TEST(TrackerGate, FindsTheHeadAgainElsewhere) {
  Canvas canvas(320, 240);
  const PixelBox start{100, 80, 40, 52};
  canvas.skin(start);
  TrackerOptions options;
  options.gate = true;
  options.start = start;
  Tracker tracker = tracker_of(finds_rectangles(options));
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

TEST(TrackerGate, AGateSurvivesAChangeOfSize) {
  Canvas small(200, 100), large(320, 240);
  small.skin({50, 20, 30, 40});
  large.skin({200, 80, 40, 52});
  TrackerOptions options;
  options.gate = true;
  options.start = PixelBox{50, 20, 30, 40};
  Tracker tracker = tracker_of(finds_rectangles(options));
  EXPECT_NEAR(tracker.step(small.frame()).x_px, 64.5, 0.5);
  EXPECT_NEAR(tracker.step(large.frame()).x_px, 219.5, 0.5);
}

TEST(TrackerGate, SaysWhyTheHeadIsLost) {
  Canvas canvas(320, 240);
  TrackerOptions options;
  options.gate = true;
  Tracker tracker = tracker_of(finds_rectangles(options));
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

// What skin_demo does with a box: calibrate, gate, and take the reference area from the calibration.
TEST(TrackerGate, FollowsAFaceFromItsBox) {
  const SyntheticScene scene(small_scene(true));
  std::vector<Rgb8> pixels(320 * 180);
  const ImageView<Rgb8> view(pixels.data(), 320, 180);
  scene.render(0, view, 1);
  Tracker tracker = Tracker::from_box(view, scene.truth(0).box, {}, Device::cpu(1));
  for (int i = 0; i < scene.options().frames; ++i) {
    scene.render(i, view, 1);
    const TrackedHead head = tracker.step(view);
    expect_at(head, scene.truth(i), i);
    if (i == 0) {
      EXPECT_NEAR(head.distance_m, 0.6, 0.01);
    }
  }
  EXPECT_ERROR(Tracker::from_box(view, {500, 500, 20, 20}, {}, Device::cpu()), CalibrationError, "mark");
}

// A scene whose light changes its colour little by little: red, green and blue to these factors.
struct ChangingLight {
  SyntheticScene scene;
  double red, green, blue;
  std::vector<Rgb8> pixels = std::vector<Rgb8>(320 * 180);

  Frame frame(int i, double share) {
    const ImageView<Rgb8> view(pixels.data(), 320, 180);
    scene.render(i, view, 1);
    const auto change = [&](std::uint8_t& value, double factor) {
      value = static_cast<std::uint8_t>(std::min(255.0, value * (1 + share * (factor - 1)) + 0.5));
    };
    for (Rgb8& p : pixels) {
      change(p.r, red);
      change(p.g, green);
      change(p.b, blue);
    }
    return view;
  }
};

// The colours of the first frame say little at the end, the head's looks as much as ever.
TEST(TrackerGate, FollowsAFaceInLightOfAnotherColour) {
  for (const auto& [red, green, blue] : {std::tuple{0.7, 1.0, 1.3}, {1.3, 1.0, 0.6}, {0.7, 1.2, 0.9}}) {
    ChangingLight light{SyntheticScene(small_scene(false)), red, green, blue};
    const Box face = light.scene.truth(0).box;
    Tracker tracker = Tracker::from_box(light.frame(0, 0), face, {}, Device::cpu(1));
    const int frames = light.scene.options().frames;
    for (int i = 0; i < frames; ++i) {
      const TrackedHead head = tracker.step(light.frame(i, static_cast<double>(i) / (frames - 1)));
      const SyntheticTruth truth = light.scene.truth(i);
      ASSERT_TRUE(head.found()) << red << ", frame " << i << ": " << reason(head);
      ASSERT_LT(std::abs(head.x_px - truth.x_px), truth.box.width / 2) << red << ", frame " << i;
      ASSERT_LT(std::abs(head.y_px - truth.y_px), truth.box.height / 2) << red << ", frame " << i;
    }
  }
}

// While the head is hidden the light changes: its weights would not tell it from the wall any more.
TEST(TrackerGate, FindsAFaceAgainByItsLooks) {
  ChangingLight light{SyntheticScene(small_scene(false)), 0.75, 1, 1.3};
  Tracker tracker = Tracker::from_box(light.frame(0, 0), light.scene.truth(0).box, {}, Device::cpu(1));
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(tracker.step(light.frame(0, 0)).found()) << i;
  const std::vector<Rgb8> wall(light.pixels.size(), Rgb8{90, 95, 100});
  for (int i = 0; i < 5; ++i)
    EXPECT_FALSE(tracker.step(ImageView<const Rgb8>(wall.data(), 320, 180)).found()) << i;
  EXPECT_TRUE(tracker.step(light.frame(0, 1)).found());
}

// A picture of 320 x 180 moved to the right and down; what it had at its edges goes on beyond them.
std::vector<Rgb8> shifted(const std::vector<Rgb8>& pixels, int dx, int dy) {
  std::vector<Rgb8> result;
  for (int y = 0; y < 180; ++y) {
    const auto row = static_cast<std::size_t>(std::clamp(y - dy, 0, 179)) * 320;
    for (int x = 0; x < 320; ++x)
      result.push_back(pixels[row + static_cast<std::size_t>(std::clamp(x - dx, 0, 319))]);
  }
  return result;
}

// The same a head's width or height away from where it was last, or both: each side has its turn within four
// frames.
TEST(TrackerGate, FindsAFaceAgainBesideWhereItWas) {
  ChangingLight light{SyntheticScene(small_scene(false)), 0.75, 1, 1.3};
  const SyntheticTruth truth = light.scene.truth(0);
  const Frame first = light.frame(0, 0);
  const std::vector<Rgb8> start = light.pixels;
  light.frame(0, 1);
  const std::vector<Rgb8> changed = light.pixels, wall(start.size(), Rgb8{90, 95, 100});
  for (int side = 0; side < 9; ++side) {
    const int column = side % 3 - 1, row = side / 3 - 1, dx = static_cast<int>(column * truth.box.width),
              dy = static_cast<int>(row * truth.box.height);
    light.pixels = start;
    Tracker tracker = Tracker::from_box(first, truth.box, {}, Device::cpu(1));
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(tracker.step(first).found()) << i;
    const std::vector<Rgb8> now = shifted(changed, dx, dy);
    TrackedHead head;
    for (int i = 0; i < 3; ++i) tracker.step(ImageView<const Rgb8>(wall.data(), 320, 180));
    for (int i = 0; i < 4 && !head.found(); ++i)
      head = tracker.step(ImageView<const Rgb8>(now.data(), 320, 180));
    ASSERT_TRUE(head.found()) << dx << ' ' << dy << ": " << reason(head);
    EXPECT_LT(std::abs(head.x_px - truth.x_px - dx), truth.box.width / 2) << dx << ' ' << dy;
    EXPECT_LT(std::abs(head.y_px - truth.y_px - dy), truth.box.height / 2) << dx << ' ' << dy;
  }
}

// It leaves the frame on any side, at any speed, and comes back: what is measured lies in the frame.
TEST(TrackerGate, AFaceMayLeaveTheFrame) {
  ChangingLight light{SyntheticScene(small_scene(false)), 1, 1, 1};
  const Frame first = light.frame(0, 0);
  for (const auto& [across, down] : {std::pair{9, 0}, {-25, 0}, {0, 7}, {0, -16}, {14, 11}}) {
    Tracker tracker = Tracker::from_box(first, light.scene.truth(0).box, {}, Device::cpu(1));
    for (int i = 0; i < 60; ++i) {
      const int shift = i < 30 ? i : 59 - i;
      const std::vector<Rgb8> now = shifted(light.pixels, shift * across, shift * down);
      const TrackedHead head = tracker.step(ImageView<const Rgb8>(now.data(), 320, 180));
      EXPECT_EQ(clip(head.window, 320, 180), head.window) << across << ' ' << down << ", frame " << i;
      EXPECT_TRUE(head.confidence >= 0 && head.confidence <= 1) << across << ' ' << down << ", frame " << i;
      if (head.found()) {
        EXPECT_TRUE(head.x_px >= 0 && head.x_px < 320 && head.y_px >= 0 && head.y_px < 180) << i;
        EXPECT_FALSE(head.window.empty()) << i;
      }
    }
  }
}

// A face between a darker and a brighter wall of its hue: one of them weighs as much as the face by any
// plane.
TEST(TrackerGate, AGateGoesByColoursThatNoPlaneSeparates) {
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
  options.min_confidence = 0;  // between the walls the surroundings turn from darker to brighter
  Tracker tracker(learnt.filter, options, Device::cpu());
  for (int k = 0; k < frames; ++k) {
    const TrackedHead head = tracker.step(paint(k));
    const Box face = face_at(k);
    ASSERT_TRUE(head.found()) << k;
    EXPECT_LT(std::abs(head.x_px - face.x - face.width / 2), 0.2 * face.width) << k;
    EXPECT_LT(std::abs(head.y_px - face.y - face.height / 2), 0.2 * face.height) << k;
  }
}

// Heads from one pixel to far larger than the frame, lost in frames of any shape: nothing overflows, and
// every result is finite.
TEST(TrackerGate, AHeadOfAnySizeCanBeLost) {
  constexpr int huge = std::numeric_limits<int>::max();
  for (const PixelBox start : {PixelBox{0, 0, 1, 1}, PixelBox{0, 0, huge, huge}, PixelBox{-9, 0, 10, huge},
                               PixelBox{1, 1, 2, 900}}) {
    for (const auto& [width, height] : {std::pair{1, 1}, {400, 2}, {3, 300}, {320, 240}}) {
      Canvas canvas(width, height), other(width, height);
      canvas.skin({0, 0, width, height});
      other.skin({width / 2, 0, 3, 3});
      TrackerOptions options;
      options.gate = true;
      options.start = start;
      if (clip(start, width, height).empty()) continue;
      Tracker tracker = tracker_of(options);
      for (int i = 0; i < 6; ++i) {
        const TrackedHead head = tracker.step(i % 3 == 0 ? canvas.frame() : other.frame());
        EXPECT_TRUE(head.confidence >= 0 && head.confidence <= 1) << width << ' ' << i;
        EXPECT_EQ(reason(head).empty(), head.found());
      }
    }
  }
}

// In a frame many times larger than the head a part is searched at a time: it is found within a few frames,
// wherever it is.
TEST(TrackerGate, ASmallHeadIsFoundAgainWithinAFewFrames) {
  for (const auto& [x, y] : {std::pair{20, 15}, {600, 440}, {333, 111}}) {
    Canvas canvas(640, 480);
    canvas.skin({300, 200, 21, 28});
    TrackerOptions options;
    options.gate = true;
    options.start = PixelBox{300, 200, 21, 28};
    options.min_confidence = 0;
    Tracker tracker = tracker_of(options);
    EXPECT_TRUE(tracker.step(canvas.frame()).found());
    canvas.clear();
    for (int i = 0; i < 5; ++i) EXPECT_FALSE(tracker.step(canvas.frame()).found());
    canvas.skin({x, y, 21, 28});
    int frames = 0;
    while (!tracker.step(canvas.frame()).found() && frames < 20) ++frames;
    EXPECT_LE(frames, 8) << x;
    EXPECT_NEAR(tracker.step(canvas.frame()).x_px, x + 10, 2);
  }
}

TEST(TrackerGate, RefusesAGateThatGoesByNothing) {
  TrackerOptions options;
  options.gate = true;
  options.gate_by = HistogramRatio{};
  EXPECT_ERROR(tracker_of(options), InvalidArgument, "histogram");
}

}  // namespace
}  // namespace triptych::skin_tracker
