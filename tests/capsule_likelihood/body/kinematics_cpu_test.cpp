#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/capsule_likelihood/motion.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "body/kinematics_paths.hpp"
#include "capsule_likelihood/body/poses.hpp"
#include "testing/expect_error.hpp"
#include "testing/guarded.hpp"

namespace triptych::capsule_likelihood {
namespace {

constexpr float eps = 0x1p-24f;

// At most `levels` joints from the root outwards, each of which adds at most 12 roundings to a rotation
// (three rotations of two multiply-adds whose cosine is off by two ulp, the product's three), swings what
// hangs on it by that, and adds three roundings of a position of at most `reach`.
double tolerance(int levels, double reach) { return levels * (12 + 3) * reach * eps; }

double distance(const Vec3& found, const test::Double3& expected) {
  return std::hypot(found.x - expected.x, found.y - expected.y, found.z - expected.z);
}

void compare_with_double(const Skeleton& skeleton, std::int64_t rows, std::uint64_t seed, double allowed) {
  TRIPTYCH_TRACE_SEED(seed);
  const std::vector<float> poses = test::random_poses(skeleton, rows, 6.0f, seed);
  triptych::test::GuardedHost<Vec3> joints(rows * skeleton.joint_count());
  triptych::test::GuardedHost<Capsule> bodies(rows * skeleton.capsule_count());
  const MatrixView<Vec3> positions(joints.span().data(), rows, skeleton.joint_count());
  const MatrixView<Capsule> capsules(bodies.span().data(), rows, skeleton.capsule_count());
  pose_cpu(skeleton, {poses.data(), rows, skeleton.pose_size()}, positions, capsules, 2);
  EXPECT_TRUE(joints.intact());
  EXPECT_TRUE(bodies.intact());
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto frames = test::double_frames(skeleton, poses.data() + row * skeleton.pose_size());
    for (int i = 0; i < skeleton.joint_count(); ++i) {
      ASSERT_LE(distance(positions(row, i), frames[static_cast<std::size_t>(i)].position), allowed)
          << row << " " << i;
    }
    for (int i = 0; i < skeleton.capsule_count(); ++i) {
      const BodyCapsule& body_capsule = skeleton.body_capsules()[static_cast<std::size_t>(i)];
      const auto& frame = frames[static_cast<std::size_t>(body_capsule.joint)];
      ASSERT_LE(distance(capsules(row, i).a, frame.to_world(body_capsule.capsule.a)), allowed)
          << row << " " << i;
      ASSERT_LE(distance(capsules(row, i).b, frame.to_world(body_capsule.capsule.b)), allowed)
          << row << " " << i;
      ASSERT_EQ(capsules(row, i).radius_m, body_capsule.capsule.radius_m);
    }
  }
}

TEST(PoseCpu, AgreesWithDoublePrecisionForAHuman) {
  for (const std::int64_t rows : {1, 31, 32, 33, 64, 65, 500}) {
    compare_with_double(make_human(), rows, 10 + static_cast<std::uint64_t>(rows), tolerance(9, 6.0));
  }
}

TEST(PoseCpu, AgreesWithDoublePrecisionForAnyTree) {
  for (const int joints : {1, 2, 31, 33, 100}) {
    // Bones of at most 0.87 m; a chain of random parents is short against the number of joints.
    compare_with_double(test::random_skeleton(joints, joints / 2, 3 + static_cast<std::uint64_t>(joints)), 40,
                        4, tolerance(25, 5.2 + 0.87 * 25));
  }
}

TEST(PoseCpu, RotatesAboutTheNamedAxes) {
  // One bone along each axis in turn; a quarter turn about z takes x to y, about x y to z, about y z to x.
  const auto tip = [](Axis axis, Vec3 bone) {
    const Skeleton skeleton({{"root", -1, {}, {}}, {"bend", 0, {}, {{axis}}}, {"tip", 1, bone, {}}}, {});
    std::vector<float> pose = skeleton.rest_pose();
    pose.back() = std::numbers::pi_v<float> / 2;
    Vec3 joints[3];
    pose_cpu(skeleton, {pose.data(), 1, 8}, {joints, 1, 3}, {}, 1);
    return joints[2];
  };
  const auto near = [](Vec3 a, Vec3 b) { return std::hypot(a.x - b.x, a.y - b.y, a.z - b.z) < 1e-6f; };
  EXPECT_TRUE(near(tip(Axis::z, {1, 0, 0}), {0, 1, 0}));
  EXPECT_TRUE(near(tip(Axis::x, {0, 1, 0}), {0, 0, 1}));
  EXPECT_TRUE(near(tip(Axis::y, {0, 0, 1}), {1, 0, 0}));
}

TEST(PoseCpu, KeepsBonesAtTheirLength) {
  const Skeleton human = make_human();
  const std::vector<float> poses = test::random_poses(human, 200, 3.0f, 5);
  std::vector<Vec3> joints(200 * 24);
  const MatrixView<Vec3> positions(joints.data(), 200, 24);
  pose_cpu(human, {poses.data(), 200, human.pose_size()}, positions, {}, 1);
  for (std::int64_t row = 0; row < 200; ++row) {
    for (int i = 1; i < 24; ++i) {
      const Joint& joint = human.joints()[static_cast<std::size_t>(i)];
      const Vec3 p = positions(row, i), q = positions(row, joint.parent);
      EXPECT_NEAR(std::hypot(p.x - q.x, p.y - q.y, p.z - q.z),
                  std::hypot(joint.offset_m.x, joint.offset_m.y, joint.offset_m.z), 5e-6f);
    }
  }
}

TEST(PoseCpu, GivesTheSameBitsForAnyThreadsAndStrides) {
  const Skeleton human = make_human();
  const int rows = 300, stride = human.pose_size() + 5;
  std::vector<float> wide(static_cast<std::size_t>(rows * stride), NAN);
  const std::vector<float> poses = test::random_poses(human, rows, 3.0f, 8);
  for (int row = 0; row < rows; ++row) {
    std::copy_n(poses.begin() + row * human.pose_size(), human.pose_size(), wide.begin() + row * stride);
  }
  std::vector<Capsule> one(rows * 40), many(rows * 43);
  pose_cpu(human, {poses.data(), rows, human.pose_size()}, {}, {one.data(), rows, 40}, 1);
  const MatrixView<Capsule> strided(many.data(), rows, 40, 43);
  pose_cpu(human, {wide.data(), rows, human.pose_size(), stride}, {}, strided, 3);
  for (int row = 0; row < rows; ++row) {
    for (int i = 0; i < 40; ++i) ASSERT_EQ(strided(row, i), one[static_cast<std::size_t>(row * 40 + i)]);
  }
}

TEST(PoseCpu, GivesTheSameBitsWithAndWithoutFusedHardware) {
  const Skeleton skeleton = test::random_skeleton(60, 70, 21);
  const std::vector<float> poses = test::random_poses(skeleton, 100, 9.0f, 22);
  const MatrixView<const float> rows(poses.data(), 100, skeleton.pose_size());
  std::vector<Capsule> plain(100 * 70), best(100 * 70);
  detail::pose_cpu_by(detail::PosePath::plain, skeleton, rows, {}, {plain.data(), 100, 70}, 1);
  detail::pose_cpu_by(detail::PosePath::best, skeleton, rows, {}, {best.data(), 100, 70}, 1);
  EXPECT_EQ(plain, best);
}

TEST(PoseCpu, IsWhatASkeletonSaysOfOnePose) {
  const Skeleton skeleton = test::random_skeleton(30, 40, 23);
  const std::vector<float> pose = test::random_poses(skeleton, 1, 3.0f, 24);
  std::vector<Vec3> joints(30);
  std::vector<Capsule> capsules(40);
  pose_cpu(skeleton, {pose.data(), 1, skeleton.pose_size()}, {joints.data(), 1, 30},
           {capsules.data(), 1, 40});
  EXPECT_EQ(skeleton.joints(pose), joints);
  EXPECT_EQ(skeleton.capsules(pose), capsules);
  EXPECT_ERROR(skeleton.joints(std::span(pose).first(9)), InvalidArgument, "poses of 9 numbers");
}

TEST(Motion, HoldsPosesInOrder) {
  Motion motion{.pose_size = 3};
  EXPECT_TRUE(motion.empty());
  motion.push_back(std::vector<float>{1, 2, 3});
  motion.push_back(std::vector<float>{4, 5, 6});
  EXPECT_ERROR(motion.push_back(std::vector<float>{7, 8}), InvalidArgument, "one of 2");
  ASSERT_EQ(motion.size(), 2);
  EXPECT_EQ(motion.pose(1)[0], 4);
  motion.pose(0)[2] = 9;
  EXPECT_EQ(motion.view()(0, 2), 9);
  EXPECT_EQ(motion.view().rows(), 2);
  EXPECT_EQ(Motion{}.size(), 0);
}

TEST(PoseCpu, RefusesSizesThatDoNotFit) {
  const Skeleton human = make_human();
  std::vector<float> poses(500);
  std::vector<Vec3> joints(100);
  std::vector<Capsule> bodies(100);
  const auto pose_size = human.pose_size();
  EXPECT_ERROR(pose_cpu(human, {poses.data(), 2, pose_size + 1}, {}, {}), InvalidArgument,
               "poses of 46 numbers");
  EXPECT_ERROR(pose_cpu(human, {poses.data(), 2, pose_size}, {joints.data(), 1, 24}, {}), InvalidArgument,
               "1 x 24 joints");
  EXPECT_ERROR(pose_cpu(human, {poses.data(), 2, pose_size}, {}, {bodies.data(), 2, 39}), InvalidArgument,
               "2 x 39 capsules");
  pose_cpu(human, {}, {}, {});
}

}  // namespace
}  // namespace triptych::capsule_likelihood
