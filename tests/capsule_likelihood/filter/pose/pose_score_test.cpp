// The score of a pose: what is seen of it, and how usual it is.
#include <gtest/gtest.h>

#include <numbers>
#include <vector>

#include "capsule_likelihood/filter/pose/limb_scene.hpp"
#include "filter/pose/pose_score.hpp"

namespace triptych::capsule_likelihood {
namespace {

using Scene = test_scene::LimbScene;

TEST(PoseScore, AddsWhatIsSeenAndSubtractsWhatIsBent) {
  const Scene scene;
  const double straight = scene.score.of(scene.at_rest, -0.5, 0.9);
  EXPECT_NEAR(straight, -0.5 + 2 * 0.9, 1e-12);
  // By the square of the angle, on either side alike.
  std::vector<float> pose = scene.at_rest;
  float& elbow = pose[static_cast<std::size_t>(scene.body.first_angle(scene.body.find("left_forearm")))];
  elbow = 1;
  const double bent = scene.score.of(pose, -0.5, 0.9);
  elbow = 2;
  const double twice = scene.score.of(pose, -0.5, 0.9);
  EXPECT_LT(bent, straight);
  EXPECT_NEAR(straight - twice, 4 * (straight - bent), 1e-6);
  std::vector<float> other = scene.at_rest;
  other[static_cast<std::size_t>(scene.body.first_angle(scene.body.find("right_forearm")))] = 1;
  EXPECT_NEAR(scene.score.of(other, -0.5, 0.9), bent, 1e-12);
  // Where the body stands and looks does not matter.
  other[0] += 1;
  other[3] = 0;
  other[5] = 1;
  EXPECT_NEAR(scene.score.of(other, -0.5, 0.9), bent, 1e-12);
}

// What counts is the rotation, not the angles that make it: half a turn about two axes is half a turn about
// the third.
TEST(PoseScore, DoesNotDependOnHowARotationIsWritten) {
  const Skeleton human = make_human();
  std::vector<Joint> joints(human.joints().begin(), human.joints().end());
  const auto arm = static_cast<std::size_t>(human.find("left_upper_arm"));
  joints[arm].rotations = {{Axis::x}, {Axis::y}, {Axis::z}};
  const Skeleton body(joints, {human.body_capsules().begin(), human.body_capsules().end()});
  const PoseScore score(body, limbs_of(body));
  const auto first = static_cast<std::size_t>(body.first_angle(static_cast<int>(arm)));
  constexpr float turn = std::numbers::pi_v<float>;
  std::vector<float> pose = body.rest_pose();
  // The third angle without the two half turns, and with them.
  pose[first + 2] = 0.5f;
  const double plain = score.of(pose, 0, 0);
  pose[first] = turn;
  pose[first + 1] = turn;
  pose[first + 2] = 0.5f - turn;
  EXPECT_NEAR(score.of(pose, 0, 0), plain, 1e-6);
  EXPECT_LT(plain, 0);
}

}  // namespace
}  // namespace triptych::capsule_likelihood
