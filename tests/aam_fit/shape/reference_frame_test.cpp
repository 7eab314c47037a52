// The reference frame and the warp over it against an independent rasteriser and warper: in double, a pixel
// at a time, by solving each triangle's affine map.
#include <triptych/aam_fit/reference_frame.hpp>
#include <triptych/core/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "testing/expect_error.hpp"
#include "testing/random.hpp"
#include "warp/warp.hpp"

namespace triptych::aam_fit {
namespace {

// A face-like cloud: an outline and points inside, coordinates about 0..1.
Shape cloud(int count, std::uint64_t seed) {
  const auto xs = test::random_values<double>(count, -0.35, 0.35, seed);
  const auto ys = test::random_values<double>(count, -0.45, 0.45, seed + 50);
  Shape points;
  points.reserve(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < xs.size(); ++i) {
    const double angle = 0.31 * static_cast<double>(i);
    points.push_back(i % 3 == 0 ? Point{0.5 * std::cos(angle), 0.62 * std::sin(angle)} : Point{xs[i], ys[i]});
  }
  return points;
}

struct Affine {
  std::array<double, 6> m;  // x' = m0 x + m1 y + m2, y' = m3 x + m4 y + m5
  Point operator()(Point p) const { return {m[0] * p.x + m[1] * p.y + m[2], m[3] * p.x + m[4] * p.y + m[5]}; }
};

// By Cramer's rule on the three equations of each coordinate.
Affine affine(std::array<Point, 3> from, std::array<Point, 3> to) {
  const auto det = [](double a, double b, double c, double d, double e, double f) {
    return a * (d - f) - b * (c - e) + (c * f - d * e);  // of rows (a b 1), (c d 1), (e f 1)
  };
  const double whole = det(from[0].x, from[0].y, from[1].x, from[1].y, from[2].x, from[2].y);
  const auto solve = [&](double u, double v, double w) {
    const double mx = det(u, from[0].y, v, from[1].y, w, from[2].y) / whole;
    const double my = det(from[0].x, u, from[1].x, v, from[2].x, w) / whole;
    return std::array{mx, my, u - mx * from[0].x - my * from[0].y};
  };
  const auto x = solve(to[0].x, to[1].x, to[2].x), y = solve(to[0].y, to[1].y, to[2].y);
  return {{x[0], x[1], x[2], y[0], y[1], y[2]}};
}

std::array<Point, 3> corners(const Shape& shape, const Triangle& t) {
  return {shape[static_cast<std::size_t>(t[0])], shape[static_cast<std::size_t>(t[1])],
          shape[static_cast<std::size_t>(t[2])]};
}

// How far p lies inside a triangle: the least of the distances to its sides, negative outside.
double depth(Point p, std::array<Point, 3> t) {
  double least = 1e300, orientation = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const Point a = t[i], b = t[(i + 1) % 3], c = t[(i + 2) % 3];
    const double nx = b.y - a.y, ny = a.x - b.x, size = std::hypot(nx, ny);
    orientation = (c.x - a.x) * nx + (c.y - a.y) * ny > 0 ? 1 : -1;
    least = std::min(least, orientation * ((p.x - a.x) * nx + (p.y - a.y) * ny) / size);
  }
  return least;
}

Point place_by_weights(const WarpPixel& w, const Shape& shape) {
  const Point a = shape[w.corners[0]], b = shape[w.corners[1]], c = shape[w.corners[2]];
  const double wa = w.a, wb = w.b, wc = 1 - wa - wb;
  return {wa * a.x + wb * b.x + wc * c.x, wa * a.y + wb * b.y + wc * c.y};
}

// The shape's place of the raster's pixel (0, 0), and a check that every pixel's weights agree with it.
Point raster_origin(const ReferenceFrame& frame, const Shape& shape) {
  std::optional<Point> origin;
  for (std::int64_t i = 0; i < frame.size(); ++i) {
    const Point p = place_by_weights(frame.pixels[i], shape);
    const int column = frame.raster_indices[i] % frame.width, row = frame.raster_indices[i] / frame.width;
    const Point o{p.x - column / frame.scale, p.y - row / frame.scale};
    if (!origin) origin = o;
    // Weights are floats below 4 in size, the shape within 1: an error of 3 * 4 * 2^-24 a coordinate.
    EXPECT_NEAR(o.x, origin->x, 2e-6);
    EXPECT_NEAR(o.y, origin->y, 2e-6);
  }
  return *origin;
}

TEST(ReferenceFrame, HasExactlyThePixelsOfTheTriangles) {
  for (const std::int64_t pixels : {16, 100, 4096, 4097, 65536}) {
    const Shape shape = cloud(60, 5);
    const auto triangles = triangulate(shape);
    const ReferenceFrame frame = make_reference_frame(shape, triangles, {.pixels = pixels});
    ASSERT_EQ(frame.size(), pixels);
    ASSERT_EQ(frame.raster_indices.size(), pixels);
    const Point origin = raster_origin(frame, shape);
    std::vector<char> have(static_cast<std::size_t>(frame.width) * static_cast<std::size_t>(frame.height));
    for (const std::int32_t place : frame.raster_indices) have.at(static_cast<std::size_t>(place)) = 1;
    EXPECT_TRUE(std::is_sorted(frame.raster_indices.begin(), frame.raster_indices.end()));
    std::int64_t cut = 0;
    const std::int32_t last = frame.raster_indices[pixels - 1];
    for (std::size_t i = 0; i < have.size(); ++i) {
      const std::size_t column = i % static_cast<std::size_t>(frame.width),
                        row = i / static_cast<std::size_t>(frame.width);
      const auto x = static_cast<double>(column), y = static_cast<double>(row);
      const Point p{origin.x + x / frame.scale, origin.y + y / frame.scale};
      double deepest = -1e300;
      for (const Triangle& t : triangles) deepest = std::max(deepest, depth(p, corners(shape, t)));
      if (std::abs(deepest) < 5e-6) continue;  // on the outline, to the accuracy of the origin
      if (deepest > 0 && static_cast<std::int32_t>(i) > last) {
        ++cut;
        continue;
      }
      EXPECT_EQ(have[i] == 1, deepest > 0) << "pixel " << i << " of " << pixels;
    }
    EXPECT_LE(cut, 4) << pixels;
  }
}

TEST(ReferenceFrame, WeightsAreThoseOfTheTriangleThePixelLiesIn) {
  const Shape shape = cloud(68, 9);
  const auto triangles = triangulate(shape);
  const ReferenceFrame frame = make_reference_frame(shape, triangles, {.pixels = 3000});
  Shape moved = shape;
  const auto shifts = test::random_values<double>(2 * 68, -0.05, 0.05, 77);
  for (std::size_t i = 0; i < moved.size(); ++i)
    moved[i] = {60 * (moved[i].x + shifts[2 * i] + 0.8), 60 * (moved[i].y + shifts[2 * i + 1] + 0.8)};
  // The warped picture against one by the affine map of each pixel's triangle.
  Planes planes(97, 90, 3);
  planes.values = test::random_values<float>(static_cast<std::int64_t>(planes.values.size()), 0, 255, 3);
  std::vector<float> interleaved, texture(3 * 3000);
  interleaved.reserve(2 * moved.size());
  for (const Point& p : moved)
    interleaved.insert(interleaved.end(), {static_cast<float>(p.x), static_cast<float>(p.y)});
  EXPECT_EQ(warp_cpu(planes.view(), frame, interleaved, texture), 0);
  int compared = 0;
  double worst = 0, worst_elsewhere = 0;
  for (std::int64_t i = 0; i < frame.size(); ++i) {
    const Point p = place_by_weights(frame.pixels[i], shape);
    for (const Triangle& t : triangles) {
      if (depth(p, corners(shape, t)) < 1e-5) continue;
      const Point q = affine(corners(shape, t), corners(moved, t))(p);
      for (int c = 0; c < 3; ++c) {
        const auto pixel = [&](int dx, int dy) {
          const int x = static_cast<int>(q.x) + dx, y = static_cast<int>(q.y) + dy;
          return static_cast<double>(planes.plane(c).at(x, y));
        };
        const double u = q.x - std::floor(q.x), v = q.y - std::floor(q.y);
        const double value = (1 - v) * ((1 - u) * pixel(0, 0) + u * pixel(1, 0)) +
                             v * ((1 - u) * pixel(0, 1) + u * pixel(1, 1));
        const auto got = static_cast<double>(texture[static_cast<std::size_t>(c * 3000 + i)]);
        worst = std::max(worst, std::abs(got - value));
        // Another pixel's sample must not pass for this one's.
        worst_elsewhere = std::max(
            worst_elsewhere,
            std::abs(static_cast<double>(texture[static_cast<std::size_t>(c * 3000 + (i + 7) % 3000)]) -
                     value));
      }
      ++compared;
    }
  }
  EXPECT_GT(compared, 2900);
  // A place near 97 is off by 6 roundings of 97 * 2^-24 at most, and thin triangles, whose weights a float
  // knows to 2^-24, change a place by no more; neighbours differ by 255 at most: 255 * 2 * 8 * 97 * 2^-24.
  EXPECT_LT(worst, 0.024);
  EXPECT_GT(worst_elsewhere, 10);
}

TEST(ReferenceFrame, TheMarginIsWithinItsDistanceAndFollowsTheShape) {
  const Shape shape = cloud(68, 21);
  const auto triangles = triangulate(shape);
  const double margin = 0.15;
  const ReferenceFrame frame = make_reference_frame(shape, triangles, {.pixels = 5000, .margin = margin});
  ASSERT_EQ(frame.size(), 5000);
  raster_origin(frame, shape);
  int outside = 0;
  for (std::int64_t i = 0; i < frame.size(); ++i) {
    const WarpPixel& w = frame.pixels[i];
    const Point p = place_by_weights(w, shape);
    double deepest = -1e300;
    for (const Triangle& t : triangles) deepest = std::max(deepest, depth(p, corners(shape, t)));
    if (deepest > -1e-5) continue;
    ++outside;
    EXPECT_LT(-deepest, margin * face_size(shape) + 1e-5);
    for (const double weight : {double{w.a}, double{w.b}, 1.0 - w.a - w.b}) {
      EXPECT_GT(weight, -1.5);
      EXPECT_LT(weight, 2.5);
    }
    // A similarity carries the margin with it exactly.
    const Similarity pose{0.4, -0.7, 3, 8};
    const Point moved = place_by_weights(w, posed(pose, shape)), expected = posed(pose, p);
    EXPECT_NEAR(moved.x, expected.x, 1e-12);
    EXPECT_NEAR(moved.y, expected.y, 1e-12);
  }
  EXPECT_GT(outside, 500);
}

TEST(ReferenceFrame, AShapeWithoutAMiddleHasAMarginToo) {
  const Shape shape{{0, 0}, {2, 0}, {2, 1}, {0, 1}};
  const ReferenceFrame frame =
      make_reference_frame(shape, triangulate(shape), {.pixels = 500, .margin = 0.2});
  EXPECT_EQ(frame.size(), 500);
  raster_origin(frame, shape);
}

TEST(ReferenceFrame, DropsFlatTrianglesAndRefusesWhatIsLeft) {
  const Shape shape{{0, 0}, {1, 0}, {0, 1}, {0.5, 0}, {0, 0}};
  const std::vector<Triangle> triangles{{0, 2, 1}, {0, 1, 3}, {0, 4, 2}};
  const ReferenceFrame frame = make_reference_frame(shape, triangles, {.pixels = 64});
  for (const WarpPixel& w : frame.pixels) {
    EXPECT_EQ(w.corners[0], 0);
    EXPECT_EQ(w.corners[1], 2);
    EXPECT_EQ(w.corners[2], 1);
  }
  const std::vector<Triangle> flat{{0, 1, 3}};
  EXPECT_ERROR(make_reference_frame(shape, flat, {.pixels = 64}), InvalidArgument, "have none");
  EXPECT_ERROR(make_reference_frame(shape, triangles, {.pixels = 15}), InvalidArgument, "not 15");
  EXPECT_ERROR(make_reference_frame(shape, triangles, {.pixels = (1 << 22) + 1}), InvalidArgument, "4194305");
  EXPECT_ERROR(make_reference_frame(shape, triangles, {.pixels = 64, .margin = -1}), InvalidArgument,
               "margin");
}

}  // namespace
}  // namespace triptych::aam_fit
