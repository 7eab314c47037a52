// A body that is followed the wrong way round is turned, a right one stays.
#include <triptych/capsule_likelihood/particle_filter.hpp>
#include <triptych/capsule_likelihood/render.hpp>
#include <triptych/capsule_likelihood/synthetic_walk.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "capsule_likelihood/filter/filter_ranks.hpp"
#include "capsule_likelihood/filter/filter_scene.hpp"
#include "capsule_likelihood/filter/same_estimate.hpp"
#include "filter/pose/limbs.hpp"
#include "filter/search/heading_recovery.hpp"

namespace triptych::capsule_likelihood {
namespace {

using namespace test_scene;

// Turned about the body's vertical, on the spot.
std::vector<float> turned(std::span<const float> pose, double yaw_rad) {
  std::vector<float> result(pose.begin(), pose.end());
  set_orientation(result, orientation_of(result) * detail::rotation_about(Axis::y, yaw_rad));
  return result;
}

// A walk that is seen from one side or another.
struct TurnedWalk {
  Walk walk;
  double yaw_rad;

  TurnedWalk(int frames, double yaw) : walk(frames), yaw_rad(yaw) {}
  std::vector<float> pose(std::int64_t frame) const { return turned(walk.pose(frame), yaw_rad); }
  std::vector<Vec3> points(std::int64_t frame, std::int64_t count) const {
    RenderOptions options;
    options.points = count;
    options.noise_m = 0.01f;
    options.outliers = 0.1f;
    options.seed = 1 + static_cast<std::uint64_t>(frame);
    return render_points(walk.skeleton.capsules(pose(frame)), options);
  }
  double error_m(std::span<const float> of, std::int64_t frame) const {
    return mean_error_m(walk.skeleton.joints(of), walk.skeleton.joints(pose(frame)));
  }
};

constexpr double right_m = 0.1;  // mean error of a right pose

TEST(HeadingRecovery, ABodyThatLooksTheOtherWayIsTurned) {
  for (const double yaw : {0.0, 0.7, 1.6, 2.4, 3.1, 4.4, 5.5}) {
    const TurnedWalk scene(25, yaw);
    for (const std::int64_t frame : {0, 7, 12, 20}) {
      SCOPED_TRACE(testing::Message() << "yaw " << yaw << ", frame " << frame);
      const std::vector<float> wrong = backwards(scene.pose(frame));
      ASSERT_GT(scene.error_m(wrong, frame), right_m);
      const std::vector<float> found =
          turned_if_better(scene.walk.skeleton, {}, {scene.points(frame, 2000)}, wrong, 1);
      ASSERT_FALSE(found.empty());
      EXPECT_LT(scene.error_m(found, frame), right_m);
    }
  }
}

TEST(HeadingRecovery, ARightPoseStays) {
  for (const double yaw : {0.0, 0.7, 1.6, 2.4, 3.1, 4.4, 5.5}) {
    const TurnedWalk scene(25, yaw);
    for (std::int64_t frame = 0; frame < 25; frame += 3)
      EXPECT_TRUE(turned_if_better(scene.walk.skeleton, {}, {scene.points(frame, 2000)}, scene.pose(frame), 1)
                      .empty())
          << "yaw " << yaw << ", frame " << frame;
  }
}

TEST(HeadingRecovery, PointsThatAreFewOrFarAwayProveNothing) {
  const TurnedWalk scene(1, 0);
  const std::vector<float> wrong = backwards(scene.pose(0));
  const auto look = [&](const std::vector<Vec3>& points) {
    return turned_if_better(scene.walk.skeleton, {}, {points}, wrong, 1);
  };
  EXPECT_TRUE(look({}).empty());
  EXPECT_TRUE(look(scene.points(0, 80)).empty());
  std::vector<Vec3> far = scene.points(0, 2000);
  for (Vec3& point : far) point.x += 3;
  EXPECT_TRUE(look(far).empty());
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(look(std::vector<Vec3>(2000, Vec3{nan, nan, nan})).empty());
}

TEST(HeadingRecovery, ThePoseDoesNotDependOnTheNumberOfThreads) {
  const TurnedWalk scene(1, 0.7);
  const std::vector<Vec3> points = scene.points(0, 1500);
  const std::vector<float> wrong = backwards(scene.pose(0));
  const std::vector<float> one = turned_if_better(scene.walk.skeleton, {}, {points}, wrong, 1);
  ASSERT_FALSE(one.empty());
  for (const int threads : {0, 2, 3})
    EXPECT_TRUE(same_bits(turned_if_better(scene.walk.skeleton, {}, {points}, wrong, threads), one));
}

FilterOptions small_filter(bool recovers) {
  FilterOptions options;
  options.samples = 200;
  options.recover_heading = recovers;
  return options;
}

TEST(HeadingRecovery, AFilterTurnsInItsSecondFrame) {
  const TurnedWalk scene(4, 0.7);
  for (const bool recovers : {false, true}) {
    ParticleFilter filter(scene.walk.skeleton, small_filter(recovers), Device::cpu());
    filter.start(backwards(scene.pose(0)));
    for (std::int64_t frame = 0; frame < 4; ++frame) {
      const Estimate estimate = filter.step(scene.points(frame, 1500));
      EXPECT_EQ(scene.error_m(estimate.pose, frame) < right_m, recovers && frame > 0) << frame;
      if (recovers && frame > 0) {
        EXPECT_TRUE(estimate.found()) << frame;
      }
    }
  }
}

TEST(HeadingRecovery, FramesInFlightAreNotChecked) {
  const TurnedWalk scene(4, 0.7);
  ParticleFilter with(scene.walk.skeleton, small_filter(true), Device::cpu()),
      without(scene.walk.skeleton, small_filter(false), Device::cpu());
  for (ParticleFilter* filter : {&with, &without}) filter->start(backwards(scene.pose(0)));
  for (std::int64_t frame = 0; frame < 4; ++frame) {
    const std::vector<Vec3> points = scene.points(frame, 1500);
    for (ParticleFilter* filter : {&with, &without}) filter->submit(points);
    expect_same(with.next(), without.next());
  }
}

TEST(HeadingRecovery, AFilterOfARightPoseKeepsItsBits) {
  const TurnedWalk scene(17, 0.3);
  ParticleFilter with(scene.walk.skeleton, small_filter(true), Device::cpu()),
      without(scene.walk.skeleton, small_filter(false), Device::cpu());
  for (ParticleFilter* filter : {&with, &without}) filter->start(scene.pose(0));
  for (std::int64_t frame = 0; frame < 17; ++frame) {
    const std::vector<Vec3> points = scene.points(frame, 1500);
    expect_same(with.step(points), without.step(points));
  }
  EXPECT_EQ(with.samples(), without.samples());
}

TEST(HeadingRecovery, WithoutAFitThereIsNoCheck) {
  const TurnedWalk scene(3, 0.7);
  FilterOptions options = small_filter(true), off = small_filter(false);
  options.fit_steps = off.fit_steps = 0;
  ParticleFilter with(scene.walk.skeleton, options, Device::cpu()),
      without(scene.walk.skeleton, off, Device::cpu());
  for (ParticleFilter* filter : {&with, &without}) filter->start(backwards(scene.pose(0)));
  for (std::int64_t frame = 0; frame < 3; ++frame) {
    const std::vector<Vec3> points = scene.points(frame, 1500);
    expect_same(with.step(points), without.step(points));
  }
}

TEST(HeadingRecovery, RanksTurnTogetherWithTheBitsOfOne) {
  const TurnedWalk scene(4, 0.7);
  const auto follow = [&](std::shared_ptr<Exchange> exchange, int rank) {
    FilterOptions options = small_filter(true);
    options.samples = 60;
    options.exchange = std::move(exchange);
    RankResult result;
    ParticleFilter filter(scene.walk.skeleton, options, Device::cpu(1));
    filter.start(backwards(scene.pose(0)));
    for (std::int64_t frame = 0; frame < 4; ++frame) {
      const std::vector<Vec3> points = scene.points(frame, 1500);
      result.estimates.push_back(filter.step(rank == 0 ? CloudView(points) : CloudView()));
    }
    result.samples = filter.samples();
    return result;
  };
  const RankResult alone = follow(nullptr, 0);
  EXPECT_LT(scene.error_m(alone.estimates.back().pose, 3), right_m);
  const auto exchanges = make_thread_exchanges(2);
  const auto results = run_ranks(2, [&](int rank, RankResult& result) {
    result = follow(exchanges[static_cast<std::size_t>(rank)], rank);
  });
  for (const RankResult& result : results) expect_same_result(alone, result);
}

}  // namespace
}  // namespace triptych::capsule_likelihood
