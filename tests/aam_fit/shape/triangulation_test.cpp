// Triangulation: no point inside a triangle's circle, the triangles fill the convex hull, and points that
// coincide or stand in rows do no harm.
#include <triptych/aam_fit/triangulation.hpp>
#include <triptych/core/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "testing/expect_error.hpp"
#include "testing/random.hpp"

namespace triptych::aam_fit {
namespace {

double cross(Point a, Point b, Point c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }

// Area of the convex hull by wrapping a thread around the points.
double hull_area(const Shape& points) {
  std::size_t start = 0;
  for (std::size_t i = 1; i < points.size(); ++i)
    if (points[i].x < points[start].x || (points[i].x == points[start].x && points[i].y < points[start].y))
      start = i;
  double twice = 0;
  std::size_t at = start;
  do {
    std::size_t next = at == 0 ? 1 : 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double turn = cross(points[at], points[next], points[i]);
      const auto far = [&](std::size_t k) {
        return std::hypot(points[k].x - points[at].x, points[k].y - points[at].y);
      };
      if (turn < 0 || (turn == 0 && far(i) > far(next))) next = i;
    }
    twice += points[at].x * points[next].y - points[at].y * points[next].x;
    at = next;
  } while (at != start);
  return std::abs(twice) / 2;
}

// Points are kept apart by more than the grid's rounding, 1e-6 of the shape's side; slack: of the side.
void expect_delaunay(const Shape& points, const std::vector<Triangle>& triangles, double slack = 2e-6) {
  double area = 0;
  const double side = std::max(bounds(points).width, bounds(points).height);
  for (const Triangle& t : triangles) {
    const Point a = points[static_cast<std::size_t>(t[0])], b = points[static_cast<std::size_t>(t[1])],
                c = points[static_cast<std::size_t>(t[2])];
    const double area_sign = cross(a, b, c);
    EXPECT_LT(area_sign, slack * side * side) << "a triangle is not counter-clockwise as seen";
    area -= area_sign / 2;
    // Circle through a, b, c.
    const double bx = b.x - a.x, by = b.y - a.y, cx = c.x - a.x, cy = c.y - a.y, d = 2 * (bx * cy - by * cx);
    if (std::abs(d) < 1e-3 * side * side) continue;  // slivers: the circle is not known well enough
    const double ux = (cy * (bx * bx + by * by) - by * (cx * cx + cy * cy)) / d;
    const double uy = (bx * (cx * cx + cy * cy) - cx * (bx * bx + by * by)) / d;
    for (const Point& p : points)
      EXPECT_GT(std::hypot(p.x - a.x - ux, p.y - a.y - uy), std::hypot(ux, uy) - 1e-3 * side);
  }
  const double whole = hull_area(points);
  EXPECT_NEAR(area, whole, 1e-3 * whole);  // coincident points may cut corners off by 1e-3 of the side
}

TEST(Triangulation, OfRandomPointsIsDelaunay) {
  for (const int count : {3, 4, 5, 31, 68, 200})
    for (std::uint64_t seed = 1; seed < 5; ++seed) {
      TRIPTYCH_TRACE_SEED(seed);
      const auto xs = test::random_values<double>(count, -50, 400, seed);
      const auto ys = test::random_values<double>(count, 7, 300, seed + 100);
      Shape points;
      points.reserve(xs.size());
      for (std::size_t i = 0; i < xs.size(); ++i) points.push_back({xs[i], ys[i]});
      expect_delaunay(points, triangulate(points));
    }
}

TEST(Triangulation, OfAGridFillsIt) {
  Shape points;
  points.reserve(63);
  for (int y = 0; y < 7; ++y)
    for (int x = 0; x < 9; ++x) points.push_back({3.0 * x, 3.0 * y});
  const auto triangles = triangulate(points);
  EXPECT_EQ(triangles.size(), 2u * 6 * 8);
  expect_delaunay(points, triangles);
}

TEST(Triangulation, OfACircleAndItsCentre) {
  Shape points{{0, 0}};
  points.reserve(25);
  for (int i = 0; i < 24; ++i) points.push_back({std::cos(i * 0.26179938779), std::sin(i * 0.26179938779)});
  const auto triangles = triangulate(points);
  EXPECT_EQ(triangles.size(), 24u);
  expect_delaunay(points, triangles);
}

TEST(Triangulation, PointsThatCoincideCountAsOne) {
  const Shape square{{0, 0}, {10, 0}, {10, 10}, {0, 10}, {10, 10}, {0, 1e-4}, {10.005, 0}, {0, 0}};
  const auto triangles = triangulate(square);
  EXPECT_EQ(triangles.size(), 2u);
  std::set<int> corners;
  for (const Triangle& t : triangles) corners.insert(t.begin(), t.end());
  EXPECT_EQ(corners, (std::set<int>{0, 1, 2, 3}));
}

TEST(Triangulation, PointsInARowWithOneBeside) {
  Shape points;
  points.reserve(21);
  for (int i = 0; i < 20; ++i) points.push_back({static_cast<double>(i), 2.0 * i});
  points.push_back({5, 0});
  const auto triangles = triangulate(points);
  EXPECT_EQ(triangles.size(), 19u);
  expect_delaunay(points, triangles);
  std::reverse(points.begin(), points.end());
  EXPECT_EQ(triangulate(points).size(), 19u);
}

TEST(Triangulation, RefusesWhatHasNoTriangle) {
  EXPECT_ERROR(triangulate(Shape(2)), InvalidArgument, "three points");
  EXPECT_ERROR(triangulate(Shape{{1, 1}, {1, 1}, {2, 2}}), InvalidArgument, "only 2");
  EXPECT_ERROR(triangulate(Shape(5)), InvalidArgument, "only 1");
  EXPECT_ERROR(triangulate(Shape{{0, 0}, {1, 2}, {2, 4}, {3, 6}}), InvalidArgument, "on a line");
  EXPECT_ERROR(triangulate(Shape{{0, 0}, {1, 2}, {2, NAN}}), InvalidArgument, "not finite");
  EXPECT_ERROR(check_triangles(std::vector<Triangle>{{0, 1, 3}}, 3), InvalidArgument, "landmark 3 of only 3");
  EXPECT_ERROR(check_triangles(std::vector<Triangle>{{0, 1, 1}}, 3), InvalidArgument, "twice");
}

}  // namespace
}  // namespace triptych::aam_fit
