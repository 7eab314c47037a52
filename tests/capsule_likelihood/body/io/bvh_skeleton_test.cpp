#include <triptych/capsule_likelihood/bvh_skeleton.hpp>
#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/core/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "body/rotation.hpp"
#include "capsule_likelihood/body/io/small_bvh.hpp"
#include "testing/data_dir.hpp"
#include "testing/expect_error.hpp"
#include "testing/random.hpp"

namespace triptych::capsule_likelihood {
namespace {

constexpr double rad = std::numbers::pi / 180;

std::vector<Vec3> joints_of(const Skeleton& skeleton, const std::vector<float>& poses, int rows) {
  std::vector<Vec3> joints(static_cast<std::size_t>(rows * skeleton.joint_count()));
  pose_cpu(skeleton, {poses.data(), rows, skeleton.pose_size()},
           {joints.data(), rows, skeleton.joint_count()}, {}, 1);
  return joints;
}

double distance(const Vec3& a, const detail::Vec& b) { return length(detail::Vec(a) - b); }

TEST(Rotation, AnglesAndQuaternionsComeBack) {
  const std::vector<double> angles = triptych::test::random_values(3 * 500, -3.1, 3.1, 4);
  for (const auto& axes : {std::array{Axis::x, Axis::y, Axis::z}, std::array{Axis::x, Axis::z, Axis::y},
                           std::array{Axis::y, Axis::x, Axis::z}, std::array{Axis::y, Axis::z, Axis::x},
                           std::array{Axis::z, Axis::x, Axis::y}, std::array{Axis::z, Axis::y, Axis::x}}) {
    for (std::size_t i = 0; i < angles.size(); i += 3) {
      std::array<double, 3> in = {angles[i], angles[i + 1], angles[i + 2]};
      if (i % 30 == 0) in[1] = std::numbers::pi / 2;
      const detail::Rot r = detail::rotation_of_angles(axes, in);
      const std::array<double, 3> out = detail::angles_of(r, axes);
      const detail::Rot again = detail::rotation_of_angles(axes, out);
      const detail::Rot rotated = detail::rotation_of_quaternion(detail::quaternion_of(r));
      for (std::size_t k = 0; k < 9; ++k) {
        ASSERT_NEAR(again[k], r[k], 1e-8);
        ASSERT_NEAR(rotated[k], r[k], 1e-12);
      }
      if (std::abs(in[1]) < 1.5) {
        for (std::size_t k = 0; k < 3; ++k) ASSERT_NEAR(out[k], in[k], 1e-9);
      }
    }
  }
}

// Walks the hierarchy with the file's channels, in double: R = R(first channel) R(second) R(third).
TEST(BvhSkeleton, PosesPutJointsWhereTheFileDoes) {
  const Bvh bvh = parse_bvh(test::small_bvh, "small.bvh");
  const double scale = 0.05;
  const Skeleton skeleton = make_skeleton(bvh, {scale, -1});
  const Motion poses = poses_of(bvh, skeleton, scale);
  ASSERT_EQ(poses.size(), 2);
  EXPECT_EQ(poses.frame_time_s, bvh.frame_time_s);
  const std::vector<Vec3> joints = joints_of(skeleton, poses.values, 2);
  for (int frame = 0; frame < 2; ++frame) {
    const auto v = bvh.frame(frame);
    const auto rotation = [&](Axis axis, std::size_t i) { return detail::rotation_about(axis, v[i] * rad); };
    const detail::Rot hips = rotation(Axis::z, 3) * rotation(Axis::x, 4) * rotation(Axis::y, 5);
    const detail::Rot chest = hips * (rotation(Axis::z, 6) * rotation(Axis::x, 7) * rotation(Axis::y, 8));
    const detail::Vec at_hips(v[0], v[1], v[2]);
    const detail::Vec at_chest = at_hips + hips * detail::Vec(0, 10, 1);
    const detail::Vec at_arm = at_chest + chest * detail::Vec(5, 2, 0.5);
    const detail::Vec at_leg = at_hips + hips * detail::Vec(0, -9, 0);
    const Vec3* found = joints.data() + frame * 4;
    EXPECT_LT(distance(found[0], scale * at_hips), 1e-6);
    EXPECT_LT(distance(found[1], scale * at_chest), 1e-6);
    EXPECT_LT(distance(found[2], scale * at_arm), 1e-6);
    EXPECT_LT(distance(found[3], scale * at_leg), 1e-6);
  }
}

TEST(BvhSkeleton, RefusesBonesThatAreNotRigid) {
  std::string text = test::small_bvh;
  text.replace(text.find("60 5 2 .5"), 9, "60 5 3 .5");
  EXPECT_ERROR(make_skeleton(parse_bvh(text, "moving.bvh")), InvalidArgument, "Left Arm moves");
}

TEST(BvhSkeleton, PosesNeedTheSkeletonOfTheFile) {
  const Bvh bvh = parse_bvh(test::small_bvh, "small.bvh");
  EXPECT_ERROR(poses_of(bvh, make_human(), 1), InvalidArgument, "motion of 4 joints");
}

TEST(BvhSkeleton, AnglesDoNotJumpByATurn) {
  Bvh bvh = parse_bvh(test::small_bvh, "small.bvh");
  bvh.motion[15] = 179;
  bvh.motion[31] = -179;
  const Skeleton skeleton = make_skeleton(bvh, {0.05, -1});
  EXPECT_NEAR(poses_of(bvh, skeleton, 0.05).values.back(), 181 * rad, 1e-5);
}

// Writing multiplies by 180 / pi in double and reading divides: the floats come back to an ulp of their size.
void expect_round_trip(const Skeleton& skeleton, const std::vector<float>& poses, int rows) {
  const Motion motion{skeleton.pose_size(), 1.0 / 30, poses};
  const Bvh bvh = parse_bvh(to_text(to_bvh(skeleton, motion, 0.05)), "written");
  EXPECT_EQ(bvh.frame_count(), rows);
  const Skeleton again = make_skeleton(bvh, {0.05, -1});
  const std::vector<float> read = poses_of(bvh, again, 0.05).values;
  ASSERT_EQ(read.size(), poses.size());
  const std::vector<Vec3> before = joints_of(skeleton, poses, rows), after = joints_of(again, read, rows);
  for (std::size_t i = 0; i < before.size(); ++i) {
    ASSERT_LT(distance(after[i], detail::Vec(before[i])), 1e-5) << i;
  }
}

TEST(BvhSkeleton, PosesSurviveWritingAndReading) {
  const Bvh bvh = parse_bvh(test::small_bvh, "small.bvh");
  const Skeleton skeleton = make_skeleton(bvh, {0.05, -1});
  expect_round_trip(skeleton, poses_of(bvh, skeleton, 0.05).values, 2);
  const Skeleton human = make_human();
  std::vector<float> poses;
  const std::vector<float> angles = triptych::test::random_values(20 * human.pose_size(), -1.0f, 1.0f, 6);
  poses.assign(angles.begin(), angles.end());
  expect_round_trip(human, poses, 20);
}

TEST(BvhSkeleton, WritesJointsInTheOrderOfTheTree) {
  // c hangs on a, but stands behind b's child in the list.
  const Skeleton skeleton({{"a", -1, {}, {}},
                           {"b", 0, {0, 1, 0}, {{Axis::x}}},
                           {"c", 0, {1, 0, 0}, {{Axis::y}}},
                           {"d", 1, {0, 1, 0}, {{Axis::z}}}},
                          {});
  std::vector<float> pose = skeleton.rest_pose();
  pose[7] = 0.1f, pose[8] = 0.2f, pose[9] = 0.3f;
  const Bvh bvh = to_bvh(skeleton, {10, 0.1, pose});
  EXPECT_EQ(bvh.joints[2].name, "d");
  EXPECT_EQ(bvh.joints[3].name, "c");
  EXPECT_NEAR(bvh.motion[7], 0.3 / rad, 1e-5);
  EXPECT_NEAR(bvh.motion[8], 0.2 / rad, 1e-5);
  EXPECT_EQ(parse_bvh(to_text(bvh), "text"), bvh);
}

TEST(BvhScale, IsGuessedFromTheSize) {
  const Bvh human = to_bvh(make_human(1.7f), {});
  for (const double unit : {1.0, 0.1, 0.01, 0.001, 0.0254, 0.3048, cmu_metres_per_unit}) {
    Bvh scaled = human;
    for (BvhJoint& joint : scaled.joints) {
      for (double& value : joint.offset) value /= unit;
      for (auto& end : joint.end_sites) {
        for (double& value : end) value /= unit;
      }
    }
    EXPECT_DOUBLE_EQ(guess_scale(scaled).metres_per_unit, unit);
  }
}

TEST(BvhSkeleton, KnowsTheNamesOfSeveralSchemes) {
  // The parent's name for each: only the body's parts that bend must be free, whatever the scheme.
  const auto free_of = [](const Skeleton& skeleton, const char* name) {
    int count = 0;
    for (const Rotation& r : skeleton.joints()[static_cast<std::size_t>(skeleton.find(name))].rotations) {
      count += r.lower_rad < r.upper_rad;
    }
    return count;
  };
  const auto limb = [](std::vector<std::string> names) {
    Bvh bvh;
    const std::vector<BvhChannel> rotations = {BvhChannel::z_rotation, BvhChannel::y_rotation,
                                               BvhChannel::x_rotation};
    bvh.joints.push_back({"root", -1, {}, rotations, {}});
    for (std::size_t i = 0; i < names.size(); ++i) {
      bvh.joints.push_back({names[i], static_cast<int>(i), {0.3, 0.01, 0}, rotations, {}});
    }
    bvh.joints.back().end_sites.push_back({0.1, 0, 0});
    return make_skeleton(bvh, {1.0, 0});
  };
  const Skeleton mixamo = limb({"mixamorig:LeftShoulder", "mixamorig:LeftArm", "mixamorig:LeftForeArm",
                                "mixamorig:LeftHand", "mixamorig:LeftHandIndex1"});
  EXPECT_EQ(free_of(mixamo, "mixamorig:LeftHandIndex1"), 0);
  EXPECT_EQ(free_of(mixamo, "mixamorig:LeftHand"), 3);
  EXPECT_LT(mixamo.joints()[1].rotations[0].upper_rad, 1.0f);  // a collar bone
  EXPECT_GT(mixamo.joints()[2].rotations[0].upper_rad, 2.0f);  // a shoulder
  const Skeleton kinect = limb({"ShoulderLeft", "ElbowLeft", "WristLeft", "HandLeft"});
  EXPECT_GT(kinect.joints()[1].rotations[0].upper_rad, 2.0f);
  EXPECT_EQ(free_of(kinect, "WristLeft"), 3);
  EXPECT_EQ(free_of(kinect, "HandLeft"), 0);
  const Skeleton blender = limb({"thigh.R", "shin.R", "foot.R", "toe.R"});
  EXPECT_EQ(free_of(blender, "toe.R"), 0);
  EXPECT_GT(blender.capsule_count(), 6);
}

class Cmu : public testing::TestWithParam<const char*> {};

TEST_P(Cmu, MotionLiesWithinTheLimits) {
  TRIPTYCH_DATA_DIR_OR_SKIP(data);
  const Bvh bvh = read_bvh(data / "mocap_cmu" / GetParam());
  const BvhScale scale = guess_scale(bvh);
  EXPECT_DOUBLE_EQ(scale.metres_per_unit, cmu_metres_per_unit);
  const Skeleton skeleton = make_skeleton(bvh, {0, 1});
  EXPECT_EQ(skeleton.joint_count(), 31);
  EXPECT_EQ(skeleton.pose_size(), 7 + 90);
  EXPECT_EQ(skeleton.free_angle_count(), 54);
  EXPECT_EQ(skeleton.capsule_count(), 41);
  const std::vector<float> poses = poses_of(bvh, skeleton, scale.metres_per_unit).values;
  const auto size = static_cast<std::size_t>(skeleton.pose_size());
  for (std::size_t begin = 0; begin < poses.size(); begin += size) {
    std::vector<float> pose(poses.begin() + static_cast<std::ptrdiff_t>(begin),
                            poses.begin() + static_cast<std::ptrdiff_t>(begin + size));
    std::vector<float> clamped = pose;
    skeleton.clamp(clamped);
    for (int joint = 1; joint < 31; ++joint) {
      for (std::size_t k = 0; k < 3; ++k) {
        const Rotation& rotation = skeleton.joints()[static_cast<std::size_t>(joint)].rotations[k];
        const auto angle = static_cast<std::size_t>(skeleton.first_angle(joint)) + k;
        if (rotation.lower_rad < rotation.upper_rad) {
          ASSERT_EQ(pose[angle], clamped[angle]) << skeleton.joints()[static_cast<std::size_t>(joint)].name;
        }
      }
    }
  }
}

TEST_P(Cmu, StandsAsTallAsAPersonWithFeetOnTheGround) {
  TRIPTYCH_DATA_DIR_OR_SKIP(data);
  const Bvh bvh = read_bvh(data / "mocap_cmu" / GetParam());
  const Skeleton skeleton = make_skeleton(bvh, {0, 1});
  const Motion poses = poses_of(bvh, skeleton, cmu_metres_per_unit);
  const int rows = bvh.frame_count();
  std::vector<Capsule> bodies(static_cast<std::size_t>(rows * skeleton.capsule_count()));
  const MatrixView<Capsule> view(bodies.data(), rows, skeleton.capsule_count());
  pose_cpu(skeleton, poses.view(), {}, view, 1);
  for (int row = 1; row < rows; ++row) {
    float low = 9, high = -9;
    for (const Capsule& c : view.row(row)) {
      low = std::min({low, c.a.y - c.radius_m, c.b.y - c.radius_m});
      high = std::max({high, c.a.y + c.radius_m, c.b.y + c.radius_m});
    }
    ASSERT_NEAR(low, 0, 0.08) << row;
    ASSERT_GT(high - low, 1.4) << row;
    ASSERT_LT(high - low, 1.9) << row;
  }
}

INSTANTIATE_TEST_SUITE_P(Walks, Cmu, testing::Values("02_01.bvh", "35_01.bvh"));

}  // namespace
}  // namespace triptych::capsule_likelihood
