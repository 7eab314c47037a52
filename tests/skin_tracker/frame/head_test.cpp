#include <triptych/skin_tracker/filter.hpp>
#include <triptych/skin_tracker/head.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numbers>

namespace triptych::skin_tracker {
namespace {

// Moments of weights weight(x, y) from 0 to 1, straight from their meaning.
template <class Weight>
Moments sums_of(int width, int height, Weight weight) {
  Moments sums;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const auto w = static_cast<std::int64_t>(std::lround(weight(x, y) * fixed_one));
      const std::int64_t dx = x - width / 2, dy = y - height / 2;
      sums += {static_cast<std::uint64_t>(w),           w * dx,      w * dy,
               static_cast<std::uint64_t>(w * dx * dx), w * dx * dy, static_cast<std::uint64_t>(w * dy * dy)};
    }
  }
  return sums;
}

TEST(Head, IsNotFoundWithoutWeight) {
  const Head head = head_of(Moments{}, 640, 480);
  EXPECT_FALSE(head.found);
  EXPECT_EQ(head.weight_px, 0);
  EXPECT_EQ(head.area, 0);
  for (const double v : {head.x_px, head.y_px, head.xx_px2, head.xy_px2, head.yy_px2})
    EXPECT_TRUE(std::isnan(v));
  EXPECT_FALSE(head_of(Moments{}, 0, 0).found);
}

TEST(Head, IsAtItsOnlyPixel) {
  for (const int width : {1, 2, 31, 640}) {
    const int height = 7;
    const int at_x = width - 1, at_y = 2;
    const Head head =
        head_of(sums_of(width, height, [&](int x, int y) { return x == at_x && y == at_y ? 1.0 : 0.0; }),
                width, height);
    EXPECT_TRUE(head.found);
    EXPECT_EQ(head.x_px, at_x);
    EXPECT_EQ(head.y_px, at_y);
    EXPECT_EQ(head.weight_px, 1);
    EXPECT_DOUBLE_EQ(head.area, 1.0 / (width * height));
    EXPECT_EQ(head.xx_px2, 0);
    EXPECT_EQ(head.xy_px2, 0);
    EXPECT_EQ(head.yy_px2, 0);
  }
}

// A full frame of n columns: centre (n - 1) / 2, variance (n^2 - 1) / 12.
TEST(Head, OfAFullFrame) {
  const Head head = head_of(sums_of(37, 20, [](int, int) { return 1.0; }), 37, 20);
  EXPECT_DOUBLE_EQ(head.x_px, 18);
  EXPECT_DOUBLE_EQ(head.y_px, 9.5);
  EXPECT_DOUBLE_EQ(head.area, 1);
  EXPECT_NEAR(head.xx_px2, (37 * 37 - 1) / 12.0, 1e-10);
  EXPECT_NEAR(head.yy_px2, (20 * 20 - 1) / 12.0, 1e-10);
  EXPECT_NEAR(head.xy_px2, 0, 1e-10);
}

TEST(Head, FollowsTheWeights) {
  const auto weight = [](int x, int y) {
    return 0.5 + 0.4 * std::sin(0.3 * x) * std::cos(0.2 * y + 0.1 * x);
  };
  const int width = 61, height = 43;
  double s = 0, sx = 0, sy = 0;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) s += weight(x, y), sx += weight(x, y) * x, sy += weight(x, y) * y;
  }
  double sxx = 0, sxy = 0, syy = 0;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double w = weight(x, y), dx = x - sx / s, dy = y - sy / s;
      sxx += w * dx * dx, sxy += w * dx * dy, syy += w * dy * dy;
    }
  }
  const Head head = head_of(sums_of(width, height, weight), width, height);
  // A weight is rounded by at most e = 1/2 / 65535; the mean of f then moves by at most e N max|f - mean| /
  // S.
  const double e = 0.5 / fixed_one * width * height / s;
  EXPECT_NEAR(head.x_px, sx / s, e * width);
  EXPECT_NEAR(head.y_px, sy / s, e * height);
  EXPECT_NEAR(head.weight_px, s, 0.5 / fixed_one * width * height);
  EXPECT_NEAR(head.xx_px2, sxx / s, e * width * width);
  EXPECT_NEAR(head.xy_px2, sxy / s, e * width * height);
  EXPECT_NEAR(head.yy_px2, syy / s, e * height * height);
}

TEST(HeadEllipse, HasTheMomentsOfTheHead) {
  for (const double angle : {0.0, 0.3, 1.2, std::numbers::pi / 2, -0.7, -1.5}) {
    const double major = 40, minor = 22;
    const double c = std::cos(angle), s = std::sin(angle);
    Head head{};
    head.found = true;
    head.xx_px2 = (major * major * c * c + minor * minor * s * s) / 4;
    head.yy_px2 = (major * major * s * s + minor * minor * c * c) / 4;
    head.xy_px2 = (major * major - minor * minor) * c * s / 4;
    const HeadEllipse ellipse = ellipse_of(head);
    EXPECT_NEAR(ellipse.semi_major_px, major, 1e-9);
    EXPECT_NEAR(ellipse.semi_minor_px, minor, 1e-9);
    EXPECT_NEAR(ellipse.angle_rad, angle, 1e-9);
  }
}

TEST(HeadEllipse, IsThatOfADrawnEllipse) {
  const double angle = -0.6;
  const auto inside = [&](int x, int y) {
    const double dx = x - 101.3, dy = y - 78.6;
    const double u = (dx * std::cos(angle) + dy * std::sin(angle)) / 60;
    const double v = (dy * std::cos(angle) - dx * std::sin(angle)) / 35;
    return u * u + v * v <= 1 ? 1.0 : 0.0;
  };
  const Head head = head_of(sums_of(200, 160, inside), 200, 160);
  const HeadEllipse ellipse = ellipse_of(head);
  EXPECT_NEAR(head.x_px, 101.3, 0.05);  // pixels are in or out: their edge is rough by half a pixel
  EXPECT_NEAR(head.y_px, 78.6, 0.05);
  EXPECT_NEAR(ellipse.semi_major_px, 60, 0.5);
  EXPECT_NEAR(ellipse.semi_minor_px, 35, 0.5);
  EXPECT_NEAR(ellipse.angle_rad, angle, 0.02);
}

TEST(HeadEllipse, OfALineAndOfNothing) {
  Head head{};
  head.found = true;
  head.yy_px2 = 9;  // upright: the angle is pi / 2, not - pi / 2
  head.xy_px2 = -0.0;
  const HeadEllipse line = ellipse_of(head);
  EXPECT_DOUBLE_EQ(line.semi_major_px, 6);
  EXPECT_EQ(line.semi_minor_px, 0);
  EXPECT_DOUBLE_EQ(line.angle_rad, std::numbers::pi / 2);
  EXPECT_TRUE(std::isnan(ellipse_of(head_of(Moments{}, 4, 4)).semi_major_px));
}

// A solid ellipse scores 1 whatever its size, place and direction, a disc of half the weight 1/2, and two
// discs far apart the share of the joint ellipse that they fill.
TEST(Head, ScoresHowDenselySkinFillsItsEllipse) {
  constexpr int width = 200, height = 160;
  const auto score = [](auto weight) {
    return score_of(head_of(sums_of(width, height, weight), width, height));
  };
  const auto ellipse = [](double x0, double y0, double a, double b, double angle) {
    return [=](int x, int y) {
      const double u = (x - x0) * std::cos(angle) + (y - y0) * std::sin(angle);
      const double v = (y - y0) * std::cos(angle) - (x - x0) * std::sin(angle);
      return u * u / (a * a) + v * v / (b * b) <= 1 ? 1.0 : 0.0;
    };
  };
  // Pixels on the edge: a share of about 1 / (smaller axis) of the area is uncertain.
  for (const double angle : {0.0, 0.4, 1.2}) {
    EXPECT_NEAR(score(ellipse(90, 70, 60, 30, angle)), 1, 1.0 / 30);
    EXPECT_NEAR(score(ellipse(60, 60, 20, 20, angle)), 1, 1.0 / 20);
  }
  EXPECT_NEAR(score([&](int x, int y) { return 0.5 * ellipse(90, 70, 40, 40, 0)(x, y); }), 0.5, 0.5 / 40);
  // Discs of radius r at +-d: variances r^2 / 4 + d^2 and r^2 / 4, so 2 pi r^2 / (4 pi sqrt(...)).
  constexpr double r = 20, d = 60;
  const double two = r * r / (2 * std::sqrt((r * r / 4 + d * d) * r * r / 4));
  EXPECT_NEAR(score([&](int x, int y) {
                return ellipse(90 - d, 70, r, r, 0)(x, y) + ellipse(90 + d, 70, r, r, 0)(x, y);
              }),
              two, two / r);
  EXPECT_EQ(score([](int, int) { return 0.0; }), 0);
  EXPECT_EQ(score([](int x, int y) { return x == 3 && y == 4 ? 1.0 : 0.0; }), 1);  // no extent: not above 1
}

}  // namespace
}  // namespace triptych::skin_tracker
