// What the filter does with a limb that no point shows.
#include <triptych/capsule_likelihood/particle_filter.hpp>

#include <gtest/gtest.h>

#include <numbers>
#include <vector>

#include "capsule_likelihood/filter/filter_scene.hpp"

namespace triptych::capsule_likelihood {
namespace {

using test_scene::Walk;

// A walk that is seen from its right side: the left arm is behind the body for most of the time. A tenth of
// the points are outliers, which a free arm could explain.
Walk from_the_side(int frames) {
  Skeleton body = make_human();
  Motion motion = make_walk(body, {.frames = frames});
  place_in_view(body, motion, {.yaw_rad = std::numbers::pi_v<float> / 2});
  return {std::move(body), std::move(motion)};
}

constexpr const char* hidden = "left_hand";

// The mean error of the hidden hand over the frames and two seeds.
double found_error_m(const Walk& walk, FilterOptions options) {
  options.samples = 300;
  const auto hand = static_cast<std::size_t>(walk.skeleton.find(hidden));
  double sum = 0;
  for (const std::uint64_t seed : {1u, 2u}) {
    options.seed = seed;
    ParticleFilter filter(walk.skeleton, options, Device::cpu());
    filter.start(walk.pose(0));
    for (std::int64_t frame = 0; frame < walk.frames; ++frame) {
      const Estimate estimate = filter.step(walk.points(frame, 1500));
      sum += test_scene::mean_error_m({&estimate.joints[hand], 1}, {&walk.joints(frame)[hand], 1});
    }
  }
  return sum / static_cast<double>(2 * walk.frames);
}

// The same of an arm that keeps the angles of the first frame.
double kept_error_m(const Walk& walk) {
  const auto hand = static_cast<std::size_t>(walk.skeleton.find(hidden));
  double sum = 0;
  for (std::int64_t frame = 0; frame < walk.frames; ++frame) {
    std::vector<float> pose(walk.pose(frame).begin(), walk.pose(frame).end());
    for (int j = 1; j < walk.skeleton.joint_count(); ++j) {
      const Joint& joint = walk.skeleton.joints()[static_cast<std::size_t>(j)];
      if (!joint.name.starts_with("left_")) continue;
      const auto first = static_cast<std::size_t>(walk.skeleton.first_angle(j));
      for (std::size_t r = 0; r < joint.rotations.size(); ++r) pose[first + r] = walk.pose(0)[first + r];
    }
    sum += test_scene::mean_error_m({&walk.skeleton.joints(pose)[hand], 1}, {&walk.joints(frame)[hand], 1});
  }
  return sum / static_cast<double>(walk.frames);
}

// Its swing is seen now and then, before and behind the body. A filter that follows stray points instead is
// no better than an arm that does not move: 0.17 m here without either option.
TEST(HiddenLimb, DoesNotDrift) {
  const Walk walk = from_the_side(40);
  EXPECT_LT(found_error_m(walk, {}), 0.6 * kept_error_m(walk));
}

}  // namespace
}  // namespace triptych::capsule_likelihood
