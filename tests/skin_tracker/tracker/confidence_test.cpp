// The confidence of heads: near 1 for a head, near 0 for walls, scattered skin and what is not the head, and
// what follows from it.
#include <triptych/skin_tracker/tracker.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gate/layout.hpp"
#include "skin_tracker/tracker/canvas.hpp"

namespace triptych::skin_tracker {
namespace {

using namespace test_canvas;

// A solid ellipse of skin with these semi-axes, by its exact moments.
Head solid_head(double a, double b, int width, int height) {
  const double px = 3.14159265358979 * a * b;
  return {0.5 * width, 0.5 * height, px, px / (1.0 * width * height), a * a / 4, 0, b * b / 4, true};
}

double confidence_of_head(const Head& head) { return tracked_head(head, 320, 240).confidence; }

TEST(Confidence, IsHighForASmallSolidHeadAndLowForAWall) {
  EXPECT_GT(confidence_of_head(solid_head(24, 32, 320, 240)), 0.8);
  Head wall = solid_head(100, 100, 320, 240);
  wall.xx_px2 = 320 * 320 / 12.0;  // a rectangle that fills the frame
  wall.yy_px2 = 240 * 240 / 12.0;
  wall.weight_px = 320 * 240;
  EXPECT_EQ(confidence_of_head(wall), 0);
  EXPECT_EQ(tracked_head({}, 320, 240).confidence, 0);
}

TEST(Confidence, FallsWithSizeAndRisesWithDensityAndRoundness) {
  double last = 1;
  for (double scale = 1; scale < 6; scale += 0.5) {
    const double now = confidence_of_head(solid_head(20 * scale, 26 * scale, 320, 240));
    EXPECT_TRUE(now < last || (now == 0 && last == 0)) << scale;
    last = now;
  }
  HeadEvidence evidence{HeadSource::whole_frame, 0.1, 0.5, 0.7};
  for (const auto field : {&HeadEvidence::compactness, &HeadEvidence::roundness}) {
    HeadEvidence more = evidence;
    more.*field += 0.2;
    EXPECT_GT(confidence_of(more), confidence_of(evidence));
  }
  evidence.source = HeadSource::search;
  evidence.oval = 0.2;
  HeadEvidence more = evidence;
  more.oval = 0.9;
  EXPECT_GT(confidence_of(more), confidence_of(evidence));
  evidence.source = HeadSource::start;
  evidence.likeness = 0.5;
  evidence.sharpness = 8;
  for (const auto field : {&HeadEvidence::likeness, &HeadEvidence::sharpness}) {
    more = evidence;
    more.*field *= 1.8;
    EXPECT_GT(confidence_of(more), confidence_of(evidence));
  }
}

TEST(Confidence, IsAProbabilityForAnyEvidence) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const HeadSource source : {HeadSource::whole_frame, HeadSource::search, HeadSource::start}) {
    for (const double v : {0.0, -1.0, 1e300, -1e300, inf, -inf, nan}) {
      for (const double w : {0.5, v}) {
        for (const std::optional<double> face : {std::optional<double>(), std::optional(v)}) {
          const double confidence = confidence_of({source, v, w, v, w, v, w, true, face});
          EXPECT_TRUE(confidence >= 0 && confidence <= 1) << v << ' ' << w;
        }
      }
    }
  }
  for (const double v : {0.0, 1e-300, 1e300, inf, nan}) {
    const TrackedHead head = tracked_head({v, v, v, 0.1, v, v, v, true}, 1, 1);
    EXPECT_TRUE(head.confidence >= 0 && head.confidence <= 1) << v;
  }
}

TEST(Confidence, DecidesWhatIsFound) {
  const Head head = solid_head(24, 32, 320, 240);
  TrackerOptions options;
  const double confidence = tracked_head(head, 320, 240, options).confidence;
  options.min_confidence = confidence;
  EXPECT_TRUE(tracked_head(head, 320, 240, options).found());
  options.min_confidence = std::nextafter(confidence, 1);
  const TrackedHead unsure = tracked_head(head, 320, 240, options);
  EXPECT_EQ(unsure.status, HeadStatus::lost_unsure);
  EXPECT_EQ(unsure.confidence, confidence);
  EXPECT_EQ(unsure.score, 0);
  EXPECT_EQ(unsure.raw.x_px, head.x_px);
}

TEST(Confidence, AHeadLargerThanTheFrameIsNone) {
  Canvas canvas(320, 240);
  canvas.skin({0, 0, 320, 240});
  Tracker tracker = tracker_of();
  const TrackedHead wall = tracker.step(canvas.frame());
  EXPECT_EQ(wall.status, HeadStatus::lost_too_large);
  EXPECT_NE(reason(wall).find("115 %"), std::string::npos) << reason(wall);  // sqrt(4 / 3) times the frame
  EXPECT_EQ(wall.x_px, 159.5);
  TrackerOptions any;
  any.min_confidence = 0;
  Tracker finds_all = tracker_of(any);
  EXPECT_TRUE(finds_all.step(canvas.frame()).found());
}

TEST(Confidence, ScatteredSkinIsNoHead) {
  Canvas canvas(320, 240);
  for (int i = 0; i < 4; ++i) canvas.skin({30 + 64 * i, 20 + 50 * (i % 3), 20, 20});
  Tracker tracker = tracker_of();
  const TrackedHead head = tracker.step(canvas.frame());
  EXPECT_EQ(head.status, HeadStatus::lost_not_compact);
  EXPECT_NE(reason(head).find("of its ellipse"), std::string::npos);
}

TEST(Confidence, AReasonForEveryStatusButFound) {
  TrackedHead head;
  for (int i = 0; i <= static_cast<int>(HeadStatus::lost_unsure); ++i) {
    head.status = static_cast<HeadStatus>(i);
    EXPECT_EQ(reason(head).empty(), head.found()) << to_string(head.status);
    EXPECT_EQ(to_string(head.status).substr(0, 4), head.found() ? "foun" : "lost");
  }
}

// What is followed turns into something else: as large, of the same colour, but of another shape.
TEST(Confidence, FallsWhenTheHeadIsReplaced) {
  Canvas canvas(320, 240);
  const auto paint_head = [&](int x, int y) {
    canvas.clear();
    for (int row = 0; row < 60; ++row) {
      const int half = static_cast<int>(24 * std::sqrt(std::max(0.0, 1 - std::pow((row - 29.5) / 30, 2))));
      canvas.skin({x + 24 - half, y + row, 2 * half, 1});
    }
  };
  paint_head(100, 80);
  TrackerOptions options;
  options.gate = true;
  options.start = PixelBox{100, 80, 48, 60};
  Tracker tracker = tracker_of(options);
  const TrackedHead first = tracker.step(canvas.frame());
  EXPECT_TRUE(first.found());
  EXPECT_GT(first.confidence, 0.9);
  EXPECT_NEAR(first.evidence.likeness, 1, 1e-9);
  EXPECT_EQ(first.evidence.source, HeadSource::start);
  paint_head(106, 83);
  const TrackedHead moved = tracker.step(canvas.frame());
  EXPECT_GT(moved.confidence, 0.9);
  canvas.clear();
  for (int i = 0; i < 6; ++i) canvas.skin({90, 70 + 16 * i, 80, 8});
  const TrackedHead stripes = tracker.step(canvas.frame());
  EXPECT_FALSE(stripes.found());
  EXPECT_LT(stripes.confidence, 0.5);
  paint_head(200, 100);
  TrackedHead again;
  for (int i = 0; i < 3; ++i) again = tracker.step(canvas.frame());
  EXPECT_TRUE(again.found());
  EXPECT_GT(again.evidence.likeness, 0.75);
}

TEST(Confidence, ALayoutIsEqualToItselfAtAnySizeAndBrightness) {
  WeightMap map;
  const auto layout = [&](double size, double gain) {
    map.place({120, 90, 240, 180}, 16, 240, 180);
    const auto samples = map.samples();
    const int columns = map.region().width / map.step();
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const int column = static_cast<int>(i) % columns, row = static_cast<int>(i) / columns;
      const double x = (column + 0.5) * map.step() - 120, y = (row + 0.5) * map.step() - 90;
      samples[i] = static_cast<std::uint16_t>(gain * (std::hypot(x / size, y / size) < 0.5 ? 30000 : 3000));
    }
    map.sum_up();
    return Layout(map, {120, 90, size, size});
  };
  const Layout first = layout(80, 1);
  EXPECT_NEAR(first.correlation(first), 1, 1e-12);
  EXPECT_GT(first.correlation(layout(120, 1)), 0.99);
  EXPECT_GT(first.correlation(layout(80, 0.5)), 0.9999);
  EXPECT_GT(first.correlation(Layout::oval()), 0.98);
  EXPECT_EQ(first.correlation(Layout()), 0);  // even
}

}  // namespace
}  // namespace triptych::skin_tracker
