// The search for a limb: poses drawn within its limits, the best of them by a sample of the cloud and their
// score.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "capsule_likelihood/filter/pose/limb_scene.hpp"
#include "filter/search/limb_search.hpp"

namespace triptych::capsule_likelihood {
namespace {

using Scene = test_scene::LimbScene;

TEST(LimbSearch, FindsLimbsFarFromWhereTheyWere) {
  const Scene scene;
  // Angles of the first bone's joint and of the second's.
  const struct {
    const char *first, *second, *end;
    float a, b, c;
  } cases[] = {{"left_upper_arm", "left_forearm", "left_hand", 1.2f, -0.6f, 1.4f},
               {"right_upper_arm", "right_forearm", "right_hand", 0.3f, 1.2f, 1.5f},
               {"left_thigh", "left_shin", "left_foot", 1.2f, -0.2f, -1.3f}};
  for (const auto& c : cases) {
    std::vector<float> truth = scene.at_rest;
    const auto first = static_cast<std::size_t>(scene.body.first_angle(scene.body.find(c.first)));
    truth[first] = c.a;
    truth[first + 1] = c.b;
    truth[static_cast<std::size_t>(scene.body.first_angle(scene.body.find(c.second)))] = c.c;
    const std::vector<Vec3> points = scene.points_of(truth);
    const LimbSearch search(scene.body, scene.score, {}, {points});
    double nearest = std::numeric_limits<double>::infinity();
    for (const std::vector<float>& pose : search.best_poses(scene.at_rest, scene.limb_to(c.end), 3))
      nearest = std::min(nearest, scene.distance_m(c.end, pose, truth));
    // At rest the end is half a metre away; the filter finds a limb from a third of that.
    EXPECT_GT(scene.distance_m(c.end, scene.at_rest, truth), 0.4) << c.end;
    EXPECT_LT(nearest, 0.15) << c.end;
  }
}

TEST(LimbSearch, PosesDifferInTheLimbAloneAndKeepItsLimits) {
  const Scene scene;
  const std::vector<Vec3> points = scene.points_of(scene.at_rest);
  const LimbSearch search(scene.body, scene.score, {}, {points});
  const Limb& limb = scene.limb_to("left_hand");
  const auto poses = search.best_poses(scene.at_rest, limb, 5);
  ASSERT_FALSE(poses.empty());
  ASSERT_LE(poses.size(), 5u);
  for (const std::vector<float>& pose : poses) {
    std::vector<float> rest_of_body = pose;
    put_at_rest(scene.body, rest_of_body, limb);
    EXPECT_EQ(rest_of_body, scene.at_rest);
    for (const Bone& bone : limb.bones) {
      const auto first = static_cast<std::size_t>(scene.body.first_angle(static_cast<int>(bone.joint)));
      const auto& rotations = scene.body.joints()[bone.joint].rotations;
      for (std::size_t r = 0; r < rotations.size(); ++r) {
        EXPECT_GE(pose[first + r], rotations[r].lower_rad);
        EXPECT_LE(pose[first + r], rotations[r].upper_rad);
      }
    }
  }
  for (std::size_t i = 0; i < poses.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_GT(scene.distance_m("left_hand", poses[i], poses[j]), 0.05) << i << " and " << j;
  EXPECT_EQ(search.best_poses(scene.at_rest, limb, 5), poses);
}

TEST(LimbSearch, DrawsAroundAPoseStayNearIt) {
  const Scene scene;
  const std::vector<float> truth = scene.with(scene.at_rest, "left_upper_arm", {1.2f, -0.6f});
  const std::vector<float> pose = scene.with(truth, "left_upper_arm", {0.8f, -0.9f});
  const std::vector<Vec3> points = scene.points_of(truth);
  const LimbSearch search(scene.body, scene.score, {}, {points});
  const Limb& limb = scene.limb_to("left_hand");
  const auto found = search.best_poses(pose, limb, 3, 1, {.anywhere = 0, .around = 200, .judged = 200});
  ASSERT_FALSE(found.empty());
  EXPECT_LT(scene.distance_m("left_hand", found[0], truth), 0.5 * scene.distance_m("left_hand", pose, truth));
  for (const std::vector<float>& near : found)
    for (std::size_t i = 0; i < pose.size(); ++i)
      EXPECT_LE(std::abs(near[i] - pose[i]), 1.5f + 0x1p-20f) << i;
  // Whatever the points say, the best pose is one that moves the limb least.
  const auto costly =
      search.best_poses(pose, limb, 1, 1, {.anywhere = 0, .around = 200, .judged = 200, .move_cost = 1000});
  ASSERT_EQ(costly.size(), 1u);
  EXPECT_LT(scene.distance_m("left_hand", costly[0], pose), 0.1);
}

// An angle without limits may have any value: the draws are about it, not at the end of its range.
TEST(LimbSearch, DrawsAroundAnglesThatTurnFreely) {
  const Skeleton human = make_human();
  std::vector<Joint> joints(human.joints().begin(), human.joints().end());
  const auto arm = static_cast<std::size_t>(human.find("left_upper_arm"));
  joints[arm].rotations = {{Axis::x}, {Axis::z}};
  const Skeleton body(joints, {human.body_capsules().begin(), human.body_capsules().end()});
  const std::vector<Limb> limbs = limbs_of(body);
  const PoseScore score(body, limbs);
  std::vector<float> pose = body.rest_pose();
  pose[2] = 2.5f;
  const auto first = static_cast<std::size_t>(body.first_angle(static_cast<int>(arm)));
  pose[first] = 2 * std::numbers::pi_v<float> + 0.2f;
  RenderOptions options;
  options.points = 1500;
  const std::vector<Vec3> points = render_points(body.capsules(pose), options);
  const auto limb = std::find_if(limbs.begin(), limbs.end(), [&](const Limb& l) {
    return std::find(l.joints.begin(), l.joints.end(), arm) != l.joints.end();
  });
  const auto found = LimbSearch(body, score, {}, {points})
                         .best_poses(pose, *limb, 8, 1, {.anywhere = 0, .around = 120, .judged = 120});
  ASSERT_GT(found.size(), 1u);
  bool differs = false;
  for (const std::vector<float>& near : found) {
    EXPECT_LE(std::abs(near[first] - pose[first]), 1.5f + 0x1p-20f);  // the sum of two floats below 8
    differs = differs || near[first] != found[0][first];
  }
  EXPECT_TRUE(differs);
}

TEST(LimbSearch, TakesASigmaForEachPoint) {
  const Scene scene;
  const std::vector<Vec3> points = scene.points_of(scene.at_rest);
  const SensorModel sensor;
  const std::vector<float> sigmas(points.size(), sensor.sigma_m);
  const Limb& limb = scene.limb_to("right_foot");
  EXPECT_EQ(LimbSearch(scene.body, scene.score, sensor, {points, sigmas}).best_poses(scene.at_rest, limb, 2),
            LimbSearch(scene.body, scene.score, sensor, {points}).best_poses(scene.at_rest, limb, 2));
}

TEST(LimbSearch, WithoutPointsOrBonesThereIsNone) {
  const Scene scene;
  const std::vector<Vec3> behind(40, Vec3{0, 0, -1});
  EXPECT_TRUE(LimbSearch(scene.body, scene.score, {}, {behind})
                  .best_poses(scene.at_rest, scene.limb_to("left_hand"), 3)
                  .empty());
  const std::vector<Vec3> points = scene.points_of(scene.at_rest);
  EXPECT_TRUE(LimbSearch(scene.body, scene.score, {}, {points}).best_poses(scene.at_rest, Limb{}, 3).empty());
}

}  // namespace
}  // namespace triptych::capsule_likelihood
