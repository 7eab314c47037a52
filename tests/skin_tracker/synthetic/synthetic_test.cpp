#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/synthetic.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "testing/expect_error.hpp"

namespace triptych::skin_tracker {
namespace {

// Skin is where red is well above blue; nothing else in the scene is like that.
constexpr LinearFilter filter{0.03, 0, -0.03, -0.7};

struct Picture {
  explicit Picture(const SyntheticOptions& o)
      : width(o.width),
        height(o.height),
        pixels(static_cast<std::size_t>(o.width) * static_cast<std::size_t>(o.height)) {}
  ImageView<Rgb8> view() { return {pixels.data(), width, height}; }
  int width, height;
  std::vector<Rgb8> pixels;
};

// Weight, centroid and covariance in double precision.
struct Moments {
  double weight = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
};
Moments moments(const Picture& picture) {
  Moments m;
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      const Rgb8 c = picture.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(picture.width) +
                                    static_cast<std::size_t>(x)];
      const double w = filter.weight(c.r, c.g, c.b);
      m.weight += w;
      m.x += w * x;
      m.y += w * y;
      m.xx += w * x * x;
      m.xy += w * x * y;
      m.yy += w * y * y;
    }
  }
  m.x /= m.weight;
  m.y /= m.weight;
  m.xx = m.xx / m.weight - m.x * m.x;
  m.xy = m.xy / m.weight - m.x * m.y;
  m.yy = m.yy / m.weight - m.y * m.y;
  return m;
}

TEST(SyntheticScene, HasTheSkinsCentroidWhereTheTruthIs) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    SyntheticOptions options;
    options.width = 640;
    options.height = 360;
    options.seed = seed;
    const SyntheticScene scene(options);
    Picture picture(options);
    for (int frame = 0; frame < options.frames; frame += 30) {
      scene.render(frame, picture.view());
      const Moments m = moments(picture);
      const SyntheticTruth truth = scene.truth(frame);
      EXPECT_NEAR(m.x, truth.x_px, 0.3) << "seed " << seed << ", frame " << frame;
      EXPECT_NEAR(m.y, truth.y_px, 0.3) << "seed " << seed << ", frame " << frame;
      // Eyes, brows and mouth take a tenth of the ellipse.
      const double ellipse = std::numbers::pi * truth.semi_major_px * truth.semi_minor_px;
      EXPECT_GT(m.weight, 0.85 * ellipse);
      EXPECT_LT(m.weight, 1.02 * ellipse);
    }
  }
}

TEST(SyntheticScene, TiltsTheSkinAsTheTruthSays) {
  SyntheticOptions options;
  options.width = 640;
  options.height = 360;
  const SyntheticScene scene(options);
  Picture picture(options);
  double most = 0;
  for (int frame = 0; frame < options.frames; frame += 25) {
    scene.render(frame, picture.view());
    const Moments m = moments(picture);
    const SyntheticTruth truth = scene.truth(frame);
    const double angle = 0.5 * std::atan2(2 * m.xy, m.xx - m.yy);
    const double off = std::remainder(angle - truth.angle_rad, std::numbers::pi);
    EXPECT_NEAR(off, 0, 0.06) << frame;
    EXPECT_GT(truth.angle_rad, -std::numbers::pi / 2);
    EXPECT_LE(truth.angle_rad, std::numbers::pi / 2);
    most = std::max(most, std::abs(std::remainder(truth.angle_rad - std::numbers::pi / 2, std::numbers::pi)));
  }
  EXPECT_GT(most, 0.2);  // it does tilt
}

TEST(SyntheticScene, KeepsTheFaceInsideTheFrameAndItsBox) {
  for (const auto& [width, height] : {std::pair{1280, 720}, std::pair{64, 64}, std::pair{120, 333}}) {
    SyntheticOptions options;
    options.width = width;
    options.height = height;
    options.frames = 900;
    options.seed = 9;
    const SyntheticScene scene(options);
    double nearest = 1e9, farthest = 0;
    for (int frame = 0; frame < options.frames; ++frame) {
      const SyntheticTruth t = scene.truth(frame);
      EXPECT_GE(t.box.x, 0);
      EXPECT_GE(t.box.y, 0);
      EXPECT_LE(t.box.x + t.box.width, width);
      EXPECT_LE(t.box.y + t.box.height, height);
      EXPECT_LE(t.box.width, 2 * t.semi_major_px);
      EXPECT_GE(t.box.width, 2 * t.semi_minor_px - 1e-9);
      nearest = std::min(nearest, t.semi_major_px);
      farthest = std::max(farthest, t.semi_major_px);
    }
    EXPECT_GT(farthest, 1.5 * nearest);  // it comes nearer
  }
}

TEST(SyntheticScene, GivesTheSamePixelsForTheSameOptions) {
  SyntheticOptions options;
  options.width = 161;
  options.height = 97;
  options.distractor = true;
  const SyntheticScene one(options), two(options);
  Picture first(options), second(options);
  one.render(7, first.view(), 1);
  two.render(7, second.view(), 3);
  EXPECT_EQ(first.pixels, second.pixels);
  one.render(8, second.view());
  EXPECT_NE(first.pixels, second.pixels);
  options.seed = 2;
  SyntheticScene(options).render(7, second.view());
  EXPECT_NE(first.pixels, second.pixels);
}

TEST(SyntheticScene, AddsTheNoiseThatIsAskedFor) {
  SyntheticOptions options;
  options.width = options.height = 128;
  options.noise = 0;
  Picture clean(options), noisy(options);
  SyntheticScene(options).render(0, clean.view());
  options.noise = 3;
  SyntheticScene(options).render(0, noisy.view());
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < clean.pixels.size(); ++i) {
    const double d = double(noisy.pixels[i].g) - double(clean.pixels[i].g);
    sum += d;
    squares += d * d;
  }
  const double n = double(clean.pixels.size());
  EXPECT_NEAR(sum / n, 0, 5 * 3 / std::sqrt(n));
  // Rounding to whole levels adds 1/12; the spread of a variance from n values is sqrt(2 / n) of it.
  EXPECT_NEAR(squares / n, 9 + 1.0 / 12, 5 * 9 * std::sqrt(2 / n));
}

TEST(SyntheticScene, ShowsADistractorThatMovesTheCentroid) {
  SyntheticOptions options;
  options.width = 320;
  options.height = 180;
  options.distractor = true;
  const SyntheticScene scene(options);
  Picture picture(options);
  for (int frame = 0; frame < options.frames; frame += 10) {
    scene.render(frame, picture.view());
    EXPECT_GT(moments(picture).x - scene.truth(frame).x_px, 3) << frame;
  }
}

TEST(SyntheticScene, RejectsWhatItCannotPaint) {
  SyntheticOptions options;
  options.width = 63;
  EXPECT_ERROR(SyntheticScene{options}, InvalidArgument, "63 x 720");
  options.width = 64;
  options.height = 64;
  options.frames = 0;
  EXPECT_ERROR(SyntheticScene{options}, InvalidArgument, "at least one frame");
  options.frames = 2;
  options.noise = -1;
  EXPECT_ERROR(SyntheticScene{options}, InvalidArgument, "noise");
  options.noise = std::numeric_limits<double>::quiet_NaN();
  EXPECT_ERROR(SyntheticScene{options}, InvalidArgument, "noise");
  options.noise = 1;
  const SyntheticScene scene(options);
  Picture picture(options);
  EXPECT_ERROR(scene.render(2, picture.view()), InvalidArgument, "no frame 2");
  EXPECT_ERROR(scene.truth(-1), InvalidArgument, "no frame -1");
  EXPECT_ERROR(scene.render(0, picture.view().region(0, 0, 63, 64)), InvalidArgument, "63 x 64");
}

}  // namespace
}  // namespace triptych::skin_tracker
