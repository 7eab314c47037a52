// Points near a capsule's surface: what blocks rule out is what a loop over all points rules out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "filter/fit/near_points.hpp"

namespace triptych::capsule_likelihood {
namespace {

using detail::Vec;

// In a room of 2 m, 3 m from the camera, but for a twentieth that are up to 1000 km away.
std::vector<Vec3> scattered(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> inside(-1, 1);
  std::vector<Vec3> points(count);
  for (std::size_t i = 0; i < count; ++i) {
    const float scale = i % 20 == 7 ? 1e6f : 1.0f;
    points[i] = {scale * inside(random), scale * inside(random), scale * (3 + inside(random))};
  }
  return points;
}

double to_axis_m(const Vec3& point, const Vec& a, const Vec& d) {
  const Vec p = Vec(point) - a;
  const double dd = dot(d, d), t = dd > 0 ? std::clamp(dot(p, d) / dd, 0.0, 1.0) : 0.0;
  return length(p - t * d);
}

// Of the distance from a point to an axis of up to 1 m from a, in floats: of the coordinates, their
// differences, the foot, and the root of a sum of squares.
double rounding_m(const Vec3& point, const Vec& a) {
  return 8 * 0x1p-24 * (length(Vec(point)) + length(a) + 1);
}

std::vector<Vec3> in_order(const std::vector<Vec3>& points) {
  std::vector<Vec3> ordered;
  for (const std::uint32_t i : order_along_curve(points)) ordered.push_back(points[i]);
  return ordered;
}

TEST(NearPoints, AreThoseOfALoopOverAllPoints) {
  struct Axis {
    Vec a, d;
    float radius_m;
  };
  const std::vector<Axis> axes = {{{0, -0.2, 3}, {0.1, 0.5, 0.1}, 0.1f},
                                  {{0.4, 0.1, 2.8}, {0, 0, 0}, 0.4f},  // a ball
                                  {{-0.5, 0, 2.5}, {1, 0, 0}, 0.001f},
                                  {{0, 0, 3}, {0, 0.3, 0}, 1.5f},  // most points are deep in it
                                  {{0, 0, 900000}, {0, 1, 0}, 0.1f}};
  for (const std::size_t count : {0u, 1u, 15u, 16u, 17u, 300u, 2048u}) {
    const std::vector<Vec3> points = in_order(scattered(count, 1));
    const PointBlocks blocks(points);
    ASSERT_EQ(blocks.size(), count);
    NearPoints near;
    for (const float bound_m : {0.2f, 0.03f}) {
      near.reset(blocks, bound_m);
      for (std::size_t i = 0; i < count; i += 3) near.set_bound(i, bound_m / 2);
      for (const Axis& axis : axes) {
        std::vector<int> visits(count, 0);
        near.visit(CapsuleSurface(axis.a, axis.d, axis.radius_m), [&](std::size_t i, float square) {
          ASSERT_LT(i, count);
          ++visits[i];
          EXPECT_NEAR(std::sqrt(double{square}), to_axis_m(points[i], axis.a, axis.d),
                      rounding_m(points[i], axis.a))
              << i;
        });
        for (std::size_t i = 0; i < count; ++i) {
          const double bound = double{i % 3 == 0 ? bound_m / 2 : bound_m}, radius = double{axis.radius_m},
                       off = std::abs(to_axis_m(points[i], axis.a, axis.d) - radius);
          const double rounding =
              1.1e-5 * (radius + bound) + rounding_m(points[i], axis.a);  // 1e-5: on purpose
          if (off < bound - rounding) {
            EXPECT_EQ(visits[i], 1) << i << " of " << count << ": " << off << " m";
          }
          if (off > bound + rounding) {
            EXPECT_EQ(visits[i], 0) << i << " of " << count << ": " << off << " m";
          }
        }
      }
    }
  }
}

TEST(NearPoints, ABoundThatShrinksDuringAVisitRulesOutTheNextSurface) {
  const std::vector<Vec3> points = in_order(scattered(300, 2));
  const PointBlocks blocks(points);
  NearPoints near;
  near.reset(blocks, 0.3f);
  const CapsuleSurface surface({0, -0.2, 3}, {0.1, 0.5, 0.1}, 0.1f);
  int first = 0, second = 0;
  near.visit(surface, [&](std::size_t i, float) {
    near.set_bound(i, 0);
    ++first;
  });
  near.visit(surface, [&](std::size_t, float) { ++second; });
  EXPECT_GT(first, 10);
  EXPECT_EQ(second, 0);
}

TEST(OrderAlongCurve, KeepsClustersTogether) {
  // Cubes of 64 cm that begin at multiples of it: 32 cells of the curve. 16 points are in each.
  std::vector<Vec3> points;
  std::mt19937 random(3);
  std::uniform_real_distribution<float> inside(0.01f, 0.63f);
  for (int i = 0; i < 8 * 16; ++i) {
    const int cube = i % 8;
    points.push_back({0.64f * static_cast<float>(cube - 4) + inside(random),
                      0.64f * static_cast<float>(cube % 3) + inside(random), 1.28f + inside(random)});
  }
  const std::vector<std::uint32_t> order = order_along_curve(points);
  ASSERT_EQ(order.size(), points.size());
  std::vector<std::uint32_t> sorted = order, all(points.size());
  std::sort(sorted.begin(), sorted.end());
  std::iota(all.begin(), all.end(), 0u);
  EXPECT_EQ(sorted, all);
  for (std::size_t k = 0; k < order.size(); ++k) EXPECT_EQ(order[k] % 8, order[k / 16 * 16] % 8) << k;
}

TEST(OrderAlongCurve, OfEqualPointsKeepsTheirs) {
  const std::vector<Vec3> points(40, Vec3{0.5f, 0.5f, 2});
  const std::vector<std::uint32_t> order = order_along_curve(points);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(OrderAlongCurve, TakesPointsAtTheEndOfTheWorld) {
  const float far = 1e6f;  // the farthest that rays have
  const std::vector<Vec3> points = {{far, far, far}, {-far, -far, 1e-6f}, {0, 0, 1}};
  EXPECT_EQ(order_along_curve(points), (std::vector<std::uint32_t>{1, 2, 0}));
}

}  // namespace
}  // namespace triptych::capsule_likelihood
