// The fit of a frame's estimate: pose and centre move together, and the filter follows what moves fast.
#include <triptych/capsule_likelihood/particle_filter.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "capsule_likelihood/filter/filter_scene.hpp"
#include "filter/estimate_fit.hpp"
#include "filter/evidence/host_cloud.hpp"
#include "filter/samples/filter_math.hpp"

namespace triptych::capsule_likelihood {
namespace {

using test_scene::mean_error_m;
using test_scene::Walk;

// A filter's state after a frame: the orientation of the estimate is the reference times the centre.
struct Frame {
  FilterFrame frame;
  std::vector<float> centre, velocity, last, pose;

  explicit Frame(std::span<const float> at)
      : centre(at.size() - 1), velocity(centre), last(centre), pose(at.begin(), at.end()) {
    const float reference[4] = {0.8f, 0, 0.6f, 0};
    std::copy_n(reference, 4, frame.reference);
    std::copy_n(at.begin(), 3, centre.begin() + 3);
    std::copy(at.begin() + 7, at.end(), centre.begin() + root_dims);
  }
  void fit(const Skeleton& skeleton, const HostCloud& sample) {
    EstimateFit(skeleton, {}, 4, true).apply(sample, frame, {pose, centre, velocity, last}, 1);
  }
};

TEST(HalfRotation, BetweenIsTheInverseOfRotated) {
  float q[4] = {0.8f, 0, 0.6f, 0};
  for (const HalfRotation half : {HalfRotation{0, 0, 0}, {0.1f, -0.2f, 0.05f}, {-0.7f, 0.4f, 0.9f}}) {
    float r[4];
    rotated(q, half, r);
    for (const float sign : {1.0f, -1.0f}) {
      const float turned[4] = {sign * r[0], sign * r[1], sign * r[2], sign * r[3]};
      const HalfRotation found = half_rotation_between(q, turned);
      // Four products and a quotient of numbers up to 1.6, over a real part of at least 0.6.
      EXPECT_NEAR(found.x, half.x, 16 * 0x1p-24);
      EXPECT_NEAR(found.y, half.y, 16 * 0x1p-24);
      EXPECT_NEAR(found.z, half.z, 16 * 0x1p-24);
    }
  }
  const float opposite[4] = {0, 0.8f, 0, 0.6f};  // 180 degrees from the first
  for (const float x : {half_rotation_between(q, opposite).x, half_rotation_between(q, opposite).y,
                        half_rotation_between(q, opposite).z})
    EXPECT_TRUE(std::isfinite(x));
}

TEST(EstimateFit, MovesPoseAndCentreToThePoints) {
  const Walk walk(2);
  // The estimate is that of the frame before, 4 cm aside.
  std::vector<float> late(walk.pose(0).begin(), walk.pose(0).end());
  late[0] += 0.04f;
  Frame state(late);
  const HostCloud sample = fit_sample(walk.points(1, 3000));
  state.fit(walk.skeleton, sample);
  const double before = mean_error_m(walk.skeleton.joints(late), walk.joints(1));
  EXPECT_GT(before, 0.04);
  EXPECT_LT(mean_error_m(walk.skeleton.joints(state.pose), walk.joints(1)), 0.5 * before);
  // The next frame starts where the estimate is.
  for (std::size_t d = 3; d < 6; ++d) EXPECT_EQ(state.centre[d], state.pose[d - 3]) << d;
  for (std::size_t d = root_dims; d < state.centre.size(); ++d)
    EXPECT_EQ(state.centre[d], state.pose[d + 1]) << d;
  float orientation[4];
  rotated(state.frame.reference, {state.centre[0] / 2, state.centre[1] / 2, state.centre[2] / 2},
          orientation);
  const float sign = orientation[0] * state.pose[3] + orientation[2] * state.pose[5] < 0 ? -1.0f : 1.0f;
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(sign * orientation[i], state.pose[3 + i], 16 * 0x1p-24) << i;
}

TEST(EstimateFit, WithoutUsablePointsAllBitsStay) {
  const Walk walk(1);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<Vec3> unusable = {{nan, 0, 3}, {0, 0, -1}, {0, 0, 0}};
  for (const std::vector<Vec3>& cloud : {std::vector<Vec3>(), unusable}) {
    Frame state(walk.pose(0));
    const Frame before = state;
    state.fit(walk.skeleton, fit_sample(cloud));
    EXPECT_EQ(state.pose, before.pose);
    EXPECT_EQ(state.centre, before.centre);
    EXPECT_EQ(state.velocity, before.velocity);
    EXPECT_EQ(state.last, before.last);
  }
}

// A walk of three times the usual speed. Without fits the estimate is 30 mm off on average, with them 12.
TEST(EstimateFit, KeepsUpWithAFastWalk) {
  const Walk walk(20, 10);
  double error_m[2] = {0, 0};
  for (const int fits : {0, 1}) {
    FilterOptions options;
    options.samples = 300;
    options.fit_steps = fits * FilterOptions().fit_steps;
    ParticleFilter filter(walk.skeleton, options, Device::cpu());
    filter.start(walk.pose(0));
    for (std::int64_t frame = 0; frame < walk.frames; ++frame)
      error_m[fits] += mean_error_m(filter.step(walk.points(frame, 2500)).joints, walk.joints(frame)) /
                       static_cast<double>(walk.frames);
  }
  EXPECT_LT(error_m[1], 0.02);
  EXPECT_LT(error_m[1], 0.6 * error_m[0]);
}

}  // namespace
}  // namespace triptych::capsule_likelihood
