// Clouds that own their points: samples, parts about a body, copies of device memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "filter/evidence/cloud_sample.hpp"
#include "filter/evidence/host_cloud.hpp"

namespace triptych::capsule_likelihood {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();

TEST(HostCloud, ASampleTakesTheSigmasOfItsPoints) {
  std::vector<Vec3> points(5000);
  std::vector<float> sigma_m(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) points[i].x = sigma_m[i] = static_cast<float>(i);
  const HostCloud sample = fit_sample(CloudView(points, sigma_m));
  ASSERT_EQ(sample.points.size(), std::size_t{max_fit_points});
  ASSERT_EQ(sample.sigma_m.size(), sample.points.size());
  for (std::size_t i = 0; i < sample.points.size(); ++i)
    EXPECT_EQ(sample.points[i].x, sample.sigma_m[i]) << i;
  EXPECT_TRUE(fit_sample(points).sigma_m.empty());
  EXPECT_EQ(fit_sample(std::vector<Vec3>(7)).points.size(), 7u);
}

TEST(HostCloud, ASampleThatIsDrawnAgainKeepsNothingAndItsMemory) {
  std::vector<Vec3> points(5000);
  for (std::size_t i = 0; i < points.size(); ++i) points[i].x = static_cast<float>(i);
  const std::vector<float> sigma_m(points.size(), 0.02f);
  HostCloud sample;
  sample.reserve(std::size_t{max_fit_points});
  const Vec3* const memory = sample.points.data();
  for (const std::size_t count : {5000u, 0u, 2048u, 3u, 2049u}) {
    const CloudView cloud(std::span<const Vec3>(points).first(count),
                          std::span<const float>(sigma_m).first(count % 2 == 0 ? count : 0));
    draw_fit_sample(cloud, sample);
    const HostCloud expected = fit_sample(cloud);
    EXPECT_EQ(sample.points, expected.points) << count;
    EXPECT_EQ(sample.sigma_m, expected.sigma_m) << count;
    EXPECT_EQ(sample.points.data(), memory) << count;
    if (count > 2048) continue;
    EXPECT_TRUE(std::equal(sample.points.begin(), sample.points.end(), points.begin())) << count;
    EXPECT_EQ(sample.points.size(), count);
  }
}

TEST(HostCloud, PointsNearABodyAreThoseInABoxAboutIt) {
  const std::vector<Capsule> body = {{{0, 0, 2}, 0.125f, {0, 1, 2}}, {{1, 0, 2}, 0.25f, {1, 0, 3}}};
  // The box: -0.625 to 1.75, -0.75 to 1.625, 1.25 to 3.75.
  const std::vector<Vec3> inside = {{0, 0, 2},      {-0.625f, 0, 2}, {1.75f, 0, 2}, {0, -0.75f, 2},
                                    {0, 1.625f, 2}, {0, 0, 1.25f},   {0, 0, 3.75f}},
                          outside = {{-0.626f, 0, 2}, {1.751f, 0, 2}, {0, -0.751f, 2}, {0, 1.626f, 2},
                                     {0, 0, 1.249f},  {0, 0, 3.751f}, {nan, 0, 2},     {0, nan, 2},
                                     {0, 0, nan},     {inf, 0, 2}};
  std::vector<Vec3> cloud;
  std::vector<float> sigma_m;
  for (std::size_t i = 0; i < outside.size(); ++i) {
    cloud.push_back(outside[i]);
    if (i < inside.size()) cloud.push_back(inside[i]);
  }
  for (std::size_t i = 0; i < cloud.size(); ++i) sigma_m.push_back(0.01f * static_cast<float>(i));
  const HostCloud near = points_near(body, {cloud, sigma_m}, 0.5f);
  ASSERT_EQ(near.points.size(), inside.size());
  ASSERT_EQ(near.sigma_m.size(), inside.size());
  for (std::size_t i = 0; i < inside.size(); ++i) {
    EXPECT_EQ(near.points[i], inside[i]) << i;
    EXPECT_EQ(near.sigma_m[i], sigma_m[2 * i + 1]) << i;
  }
  EXPECT_TRUE(points_near(body, {cloud, {}}, 0.5f).sigma_m.empty());
  EXPECT_TRUE(points_near({}, cloud, 0.5f).points.empty());
}

TEST(HostCloud, PointsWithoutAValidSigmaAreDropped) {
  const std::vector<float> sigma_m = {0.02f, 0, -1, nan, inf, 1e7f, 1};
  HostCloud cloud{std::vector<Vec3>(sigma_m.size(), Vec3{1, 2, 3}), sigma_m};
  cloud.drop_points_without_sigma(0.03f);
  for (std::size_t i = 0; i < sigma_m.size(); ++i) {
    const bool is_valid = i == 0 || i == 6;
    EXPECT_EQ(std::isnan(cloud.points[i].x), !is_valid) << i;
    EXPECT_EQ(cloud.sigma_m[i], is_valid ? sigma_m[i] : 0.03f) << i;
  }
  HostCloud without{{{1, 2, 3}}, {}};
  without.drop_points_without_sigma(0.03f);
  EXPECT_EQ(without.points[0], (Vec3{1, 2, 3}));
}

}  // namespace
}  // namespace triptych::capsule_likelihood
