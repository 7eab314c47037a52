// Warped faces: what lies at the landmarks, and what does not move.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "train/deform.hpp"

namespace triptych::aam_fit {
namespace {

// A dark image with a bright Gaussian blob at each point.
Image<Grey8> blobs(std::int64_t side, const Shape& points) {
  Image<Grey8> image(side, side);
  for (std::int64_t y = 0; y < side; ++y)
    for (std::int64_t x = 0; x < side; ++x) {
      double grey = 20;
      for (const Point p : points) {
        const double dx = static_cast<double>(x) - p.x, dy = static_cast<double>(y) - p.y;
        grey += 200 * std::exp(-(dx * dx + dy * dy) / 8);
      }
      image.view().row(y)[static_cast<std::size_t>(x)].v = static_cast<std::uint8_t>(std::min(grey, 255.0));
    }
  return image;
}

// The centroid of the grey above the ground within five pixels of a point.
Point centroid(const Image<Grey8>& image, Point about) {
  double weight = 0, x_sum = 0, y_sum = 0;
  for (std::int64_t y = 0; y < image.height; ++y)
    for (std::int64_t x = 0; x < image.width; ++x) {
      const double dx = static_cast<double>(x) - about.x, dy = static_cast<double>(y) - about.y;
      if (dx * dx + dy * dy > 25) continue;
      const double w =
          std::max(0.0, double{static_cast<double>(image.view().row(y)[static_cast<std::size_t>(x)].v)} - 20);
      weight += w;
      x_sum += w * static_cast<double>(x);
      y_sum += w * static_cast<double>(y);
    }
  return {x_sum / weight, y_sum / weight};
}

const Shape face{{100, 90}, {150, 92}, {125, 120}, {108, 150}, {143, 148}};

TEST(Deform, LandmarksThatStayLeaveEveryPixel) {
  const Image<Grey8> image = blobs(256, face);
  const DeformedFace same = deform(image.view(), face, face);
  // 1.3 face sizes, sqrt(50 * 60), about the middle of the box (125, 120): 53.8 .. 196.2, 48.8 .. 191.2
  ASSERT_EQ(same.image.width, 143);
  ASSERT_EQ(same.image.height, 143);
  EXPECT_EQ(same.landmarks[0], (Point{100 - 54, 90 - 49}));
  for (std::int64_t y = 0; y < 143; ++y)
    for (std::int64_t x = 0; x < 143; ++x)
      ASSERT_EQ(same.image.view().row(y)[static_cast<std::size_t>(x)],
                image.view().row(y + 49)[static_cast<std::size_t>(x + 54)])
          << x << ", " << y;
}

TEST(Deform, WhatWasAtALandmarkIsAtItsNewPlace) {
  const Image<Grey8> image = blobs(256, face);
  const Shape to{{95, 93}, {154, 88}, {128, 125}, {104, 147}, {141, 155}};
  const DeformedFace moved = deform(image.view(), face, to);
  for (std::size_t i = 0; i < face.size(); ++i) {
    // The same shift for all landmarks, that of the crop.
    EXPECT_DOUBLE_EQ(moved.landmarks[i].x - to[i].x, moved.landmarks[0].x - to[0].x);
    // A blob of standard deviation 2 is stretched by its surroundings: its centroid moves by less than a
    // fifth of a pixel. Without the warp it would be off by three pixels and more.
    const Point at = centroid(moved.image, moved.landmarks[i]);
    EXPECT_NEAR(at.x, moved.landmarks[i].x, 0.2) << i;
    EXPECT_NEAR(at.y, moved.landmarks[i].y, 0.2) << i;
  }
}

TEST(Deform, TheImageEndsWhereItEnded) {
  const Shape near_the_corner{{10, 8}, {60, 10}, {35, 40}, {18, 70}, {53, 68}};
  const DeformedFace part = deform(blobs(80, near_the_corner).view(), near_the_corner, near_the_corner);
  EXPECT_EQ(part.image.width, 80);
  EXPECT_EQ(part.image.height, 80);
  EXPECT_EQ(part.landmarks, near_the_corner);
}

TEST(Deform, LandmarksThatCoincideGiveAFiniteWarp) {
  Shape from = face, to = face;
  from.push_back(face[2]);
  to.push_back({face[2].x + 1e-9, face[2].y});
  from.push_back(face[2]);
  to.push_back({face[2].x, face[2].y + 3});
  const Image<Grey8> image = blobs(256, face);
  const DeformedFace bent = deform(image.view(), from, to);
  // Far from the contradiction nothing moves.
  const Point at = centroid(bent.image, bent.landmarks[0]);
  EXPECT_NEAR(at.x, bent.landmarks[0].x, 0.2);
  EXPECT_NEAR(at.y, bent.landmarks[0].y, 0.2);
}

}  // namespace
}  // namespace triptych::aam_fit
