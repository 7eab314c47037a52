// The layers of a filter, and limb compensation.
#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "filter/filter_cpu.hpp"
#include "filter/filter_plan.hpp"
#include "filter/pose/limbs.hpp"

namespace triptych::capsule_likelihood {
namespace {

TEST(FilterPlan, AChainIsOneUnit) {
  std::vector<Joint> joints;
  std::vector<BodyCapsule> body_capsules;
  for (int j = 0; j < 5; ++j) {
    joints.push_back({std::string(1, static_cast<char>('a' + j)), j - 1, {0, 0.3f, 0}, {{}}});
    body_capsules.push_back({j, {{}, 0.05f, {0, 0.3f, 0}}});
  }
  const Skeleton chain(joints, body_capsules);
  EXPECT_EQ(units_of(chain), std::vector<int>(5));
  const FilterPlan plan = make_plan(chain, {.samples = 2000});
  EXPECT_TRUE(plan.limbs.empty());
  for (const FilterLayer& layer : plan.layers) EXPECT_EQ(layer.groups, 1);
}

// Limbs are searched twice as often as the trunk, and begin with their full spread.
TEST(FilterPlan, LimbsHaveTwoLayersForOneOfTheTrunk) {
  FilterOptions options;
  options.samples = 500;
  options.shrink = 0.5f;
  const FilterPlan plan = make_plan(make_human(), options);
  const bool is_trunk[] = {true, false, false, true, false};
  const float noise[] = {1, 1, 0.5f, 0.125f, 0.125f};
  ASSERT_EQ(plan.layers.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(plan.layers[i].compensates, is_trunk[i]) << i;
    EXPECT_EQ(plan.layers[i].groups, is_trunk[i] ? 1 : 5) << i;
    EXPECT_EQ(plan.layers[i].noise, noise[i]) << i;
  }
}

// A user who holds the root still does not want a fit to move it.
TEST(FilterPlan, HasNoFitsWhenASpreadIsZero) {
  const Skeleton human = make_human();
  EXPECT_EQ(make_plan(human, {.samples = 64}).fit_steps, FilterOptions().fit_steps);
  EXPECT_EQ(make_plan(human, {.samples = 64, .position_spread_m = 0}).fit_steps, 0);
  EXPECT_EQ(make_plan(human, {.samples = 64, .rotation_spread_rad = 0}).fit_steps, 0);
  EXPECT_EQ(make_plan(human, {.samples = 64, .limb_spread_m = 0}).fit_steps, 0);
  EXPECT_EQ(make_plan(human, {.samples = 64, .max_angle_spread_rad = 0}).fit_steps, 0);
}

// When the trunk moves a little, knees and elbows stay nearer to where they were than when they are carried
// along.
TEST(FilterCpu, LimbsCompensateForTheTrunk) {
  const Skeleton human = make_human();
  FilterOptions options;
  options.samples = 512;
  options.layers = 2;
  options.limb_spread_m = options.position_spread_m = options.rotation_spread_rad = 0.005f;
  FilterPlan plan = make_plan(human, options);
  plan.layers[0].tail = 1;
  ASSERT_TRUE(plan.layers[0].compensates);
  FilterCpu filter(
      plan, human.joint_count(),
      [&](MatrixView<const float> poses, MatrixView<Vec3> joints) { pose_cpu(human, poses, joints, {}, 1); },
      1);
  std::vector<float> pose = human.rest_pose();
  pose[2] = 3;
  for (const char* bent :
       {"left_forearm", "right_forearm", "left_shin", "right_shin", "left_thigh", "right_thigh"})
    pose[static_cast<std::size_t>(human.first_angle(human.find(bent)))] =
        std::string(bent).ends_with("shin") ? -0.8f : 0.6f;
  filter.start(pose);
  std::vector<float> poses;
  filter.step([&](MatrixView<const float> proposed, std::span<double> log_likelihoods) {
    if (poses.empty()) poses.assign(proposed.data(), proposed.data() + 512 * proposed.cols());
    std::fill(log_likelihoods.begin(), log_likelihoods.end(), 0.0);
  });
  const int count = human.joint_count();
  std::vector<Vec3> joints(std::size_t{512} * static_cast<std::size_t>(count));
  pose_cpu(human, {poses.data(), 512, human.pose_size()}, {joints.data(), 512, count}, {}, 1);
  double way[4] = {};  // by the share of compensation: none, a third, two thirds, full
  for (const char* name : {"left_forearm", "right_forearm", "left_shin", "right_shin"}) {
    const int j = human.find(name);
    for (int row = 0; row < 512; ++row) {
      const Vec3 p = joints[static_cast<std::size_t>(row) * static_cast<std::size_t>(count) +
                            static_cast<std::size_t>(j)],
                 at = joints[static_cast<std::size_t>(j)];
      way[(row >> 3) & 3] += std::hypot(double{p.x - at.x}, double{p.y - at.y}, double{p.z - at.z});
    }
  }
  EXPECT_LT(way[3], 0.7 * way[0]);
  EXPECT_LT(way[2], way[0]);
}

}  // namespace
}  // namespace triptych::capsule_likelihood
