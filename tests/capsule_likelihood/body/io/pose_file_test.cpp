#include <triptych/capsule_likelihood/bvh_skeleton.hpp>
#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/capsule_likelihood/pose_file.hpp>
#include <triptych/capsule_likelihood/synthetic_walk.hpp>
#include <triptych/core/error.hpp>

#include <gtest/gtest.h>

#include <cmath>

#include "testing/data_dir.hpp"
#include "testing/expect_error.hpp"
#include "testing/mutate.hpp"
#include "testing/temporary_directory.hpp"

namespace triptych::capsule_likelihood {
namespace {

constexpr const char* small =
    "frame,joint,x_m,y_m,z_m\r\n"
    "7,head,0.1,1.5,3\r\n"
    "7,left hand,-0.25,1,2.5\r\n"
    "\n"
    "3,head,0.125,1.5,3e0\n";

TEST(JointsCsv, IsReadAsItStands) {
  const JointTable table = parse_joints_csv(small, "small.csv");
  EXPECT_EQ(table.names, (std::vector<std::string>{"head", "left hand"}));
  EXPECT_EQ(table.frames, (std::vector<std::int64_t>{3, 7}));
  EXPECT_EQ(table.row(0)[0], (Vec3{0.125f, 1.5f, 3}));
  EXPECT_TRUE(std::isnan(table.row(0)[1].x));
  EXPECT_EQ(table.row(1)[1], (Vec3{-0.25f, 1, 2.5f}));
  EXPECT_EQ(table.find("left hand"), 1);
  EXPECT_EQ(table.find("foot"), -1);
  EXPECT_EQ(parse_joints_csv(to_csv(table), "again").row(1)[0], table.row(1)[0]);
}

TEST(JointsCsv, RefusesWhatIsMalformedWithItsLine) {
  EXPECT_ERROR(parse_joints_csv("", "f"), ParseError, "f:1:1: expected the header");
  const std::string header = "frame,joint,x_m,y_m,z_m\n";
  EXPECT_ERROR(parse_joints_csv(header + "1,a,2,3\n", "f"), ParseError, "f:2:1: expected five fields");
  EXPECT_ERROR(parse_joints_csv(header + "1,a,2,3,4,5\n", "f"), ParseError, "expected five fields");
  EXPECT_ERROR(parse_joints_csv(header + "1.5,a,2,3,4\n", "f"), ParseError, "whole number");
  EXPECT_ERROR(parse_joints_csv(header + "1,a,2,nan,4\n", "f"), ParseError, "\"nan\"");
  EXPECT_ERROR(parse_joints_csv(header + "1,,2,3,4\n", "f"), ParseError, "name of a joint");
  EXPECT_ERROR(parse_joints_csv(header + "1,a,2,3,4\n1,a,2,3,4\n", "f"), ParseError, "twice in frame 1");
}

TEST(JointsCsv, SurvivesMutations) {
  int accepted = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    try {
      parse_joints_csv(triptych::test::mutated(small, seed), "fuzz");
      ++accepted;
    } catch (const ParseError&) {
    }
  }
  EXPECT_GT(accepted, 100);
  EXPECT_LT(accepted, 1900);
}

TEST(PoseFiles, HoldTheJointsOfThePoses) {
  const triptych::test::TemporaryDirectory directory;
  const Skeleton human = make_human();
  WalkOptions options;
  options.frames = 12;
  const Motion walk = make_walk(human, options);
  write_poses_csv(directory.path() / "poses.csv", human, walk, 5);
  write_poses_bvh(directory.path() / "poses.bvh", human, walk);
  const JointTable table = read_joints_csv(directory.path() / "poses.csv");
  EXPECT_EQ(table.frames.front(), 5);
  ASSERT_EQ(table.joints.size(), 12u * 24u);
  const Bvh bvh = read_bvh(directory.path() / "poses.bvh");
  const Skeleton again = make_skeleton(bvh, {1, -1});
  const Motion read = poses_of(bvh, again, 1);
  EXPECT_EQ(read.size(), 12);
  EXPECT_NEAR(read.frame_time_s, 1.0 / 30, 1e-6);
  std::vector<Vec3> expected(12 * 24), from_bvh(12 * 24);
  pose_cpu(human, walk.view(), {expected.data(), 12, 24}, {});
  pose_cpu(again, read.view(), {from_bvh.data(), 12, 24}, {});
  EXPECT_EQ(table.joints, expected);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Vec3 &p = expected[i], &q = from_bvh[i];
    ASSERT_NEAR(std::hypot(p.x - q.x, p.y - q.y, p.z - q.z), 0, 1e-5);
  }
}

TEST(JointsCsv, ReadsTheSensorsJoints) {
  TRIPTYCH_DATA_DIR_OR_SKIP(data);
  const JointTable table = read_joints_csv(data / "depth_mhad" / "a23_s1_t1" / "joints.csv");
  EXPECT_EQ(table.names.size(), 20u);
  EXPECT_GT(table.frames.size(), 30u);
  for (const Vec3& p : table.joints) ASSERT_NEAR(p.z, 3, 1);
}

}  // namespace
}  // namespace triptych::capsule_likelihood
