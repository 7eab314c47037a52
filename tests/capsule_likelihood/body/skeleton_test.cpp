#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>
#include <triptych/core/device.hpp>
#include <triptych/core/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "testing/expect_error.hpp"

namespace triptych::capsule_likelihood {
namespace {

Joint joint(const char* name, int parent) { return {name, parent, {0, 1, 0}, {{Axis::z, -1, 2}}}; }

TEST(Skeleton, LaysOutPosesJointByJoint) {
  const Skeleton skeleton(
      {joint("a", -1), {"b", 0, {}, {{Axis::x}, {Axis::y}}}, {"c", 1, {}, {}}, joint("d", 0)}, {});
  EXPECT_EQ(skeleton.pose_size(), 7 + 3);
  EXPECT_EQ(skeleton.first_angle(1), 7);
  EXPECT_EQ(skeleton.first_angle(2), 9);
  EXPECT_EQ(skeleton.first_angle(3), 9);
  EXPECT_EQ(skeleton.find("d"), 3);
  EXPECT_EQ(skeleton.find("e"), -1);
  EXPECT_ERROR(skeleton.first_angle(4), InvalidArgument, "joint 4");
}

TEST(Skeleton, RestsAtTheNearestAngleWithinTheLimits) {
  const Skeleton skeleton(
      {joint("a", -1), {"b", 0, {}, {{Axis::x, 0.5f, 1}, {Axis::y, -1, -0.25f}, {Axis::z, -1, 1}}}}, {});
  EXPECT_EQ(skeleton.rest_pose(), (std::vector<float>{0, 0, 0, 1, 0, 0, 0, 0.5f, -0.25f, 0}));
}

TEST(Skeleton, ClampsPosesAndCountsFreeAngles) {
  const Skeleton skeleton({joint("a", -1), {"b", 0, {}, {{Axis::x, 0.5f, 0.5f}, {Axis::y, -1, 1}}}}, {});
  std::vector<float> pose = {9, 9, 9, 1, 0, 0, 0, 7, -7};
  skeleton.clamp(pose);
  EXPECT_EQ(pose, (std::vector<float>{9, 9, 9, 1, 0, 0, 0, 0.5f, -1}));
  EXPECT_EQ(skeleton.free_angle_count(), 1);
  pose.push_back(0);
  EXPECT_ERROR(skeleton.clamp(pose), InvalidArgument, "pose of 10 numbers");
}

TEST(Skeleton, NamesTheJointThatIsWrong) {
  EXPECT_ERROR(Skeleton({}, {}), InvalidArgument, "at least one joint");
  EXPECT_ERROR(Skeleton({joint("a", 0)}, {}), InvalidArgument, "(a) has parent 0");
  EXPECT_ERROR(Skeleton({joint("a", -1), joint("knee", 1)}, {}), InvalidArgument, "(knee) has parent 1");
  EXPECT_ERROR(Skeleton({joint("a", -1), joint("knee", -1)}, {}), InvalidArgument, "(knee) has parent -1");
  Joint four = joint("wrist", 0);
  four.rotations.resize(4);
  EXPECT_ERROR(Skeleton({joint("a", -1), four}, {}), InvalidArgument, "wrist has 4 rotations");
  Joint crossed = joint("toe", 0);
  crossed.rotations[0] = {Axis::x, 1, 0};
  EXPECT_ERROR(Skeleton({joint("a", -1), crossed}, {}), InvalidArgument, "toe has a lower limit");
  Joint lost = joint("chin", 0);
  lost.offset_m.y = std::numeric_limits<float>::infinity();
  EXPECT_ERROR(Skeleton({joint("a", -1), lost}, {}), InvalidArgument, "chin has an offset");
  Joint limitless = joint("ear", 0);
  limitless.rotations[0].upper_rad = std::numeric_limits<float>::quiet_NaN();
  EXPECT_ERROR(Skeleton({joint("a", -1), limitless}, {}), InvalidArgument, "ear has a limit");
  std::vector<Joint> many(Skeleton::max_joints + 1, joint("many", 0));
  many[0].parent = -1;
  EXPECT_ERROR(Skeleton(many, {}), InvalidArgument, "too large");
  many.pop_back();
  EXPECT_EQ(Skeleton(many, {}).joint_count(), static_cast<int>(Skeleton::max_joints));
}

TEST(Skeleton, NamesTheCapsuleThatIsWrong) {
  const std::vector<Joint> joints = {joint("a", -1)};
  EXPECT_ERROR(Skeleton(joints, {{1, {}}}), InvalidArgument, "capsule 0 is on joint 1");
  EXPECT_ERROR(Skeleton(joints, {{0, {}}, {0, {{}, -1, {}}}}), InvalidArgument, "capsule 1 on joint a");
  EXPECT_ERROR(Skeleton(joints, {{0, {{}, std::nanf(""), {}}}}), InvalidArgument, "radius");
  EXPECT_ERROR(Skeleton(joints, {{0, {{0, INFINITY, 0}, 1, {}}}}), InvalidArgument, "not finite");
}

// The posed body of the built-in human, standing at the origin.
std::vector<Capsule> standing(const Skeleton& human) {
  const std::vector<float> pose = human.rest_pose();
  std::vector<Capsule> body(static_cast<std::size_t>(human.capsule_count()));
  pose_cpu(human, {pose.data(), 1, human.pose_size()}, {}, {body.data(), 1, human.capsule_count()}, 1);
  return body;
}

TEST(Human, IsAsTallAsAsked) {
  for (const float height : {0.5f, 1.2f, 1.75f, 2.1f}) {
    const Skeleton human = make_human(height);
    float top = -9, bottom = 9;
    for (const Capsule& c : standing(human)) {
      top = std::max({top, c.a.y + c.radius_m, c.b.y + c.radius_m});
      bottom = std::min({bottom, c.a.y - c.radius_m, c.b.y - c.radius_m});
    }
    EXPECT_NEAR(top - bottom, height, 0.01f * height);
    EXPECT_NEAR(-bottom, 0.53f * height, 0.005f * height);
  }
  EXPECT_ERROR(make_human(0.1f), InvalidArgument, "out of range");
  EXPECT_ERROR(make_human(std::nanf("")), InvalidArgument, "out of range");
}

TEST(Human, IsMirroredBetweenTheSides) {
  const Skeleton human = make_human();
  EXPECT_EQ(human.joint_count(), 24);
  EXPECT_EQ(human.capsule_count(), 40);
  EXPECT_EQ(human.free_angle_count(), 38);
  const std::vector<Capsule> body = standing(human);
  for (const Capsule& c : body) {
    const auto is_mirror = [&](const Capsule& other) {
      const auto mirrored = [](const Vec3& p, const Vec3& q) {
        return std::abs(p.x + q.x) < 1e-5f && std::abs(p.y - q.y) < 1e-5f && std::abs(p.z - q.z) < 1e-5f;
      };
      return c.radius_m == other.radius_m && ((mirrored(c.a, other.a) && mirrored(c.b, other.b)) ||
                                              (mirrored(c.a, other.b) && mirrored(c.b, other.a)));
    };
    EXPECT_TRUE(std::ranges::any_of(body, is_mirror));
  }
}

TEST(Human, BendsElbowsForwardsAndKneesBackwards) {
  const Skeleton human = make_human();
  const auto z_of = [&](const char* moved, float angle, const char* seen) {
    std::vector<float> pose = human.rest_pose();
    pose[static_cast<std::size_t>(human.first_angle(human.find(moved)))] = angle;
    human.clamp(pose);
    std::vector<Vec3> joints(static_cast<std::size_t>(human.joint_count()));
    pose_cpu(human, {pose.data(), 1, human.pose_size()}, {joints.data(), 1, human.joint_count()}, {}, 1);
    return joints[static_cast<std::size_t>(human.find(seen))].z;
  };
  // Facing -z. 155 degrees is the limit: sin 155 = 0.42, of a forearm of 0.26 m and a shin of 0.43 m;
  // the shoulder lies 2 cm behind the root.
  EXPECT_LT(z_of("left_forearm", 9.0f, "left_hand"), -0.08f);
  EXPECT_GT(z_of("right_shin", -9.0f, "right_foot"), 0.15f);
  EXPECT_LT(z_of("right_thigh", 1.0f, "right_shin"), -0.3f);
  EXPECT_LT(z_of("spine", -1.0f, "head"), -0.2f);
}

TEST(DeviceSkeleton, SaysWhyItCannotBeMadeWithoutAGpu) {
  if (cuda_device_count() > 0) GTEST_SKIP() << "there is a GPU";
  EXPECT_THROW(DeviceSkeleton{make_human()}, Unavailable);
}

}  // namespace
}  // namespace triptych::capsule_likelihood
