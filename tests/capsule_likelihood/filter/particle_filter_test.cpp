#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/capsule_likelihood/particle_filter.hpp>
#include <triptych/core/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "capsule_likelihood/filter/filter_scene.hpp"
#include "testing/expect_error.hpp"

namespace triptych::capsule_likelihood {
namespace {

using test_scene::mean_error_m;
using test_scene::Walk;

FilterOptions small_options() {
  FilterOptions options;
  options.samples = 400;
  return options;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// The whole demand (20,000 points, 4000 samples) is the demo's; this is a small part of it, whose error is at
// most the one that is demanded there.
TEST(ParticleFilter, FollowsAWalk) {
  const Walk walk(25);
  ParticleFilter filter(walk.skeleton, small_options(), Device::cpu());
  filter.start(walk.pose(0));
  double error = 0;
  for (std::int64_t frame = 0; frame < walk.frames; ++frame) {
    const Estimate estimate = filter.step(walk.points(frame, 2500));
    error += mean_error_m(estimate.joints, walk.joints(frame)) / static_cast<double>(walk.frames);
    EXPECT_EQ(estimate.points.used, 2500);
    EXPECT_GE(estimate.effective_samples, 1);
    EXPECT_LT(estimate.log_likelihood, 0);
  }
  EXPECT_LT(error, 0.040);
}

TEST(ParticleFilter, RepeatsBitForBit) {
  const Walk walk(3);
  std::vector<float> runs[3];
  for (int run = 0; run < 3; ++run) {
    FilterOptions options = small_options();
    options.samples = 150;
    if (run == 2) options.seed = 2;
    ParticleFilter filter(walk.skeleton, options, Device::cpu(run == 0 ? 1 : 2));
    filter.start(walk.pose(0));
    for (std::int64_t frame = 0; frame < walk.frames; ++frame) filter.step(walk.points(frame, 500));
    runs[run] = filter.samples();
  }
  EXPECT_TRUE(same_bits(runs[0], runs[1]));
  EXPECT_FALSE(same_bits(runs[0], runs[2]));
}

TEST(ParticleFilter, KeepsToTheLimits) {
  const Walk walk(4);
  ParticleFilter filter(walk.skeleton, small_options(), Device::cpu());
  filter.start(walk.pose(0));
  for (std::int64_t frame = 0; frame < walk.frames; ++frame) filter.step(walk.points(frame, 500));
  const std::vector<float> samples = filter.samples();
  const auto size = static_cast<std::size_t>(walk.skeleton.pose_size());
  ASSERT_EQ(samples.size(), 400 * size);
  for (std::size_t row = 0; row < 400; ++row) {
    const float* const pose = &samples[row * size];
    const double length = std::hypot(std::hypot(double{pose[3]}, double{pose[4]}),
                                     std::hypot(double{pose[5]}, double{pose[6]}));
    ASSERT_NEAR(length, 1, 4 * 0x1p-24 * 4);  // four quotients and a root, each rounded once
    for (int j = 1; j < walk.skeleton.joint_count(); ++j) {
      const Joint& joint = walk.skeleton.joints()[static_cast<std::size_t>(j)];
      for (std::size_t r = 0; r < joint.rotations.size(); ++r) {
        const float x = pose[static_cast<std::size_t>(walk.skeleton.first_angle(j)) + r];
        ASSERT_GE(x, joint.rotations[r].lower_rad) << joint.name;
        ASSERT_LE(x, joint.rotations[r].upper_rad) << joint.name;
      }
    }
  }
}

TEST(ParticleFilter, CovariancesAreThoseOfTheSamples) {
  const Walk walk(2);
  ParticleFilter filter(walk.skeleton, small_options(), Device::cpu());
  filter.start(walk.pose(0));
  const Estimate estimate = filter.step(walk.points(0, 500));
  const std::vector<float> samples = filter.samples();
  std::vector<Vec3> joints(400 * static_cast<std::size_t>(walk.skeleton.joint_count()));
  pose_cpu(walk.skeleton, {samples.data(), 400, walk.skeleton.pose_size()},
           {joints.data(), 400, walk.skeleton.joint_count()}, {}, 1);
  for (std::size_t j = 0; j < estimate.joints.size(); ++j) {
    long double mean = 0, square = 0;
    for (std::size_t row = 0; row < 400; ++row) {
      const Vec3& p = joints[row * estimate.joints.size() + j];
      mean += p.x / 400.0L;
      square += static_cast<long double>(p.x) * p.x / 400.0L;
    }
    const auto expected = static_cast<double>(square - mean * mean);
    // Places of about 1 m are floats: each is off by 2^-24 m, of deviations below 0.1 m.
    EXPECT_NEAR(estimate.covariances[j][0], expected, 1e-5 * expected + 2 * 0.1 * 0x1p-23) << j;
  }
}

TEST(ParticleFilter, SurvivesFramesWithoutPoints) {
  const Walk walk(2);
  ParticleFilter filter(walk.skeleton, small_options(), Device::cpu());
  filter.start(walk.pose(0));
  const Estimate blind = filter.step({});
  EXPECT_EQ(blind.points.used, 0);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Estimate still = filter.step(std::vector<Vec3>{{nan, 0, 1}, {0, 0, -1}});
  EXPECT_EQ(still.points.not_finite, 1);
  EXPECT_EQ(still.points.not_in_front, 1);
  for (const float x : still.pose) EXPECT_TRUE(std::isfinite(x));
  EXPECT_LT(mean_error_m(still.joints, walk.joints(0)), 0.1);
}

TEST(ParticleFilter, FindsAPose) {
  const Walk walk(1);
  FilterOptions options = small_options();
  options.samples = 200;
  ParticleFilter filter(walk.skeleton, options, Device::cpu());
  const Estimate found = filter.find(walk.points(0, 800));
  EXPECT_LT(mean_error_m(found.joints, walk.joints(0)), 0.1);
}

TEST(ParticleFilter, RefusesWhatMakesNoSense) {
  const Walk walk(1);
  const auto make = [&](auto change) {
    FilterOptions options = small_options();
    change(options);
    return ParticleFilter(walk.skeleton, options, Device::cpu());
  };
  EXPECT_ERROR(make([](FilterOptions& o) { o.samples = -1; }), InvalidArgument, "not -1");
  EXPECT_ERROR(make([](FilterOptions& o) { o.layers = 0; }), InvalidArgument, "1 to 64 layers");
  EXPECT_ERROR(make([](FilterOptions& o) { o.limb_spread_m = -1; }), InvalidArgument, "-1");
  EXPECT_ERROR(make([](FilterOptions& o) { o.shrink = 1.5f; }), InvalidArgument, "1.5");
  EXPECT_ERROR(make([](FilterOptions& o) { o.effective_share = 1; }), InvalidArgument, "share");
  EXPECT_ERROR(make([](FilterOptions& o) { o.sensor.tau_m = 0; }), InvalidArgument, "tau");
  EXPECT_ERROR(make([](FilterOptions& o) { o.min_score = 1.5; }), InvalidArgument, "min_score");
  ParticleFilter filter = make([](FilterOptions&) {});
  EXPECT_ERROR(filter.step({}), InvalidArgument, "start()");
  EXPECT_ERROR(filter.start(std::vector<float>(5)), InvalidArgument, "5 numbers");
  std::vector<float> pose(walk.pose(0).begin(), walk.pose(0).end());
  pose[8] = std::numeric_limits<float>::infinity();
  EXPECT_ERROR(filter.start(pose), InvalidArgument, "not finite");
  EXPECT_ERROR(filter.find({}), InvalidArgument, "0 points");
}

}  // namespace
}  // namespace triptych::capsule_likelihood
