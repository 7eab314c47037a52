// Rays: which points are dropped, the order, the bounds of the tiles and what a point can gain.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "rays/rays_data.hpp"
#include "testing/expect_error.hpp"
#include "testing/random.hpp"

namespace triptych::capsule_likelihood {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

std::vector<Vec3> random_points(std::int64_t count, std::uint64_t seed) {
  const std::vector<float> numbers = test::random_values<float>(3 * count, -1, 1, seed);
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
    points.push_back({numbers[3 * i], numbers[3 * i + 1], 2 + numbers[3 * i + 2]});
  return points;
}

TEST(Rays, DropsAndCountsWhatCannotBeSeen) {
  const std::vector<Vec3> points{{0, 0, 1},       {nan, 0, 1},  {0, infinity, 1},  {0, 0, -infinity},
                                 {0, 0, 0},       {0, 0, -1},   {0.1f, 0, 1e-30f}, {1, 1, 2},
                                 {2e6f, 0, 3e6f}, {-2000, 0, 1}};
  const Rays rays(points, {}, {});
  EXPECT_EQ(rays.count().used, 2);
  EXPECT_EQ(rays.count().not_finite, 4);
  EXPECT_EQ(rays.count().not_in_front, 4);
  // the camera's position decides
  SensorModel m;
  m.camera = {0, 0, -5};
  EXPECT_EQ(Rays(points, {}, m).count().used, 6);
}

TEST(Rays, HoldsEveryPointOnceInTheirOrder) {
  for (const std::int64_t count : {0, 1, 31, 32, 33, 1023, 1024, 1025, 5003}) {
    const std::vector<Vec3> points = random_points(count, 3);
    SensorModel m;
    m.tau_m = 0.5f;
    const Rays rays(points, {}, m);
    const Rays::Data& d = rays.data();
    ASSERT_EQ(d.x.size() % rays_per_ray_block, 0u);
    ASSERT_EQ(rays.count().used, count);
    EXPECT_EQ(d.max_gain, static_cast<std::uint64_t>(count) << gain_bits);
    std::vector<std::pair<float, float>> expected, found;
    std::uint32_t last = 0;
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(d.x.size()); ++i) {
      const Ray ray = d.ray(i);
      if (i >= count) {
        EXPECT_EQ(ray.g, 0);
        continue;
      }
      EXPECT_GE(hilbert_key(ray.x, ray.y), last);
      last = hilbert_key(ray.x, ray.y);
      found.emplace_back(ray.x, ray.h);
      EXPECT_NEAR(double{ray.g}, std::sqrt(1.0 + double{ray.x} * ray.x + double{ray.y} * ray.y) / 0.5, 1e-6);
    }
    for (const Vec3& p : points)
      expected.emplace_back(static_cast<float>(double{p.x} / p.z),
                            static_cast<float>(std::hypot(double{p.x}, double{p.y}, double{p.z}) / 0.5));
    std::sort(expected.begin(), expected.end());
    std::sort(found.begin(), found.end());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(found[i].first, expected[i].first);
      EXPECT_FLOAT_EQ(found[i].second, expected[i].second);
    }
  }
}

TEST(Rays, BoundsHoldTheirRays) {
  const Rays rays(random_points(3001, 4), {}, {});
  const Rays::Data& d = rays.data();
  const auto check = [&](const Bounds& bounds, std::int64_t tile_rays) {
    for (std::int64_t i = 0; i < 3001; ++i) {
      const TileBound b = bounds[static_cast<std::size_t>(i / tile_rays)];
      const Ray ray = d.ray(i);
      EXPECT_LE(std::hypot(double{ray.x} - b.x, double{ray.y} - b.y), b.radius);
      const double distance = double{ray.h} * double{d.sensor.tau_m};
      EXPECT_GE(distance, b.nearest_m * (1 - 1e-6));
      EXPECT_LE(distance, b.farthest_m * (1 + 1e-6));
    }
  };
  check(d.sub_tiles, rays_per_sub_tile);
  check(d.ray_blocks, rays_per_ray_block);
  EXPECT_LT(d.sub_tiles[95].radius, 0);  // no ray in it
}

TEST(Rays, TheCurveVisitsEveryCellOnceByNeighbours) {
  constexpr int bits = 6, side = 1 << bits;
  std::vector<std::pair<int, int>> at(side * side, {-1, -1});
  for (int x = 0; x < side; ++x)
    for (int y = 0; y < side; ++y) {
      const std::uint32_t along =
          along_hilbert(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), bits);
      ASSERT_LT(along, at.size());
      ASSERT_EQ(at[along].first, -1);
      at[along] = {x, y};
    }
  for (std::size_t i = 1; i < at.size(); ++i)
    EXPECT_EQ(std::abs(at[i].first - at[i - 1].first) + std::abs(at[i].second - at[i - 1].second), 1) << i;
}

TEST(Rays, NoRayHasTheKeyOfDroppedPoints) {
  for (const float x : {-1024.0f, 0.0f, 1024.0f})
    for (const float y : {-1024.0f, 0.0f, 1024.0f}) EXPECT_LT(hilbert_key(x, y), dropped_key);
}

TEST(Rays, WeightsFollowTheirSigmas) {
  const std::vector<Vec3> points(4, Vec3{0, 0, 1});
  SensorModel m;
  m.sigma_m = 0.02f;
  const std::vector<float> sigma{0.02f, 0.04f, 0.0001f, 1000};
  const Rays rays(points, sigma, m);
  std::vector<std::uint32_t> weights(rays.data().weight.begin(), rays.data().weight.begin() + 4);
  EXPECT_EQ(weights, (std::vector<std::uint32_t>{1 << 20, 1 << 18, 64 << 20, 1}));
  EXPECT_EQ(rays.data().max_gain, ((1ull << 20) + (1 << 18) + (64 << 20) + 1) << 6);
  m.loss = Loss::absolute;
  EXPECT_EQ(Rays(points, sigma, m).data().weight[1], 1u << 19);
}

TEST(Rays, RefusesWhatMakesNoSense) {
  const std::vector<Vec3> points(3);
  SensorModel m;
  m.sigma_m = 0;
  EXPECT_ERROR(Rays(points, {}, m), InvalidArgument, "sigma must be above 0");
  m = {};
  m.tau_m = nan;
  EXPECT_ERROR(Rays(points, {}, m), InvalidArgument, "tau must be above 0");
  m = {};
  m.camera.y = infinity;
  EXPECT_ERROR(Rays(points, {}, m), InvalidArgument, "camera");
  const std::vector<float> sigma{0.1f, 0, 0.1f};
  EXPECT_ERROR(Rays(points, sigma, {}), InvalidArgument, "sigma of point 1");
  EXPECT_ERROR(Rays(points, std::span(sigma).first(2), {}), InvalidArgument, "3 points but 2 sigmas");
}

}  // namespace
}  // namespace triptych::capsule_likelihood
