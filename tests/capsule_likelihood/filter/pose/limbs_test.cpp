// The limbs of a skeleton: what find() tries beyond the poses that the filter reaches by itself.
#include <triptych/capsule_likelihood/skeleton.hpp>
#include <triptych/capsule_likelihood/synthetic_walk.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include "filter/pose/limbs.hpp"
#include "filter/pose/start_poses.hpp"

namespace triptych::capsule_likelihood {
namespace {

using detail::Vec;

Vec direction_of(const Skeleton& body, const std::vector<float>& pose, const Bone& bone) {
  const std::vector<Vec3> at = body.joints(pose);
  return unit_or(Vec(at[bone.end]) - Vec(at[bone.joint]), {});
}

// The limb whose first bone ends at a joint.
std::size_t limb_to(const Skeleton& body, const std::vector<Limb>& limbs, const std::string& joint) {
  const auto end = static_cast<std::size_t>(body.find(joint));
  const auto found = std::find_if(limbs.begin(), limbs.end(), [&](const Limb& limb) {
    return !limb.bones.empty() && limb.bones[0].end == end;
  });
  EXPECT_NE(found, limbs.end()) << joint;
  return static_cast<std::size_t>(found - limbs.begin());
}

Skeleton without_toes() {
  const Skeleton human = make_human();
  std::vector<Joint> joints(human.joints().begin(), human.joints().end());
  for (Joint& joint : joints)
    if (joint.name.find("toe") != std::string::npos)
      joint.name = "tip_" + std::to_string(&joint - &joints[0]);
  return {joints, {human.body_capsules().begin(), human.body_capsules().end()}};
}

TEST(Limbs, AHumanIsATrunkAHeadAndFourLimbs) {
  const Skeleton human = make_human();
  const std::vector<int> units = units_of(human);
  const auto unit = [&](const char* name) { return units[static_cast<std::size_t>(human.find(name))]; };
  for (const char* name : {"hips", "spine", "chest"}) EXPECT_EQ(unit(name), 0) << name;
  std::set<int> limbs;
  for (const char* name : {"neck", "left_clavicle", "right_clavicle", "left_thigh", "right_thigh"})
    limbs.insert(unit(name));
  EXPECT_EQ(limbs, (std::set<int>{1, 2, 3, 4, 5}));
  EXPECT_EQ(unit("left_hand"), unit("left_clavicle"));
  EXPECT_EQ(unit("right_foot"), unit("right_thigh"));
  EXPECT_EQ(unit("head"), unit("neck"));
}

TEST(Limbs, AHumanHasTwoArmsAndTwoLegs) {
  const Skeleton human = make_human();
  const std::vector<Limb> limbs = limbs_of(human);
  EXPECT_TRUE(limbs[0].bones.empty());
  for (const char* end : {"shin", "forearm"}) {
    const std::size_t left = limb_to(human, limbs, std::string("left_") + end);
    const std::size_t right = limb_to(human, limbs, std::string("right_") + end);
    EXPECT_EQ(limbs[left].other, right);
    EXPECT_EQ(limbs[right].other, left);
    EXPECT_EQ(limbs[left].bones.size(), 2u);
    EXPECT_EQ(limbs[left].is_leg, std::string(end) == "shin");
  }
}

TEST(Limbs, TheCapsulesOfALimbAreThoseThatMoveWithIt) {
  const Skeleton human = make_human();
  const std::vector<Limb> limbs = limbs_of(human);
  const std::vector<float> rest = human.rest_pose();
  const std::vector<Capsule> before = human.capsules(rest);
  for (std::size_t limb = 1; limb < limbs.size(); ++limb) {
    std::vector<float> bent = rest;
    for (const std::size_t j : limbs[limb].joints)
      for (std::size_t r = 0; r < human.joints()[j].rotations.size(); ++r)
        bent[static_cast<std::size_t>(human.first_angle(static_cast<int>(j))) + r] += 0.3f;
    const std::vector<Capsule> after = human.capsules(bent);
    std::vector<std::size_t> moved;
    for (std::size_t k = 0; k < before.size(); ++k)
      if (length(Vec(after[k].b) - Vec(before[k].b)) > 0) moved.push_back(k);
    EXPECT_FALSE(moved.empty()) << limb;
    EXPECT_EQ(capsules_of(human, limbs[limb]), moved) << limb;
  }
}

TEST(Limbs, WithoutAFrontThereAreNoPairs) {
  const Skeleton body = without_toes();
  EXPECT_EQ(length(front_of(body)), 0);
  for (const Limb& limb : limbs_of(body)) EXPECT_EQ(limb.other, 0u);
}

TEST(Limbs, ABonePointsWhereItIsAimed) {
  const Skeleton human = make_human();
  const std::vector<Limb> limbs = limbs_of(human);
  const Bone& arm = limbs[limb_to(human, limbs, "left_forearm")].bones[0];
  // Steps of 3 degrees in each angle: two angles leave at most 3 degrees.
  const double near = std::cos(3 * std::numbers::pi / 180);
  for (const Vec& direction : {Vec(0, -1, 0), Vec(0, 0, -1), Vec(-1, 0, 0), Vec(0, 0.8, -0.6)}) {
    std::vector<float> pose = human.rest_pose();
    aim(human, pose, arm, direction);
    EXPECT_GT(dot(direction_of(human, pose, arm), direction), near)
        << direction.x << ' ' << direction.y << ' ' << direction.z;
  }
}

TEST(Limbs, AimStaysWithinTheLimits) {
  const Skeleton human = make_human();
  const std::vector<Limb> limbs = limbs_of(human);
  const Bone& shin = limbs[limb_to(human, limbs, "left_shin")].bones[1];
  std::vector<float> pose = human.rest_pose();
  aim(human, pose, shin, {0, 0, -1});  // forward: a knee does not bend that way
  const Rotation& knee = human.joints()[shin.joint].rotations[0];
  const float angle = pose[static_cast<std::size_t>(human.first_angle(static_cast<int>(shin.joint)))];
  EXPECT_GE(angle, knee.lower_rad);
  EXPECT_LE(angle, knee.upper_rad);
}

// One leg forward, the other back: exchanged, each is where the other was. The trunk stays.
TEST(Limbs, TheLimbsOfAPairChangePlaces) {
  const Skeleton human = make_human();
  const std::vector<Limb> limbs = limbs_of(human);
  const std::size_t left = limb_to(human, limbs, "left_shin"), right = limbs[left].other;
  std::vector<float> pose = human.rest_pose();
  aim(human, pose, limbs[left].bones[0], {0, -0.8, -0.6});
  aim(human, pose, limbs[right].bones[0], {0, -0.9, 0.3});
  const std::vector<float> exchanged = with_limbs_exchanged(human, limbs, left, pose);
  const double near = std::cos(6 * std::numbers::pi / 180);  // aimed twice
  EXPECT_GT(dot(direction_of(human, exchanged, limbs[left].bones[0]),
                direction_of(human, pose, limbs[right].bones[0])),
            near);
  EXPECT_GT(dot(direction_of(human, exchanged, limbs[right].bones[0]),
                direction_of(human, pose, limbs[left].bones[0])),
            near);
  EXPECT_TRUE(std::equal(pose.begin(), pose.begin() + 7, exchanged.begin()));
}

// Hands and feet as well, whose bones are short.
TEST(Limbs, EveryJointOfALimbIsPutAtRest) {
  const Skeleton human = make_human();
  const std::vector<Limb> limbs = limbs_of(human);
  EXPECT_TRUE(limbs[0].joints.empty());
  const std::size_t left = limb_to(human, limbs, "left_forearm");
  std::vector<float> pose = human.rest_pose();
  std::fill(pose.begin() + 7, pose.end(), 0.1f);
  put_at_rest(human, pose, limbs[left]);
  const std::vector<float> rest = human.rest_pose();
  for (const char* name : {"left_upper_arm", "left_forearm", "left_hand", "right_hand"}) {
    const int joint = human.find(name);
    const auto first = static_cast<std::size_t>(human.first_angle(joint));
    const bool is_left = name[0] == 'l';
    for (std::size_t r = 0; r < human.joints()[static_cast<std::size_t>(joint)].rotations.size(); ++r)
      EXPECT_EQ(pose[first + r], is_left ? rest[first + r] : 0.1f) << name;
  }
}

// The left arm up and aside, of a body that is turned: the right arm as well.
TEST(Limbs, ALimbBecomesTheMirrorImageOfTheOther) {
  const Skeleton human = make_human();
  const std::vector<Limb> limbs = limbs_of(human);
  const std::size_t left = limb_to(human, limbs, "left_forearm"), right = limbs[left].other;
  std::vector<float> pose = human.rest_pose();
  const detail::Rot turned = detail::rotation_about(Axis::y, 0.7);
  set_orientation(pose, turned);
  aim(human, pose, limbs[left].bones[0], turned * Vec(-0.8, 0.48, -0.36));
  const std::vector<float> mirrored = with_limb_mirrored(human, limbs, right, pose);
  const double near = std::cos(6 * std::numbers::pi / 180);  // aimed twice
  EXPECT_GT(dot(direction_of(human, mirrored, limbs[right].bones[0]), turned * Vec(0.8, 0.48, -0.36)), near);
  for (const std::size_t joint : limbs[left].joints) {
    const auto first = static_cast<std::size_t>(human.first_angle(static_cast<int>(joint)));
    for (std::size_t r = 0; r < human.joints()[joint].rotations.size(); ++r)
      EXPECT_EQ(mirrored[first + r], pose[first + r]);
  }
}

// The arms of a walker who is turned round are where they were, with left and right exchanged.
TEST(Limbs, TurnedRoundTheBodyLooksTheOtherWay) {
  const Skeleton human = make_human();
  const std::vector<Limb> limbs = limbs_of(human);
  const std::size_t left = limb_to(human, limbs, "left_forearm"), right = limbs[left].other;
  std::vector<float> pose = human.rest_pose();
  aim(human, pose, limbs[left].bones[0], {-0.9, 0.4, 0});
  set_orientation(pose, detail::rotation_about(Axis::y, 0.7));
  pose[0] = 0.3f, pose[2] = 2.5f;
  const std::vector<float> turned = turned_round(human, limbs, pose);
  EXPECT_TRUE(std::equal(pose.begin(), pose.begin() + 3, turned.begin()));
  const Vec front = front_of(human);
  EXPECT_NEAR(dot(orientation_of(pose) * front, orientation_of(turned) * front), -1, 1e-6);
  const double near = std::cos(6 * std::numbers::pi / 180);
  EXPECT_GT(dot(direction_of(human, turned, limbs[right].bones[0]),
                direction_of(human, pose, limbs[left].bones[0])),
            near);
}

// In many files the arms of the rest pose point aside.
TEST(StartPoses, ArmsThatPointAsideAtRestHang) {
  const Skeleton human = make_human();
  std::vector<Joint> joints(human.joints().begin(), human.joints().end());
  for (const char* side : {"left", "right"}) {
    const auto elbow = static_cast<std::size_t>(human.find(std::string(side) + "_forearm"));
    joints[elbow].offset_m = {side == std::string("left") ? -0.3f : 0.3f, 0, 0};
    for (Rotation& rotation : joints[static_cast<std::size_t>(joints[elbow].parent)].rotations) {
      rotation.lower_rad = -3;
      rotation.upper_rad = 3;
    }
  }
  const Skeleton body(joints, {human.body_capsules().begin(), human.body_capsules().end()});
  const std::vector<Limb> limbs = limbs_of(body);
  const std::vector<float> pose = start_poses(body, height_at_rest(body))[0];
  for (const char* end : {"left_forearm", "right_forearm"})
    EXPECT_LT(direction_of(body, pose, limbs[limb_to(body, limbs, end)].bones[0]).y, -0.7) << end;
}

// The head is a limb that points up.
TEST(StartPoses, AHumanWhoseLimbsAreDownStandsAsAtRest) {
  const Skeleton human = make_human();
  EXPECT_EQ(standing_pose(human), human.rest_pose());
}

TEST(StartPoses, ArmsPointDownAsideOrForward) {
  const Skeleton human = make_human();
  const std::vector<Limb> limbs = limbs_of(human);
  const std::vector<std::vector<float>> poses = start_poses(human, height_at_rest(human));
  ASSERT_EQ(poses.size(), 3u);
  const double near = std::cos(3 * std::numbers::pi / 180);
  for (const double x : {-1.0, 1.0}) {
    const Bone& arm = limbs[limb_to(human, limbs, x < 0 ? "left_forearm" : "right_forearm")].bones[0];
    const Vec directions[] = {{0, -1, 0}, {x, 0, 0}, {0, 0, -1}};
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_GT(dot(direction_of(human, poses[k], arm), directions[k]), near) << x << ' ' << k;
  }
}

// Without toes there is no front, without limbs that mirror each other no arms.
TEST(StartPoses, ABodyWithoutAFrontStands) {
  const Skeleton body = without_toes();
  EXPECT_EQ(start_poses(body, height_at_rest(body)).size(), 1u);
}

TEST(StartPoses, TheLowerTheCloudTheMorePoses) {
  const Skeleton human = make_human();
  const double height = height_at_rest(human);
  EXPECT_EQ(start_poses(human, height).size(), 3u);
  EXPECT_EQ(start_poses(human, 0.7 * height).size(), 4u);
  const std::vector<std::vector<float>> low = start_poses(human, 0.2 * height);
  ASSERT_EQ(low.size(), 4u);
  for (const std::size_t k : {2u, 3u}) {
    const Vec up = orientation_of(low[k]) * Vec(0, 1, 0), front = orientation_of(low[k]) * front_of(human);
    EXPECT_NEAR(up.y, 0, 1e-6);
    EXPECT_NEAR(front.y, k == 2 ? 1 : -1, 1e-6);
  }
}

}  // namespace
}  // namespace triptych::capsule_likelihood
