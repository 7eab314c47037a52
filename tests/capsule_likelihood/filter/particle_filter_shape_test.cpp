// ParticleFilter has the shape of a FrameProcessor: statuses, scores, frames in flight, reset, latencies.
#include <triptych/capsule_likelihood/particle_filter.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/frame_processor.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "capsule_likelihood/filter/filter_scene.hpp"
#include "testing/expect_error.hpp"

namespace triptych::capsule_likelihood {
namespace {

static_assert(FrameProcessor<ParticleFilter>);
static_assert(std::is_convertible_v<const std::vector<Vec3>&, CloudView>);
static_assert(std::is_convertible_v<std::span<const Vec3>, CloudView>);

using test_scene::Walk;

FilterOptions small_options() {
  FilterOptions options;
  options.samples = 200;
  options.layers = 3;
  return options;
}

void expect_same(const Estimate& a, const Estimate& b) {
  EXPECT_EQ(a.pose, b.pose);
  EXPECT_EQ(a.log_likelihood, b.log_likelihood);
  EXPECT_EQ(a.score, b.score);
  EXPECT_EQ(a.status, b.status);
}

TEST(ParticleFilterShape, FramesInFlightHaveTheResultsOfSteps) {
  const Walk walk(5);
  ParticleFilter steps(walk.skeleton, small_options(), Device::cpu());
  ParticleFilter flight(walk.skeleton, small_options(), Device::cpu());
  steps.start(walk.pose(0));
  flight.start(walk.pose(0));
  EXPECT_ERROR(flight.next(), InvalidArgument, "submit()");
  for (int i = 0; i < max_in_flight; ++i) flight.submit(walk.points(i, 600));
  EXPECT_EQ(flight.in_flight(), max_in_flight);
  EXPECT_ERROR(flight.submit(walk.points(3, 600)), InvalidArgument, "next()");
  EXPECT_ERROR(flight.step(walk.points(3, 600)), InvalidArgument, "next()");
  for (int i = 0; i < max_in_flight; ++i) expect_same(flight.next(), steps.step(walk.points(i, 600)));
  EXPECT_EQ(flight.in_flight(), 0);
  expect_same(flight.step(walk.points(3, 600)), steps.step(walk.points(3, 600)));
  EXPECT_EQ(flight.latency().frames, 4);
  EXPECT_GT(flight.latency().median_us, 0);
}

TEST(ParticleFilterShape, ResetMakesItAsNew) {
  const Walk walk(2);
  ParticleFilter used(walk.skeleton, small_options(), Device::cpu());
  ParticleFilter fresh(walk.skeleton, small_options(), Device::cpu());
  used.start(walk.pose(1));
  used.step(walk.points(1, 600));
  used.submit(walk.points(0, 600));
  used.reset();
  EXPECT_EQ(used.in_flight(), 0);
  EXPECT_EQ(used.latency().frames, 0);
  EXPECT_ERROR(used.step(walk.points(0, 600)), InvalidArgument, "start()");
  EXPECT_ERROR(used.samples(), InvalidArgument, "start()");
  used.start(walk.pose(0));
  fresh.start(walk.pose(0));
  expect_same(used.step(walk.points(0, 600)), fresh.step(walk.points(0, 600)));
  EXPECT_EQ(used.samples(), fresh.samples());
}

// A refused cloud changes nothing.
TEST(ParticleFilterShape, RefusesCloudsThatDoNotFit) {
  const Walk walk(1);
  FilterOptions options = small_options();
  options.max_points = 600;
  ParticleFilter filter(walk.skeleton, options, Device::cpu()), other(walk.skeleton, options, Device::cpu());
  filter.start(walk.pose(0));
  other.start(walk.pose(0));
  const std::vector<Vec3> points = walk.points(0, 600);
  EXPECT_ERROR(filter.step(walk.points(0, 601)), InvalidArgument, "raise FilterOptions::max_points");
  const std::vector<float> few(5, 0.01f);
  std::vector<float> negative(600, 0.01f);
  negative[7] = -1;
  EXPECT_ERROR(filter.step({points, few}), InvalidArgument, "600 points but 5 sigmas");
  EXPECT_ERROR(filter.step({points, negative}), InvalidArgument, "sigma of point 7");
  expect_same(filter.step(points), other.step(points));
}

// The score by its definition, with long doubles: the best sample is the one whose log-likelihood is
// reported, so that 1 - score is its loss over that of points which are all truncated.
TEST(ParticleFilterShape, TheScoreIsTheShareOfTheLossThatIsExplained) {
  const Walk walk(1);
  const std::vector<Vec3> points = walk.points(0, 600);
  std::vector<float> sigma_m;
  sigma_m.reserve(points.size());
  for (const Vec3& p : points) sigma_m.push_back(0.003f * p.z * p.z);
  for (const Loss loss : {Loss::squared, Loss::absolute}) {
    for (const bool each : {false, true}) {
      FilterOptions options = small_options();
      options.sensor.loss = loss;
      ParticleFilter filter(walk.skeleton, options, Device::cpu());
      filter.start(walk.pose(0));
      const Estimate estimate =
          filter.step({points, each ? std::span<const float>(sigma_m) : std::span<const float>()});
      long double max_loss = 0;
      for (std::size_t i = 0; i < points.size(); ++i) {
        const long double r =
            static_cast<long double>(options.sensor.tau_m) / (each ? sigma_m[i] : options.sensor.sigma_m);
        max_loss += loss == Loss::squared ? r * r / 2 : r;
      }
      const auto expected = static_cast<double>(1 + estimate.log_likelihood / max_loss);
      // Weights of points are rounded to 2^-20 of a weight that is above 2^-6 here.
      EXPECT_NEAR(estimate.score, expected, 0x1p-14) << static_cast<int>(loss) << each;
      EXPECT_GT(estimate.score, 0.5);
      EXPECT_LT(estimate.score, 0.95);  // a tenth of the points are outliers
    }
  }
}

TEST(ParticleFilterShape, ABodyThatIsThereIsTracked) {
  const Walk walk(12);
  for (const float background : {0.0f, 0.3f}) {
    ParticleFilter filter(walk.skeleton, small_options(), Device::cpu());
    filter.start(walk.pose(0));
    for (std::int64_t frame = 0; frame < walk.frames; ++frame) {
      RenderOptions render;
      render.points = 1000;
      render.outliers = 0.1f;
      render.background = background;
      render.seed = static_cast<std::uint64_t>(frame);
      const Estimate estimate = filter.step(render_points(walk.skeleton.capsules(walk.pose(frame)), render));
      EXPECT_EQ(estimate.status, FilterStatus::tracking) << estimate.score;
      EXPECT_TRUE(estimate.found());
      EXPECT_GT(estimate.latency_us, 0);
    }
  }
  EXPECT_EQ(to_string(FilterStatus::tracking), "tracking");
  EXPECT_EQ(to_string(FilterStatus::lost), "lost");
}

TEST(ParticleFilterShape, ABodyThatIsElsewhereIsLost) {
  const Walk walk(4);
  for (const int axis : {0, 2}) {
    std::vector<float> pose(walk.pose(0).begin(), walk.pose(0).end());
    pose[static_cast<std::size_t>(axis)] += 1;
    ParticleFilter filter(walk.skeleton, small_options(), Device::cpu());
    filter.start(pose);
    for (std::int64_t frame = 0; frame < walk.frames; ++frame) {
      const Estimate estimate = filter.step(walk.points(frame, 1000));
      EXPECT_EQ(estimate.status, FilterStatus::lost) << "axis " << axis << ": " << estimate.score;
      EXPECT_FALSE(estimate.found());
    }
  }
}

// The floor and the wall alone, without the body in front of them; and no points at all.
TEST(ParticleFilterShape, ACloudWithoutTheBodyIsLost) {
  const Walk walk(1);
  RenderOptions render;
  render.points = 2000;
  render.background = 0.9f;
  std::vector<Vec3> points = render_points(walk.skeleton.capsules(walk.pose(0)), render);
  const Vec3 root = walk.joints(0)[0];
  std::erase_if(points, [&](const Vec3& p) {
    return std::hypot(p.x - root.x, p.z - root.z) < 0.8f && std::abs(p.y - root.y) < 0.85f;
  });
  ASSERT_GT(points.size(), 500u);
  ParticleFilter filter(walk.skeleton, small_options(), Device::cpu());
  filter.start(walk.pose(0));
  const Estimate estimate = filter.step(points);
  EXPECT_EQ(estimate.status, FilterStatus::lost) << estimate.score;
  const Estimate blind = filter.step({});
  EXPECT_EQ(blind.status, FilterStatus::lost);
  EXPECT_EQ(blind.score, 0);
}

TEST(ParticleFilterShape, TheDeviceChoosesTheNumberOfSamples) {
  const Walk walk(1);
  ParticleFilter filter(walk.skeleton, {}, Device::cpu(1));
  EXPECT_NE(filter.describe().find(std::to_string(default_samples(Device::cpu())) + " samples x 5 layers"),
            std::string::npos)
      << filter.describe();
  FilterOptions negative;
  negative.samples = -1;
  EXPECT_THROW(ParticleFilter(walk.skeleton, negative, Device::cpu(1)), InvalidArgument);
}

TEST(ParticleFilterShape, SaysWhatItIs) {
  const Walk walk(1);
  const ParticleFilter filter(walk.skeleton, small_options(), Device::cpu(1));
  EXPECT_EQ(filter.device().kind(), DeviceKind::cpu);
  EXPECT_NE(filter.describe().find("200 samples x 3 layers for 24 joints and 40 capsules"), std::string::npos)
      << filter.describe();
}

}  // namespace
}  // namespace triptych::capsule_likelihood
