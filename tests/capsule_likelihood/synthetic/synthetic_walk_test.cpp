#include <triptych/capsule_likelihood/bvh_skeleton.hpp>
#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/capsule_likelihood/render.hpp>
#include <triptych/capsule_likelihood/synthetic_walk.hpp>
#include <triptych/core/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "testing/data_dir.hpp"
#include "testing/expect_error.hpp"

namespace triptych::capsule_likelihood {
namespace {

std::vector<Vec3> joints_of(const Skeleton& skeleton, const Motion& motion) {
  std::vector<Vec3> joints(static_cast<std::size_t>(motion.size() * skeleton.joint_count()));
  pose_cpu(skeleton, motion.view(), {joints.data(), motion.size(), skeleton.joint_count()}, {});
  return joints;
}

TEST(Walk, KeepsItsLimitsAndMovesEveryLimbSmoothly) {
  const Skeleton human = make_human();
  const Motion poses = make_walk(human);
  ASSERT_EQ(poses.size(), 150);
  ASSERT_EQ(poses.pose_size, human.pose_size());
  EXPECT_EQ(poses.frame_time_s, 1.0 / 30);
  EXPECT_EQ(poses, make_walk(human));
  for (std::int64_t i = 0; i < poses.size(); ++i) {
    std::vector<float> pose(poses.pose(i).begin(), poses.pose(i).end());
    const std::vector<float> before = pose;
    human.clamp(pose);
    ASSERT_EQ(pose, before);
  }
  const std::vector<Vec3> joints = joints_of(human, poses);
  for (const char* name : {"left_hand", "right_hand", "left_foot", "right_foot", "head"}) {
    const auto joint = static_cast<std::size_t>(human.find(name));
    double fastest = 0, swing_low = 9, swing_high = -9;
    for (std::size_t frame = 0; frame < 150; ++frame) {
      const Vec3& p = joints[frame * 24 + joint];
      const Vec3& root = joints[frame * 24];
      const double apart = std::hypot(p.x - root.x, p.z - root.z);
      swing_low = std::min(swing_low, apart);
      swing_high = std::max(swing_high, apart);
      if (frame == 0) continue;
      const Vec3& q = joints[(frame - 1) * 24 + joint];
      fastest = std::max(fastest, static_cast<double>(std::hypot(p.x - q.x, p.y - q.y, p.z - q.z)));
    }
    EXPECT_LT(fastest, 0.15) << name;  // 4.5 m/s at 30 Hz
    EXPECT_GT(swing_high - swing_low, std::string(name) == "head" ? 0.0 : 0.1) << name;
  }
}

TEST(Walk, GoesItsWayWithFeetOnTheGround) {
  const Skeleton human = make_human(1.8f);
  WalkOptions options;
  options.frames = 61;
  options.rate_hz = 20;
  options.heading_rad = 0.3f;
  options.turn_rad_per_s = 0;
  const Motion poses = make_walk(human, options);
  const std::span<const float> last = poses.pose(60);
  EXPECT_NEAR(last[0], 3 * 0.8 * std::sin(0.3), 0.02);
  EXPECT_NEAR(last[2], -3 * 0.8 * std::cos(0.3), 0.02);
  // A leg is 0.53 of the height, less what the knees give.
  for (int row = 0; row < 61; ++row) EXPECT_NEAR(poses.pose(row)[1], 0.93, 0.05);
  // An arc of the same length ends elsewhere, at the distance of a chord.
  options.turn_rad_per_s = 0.5f;
  const Motion arc = make_walk(human, options);
  const std::span<const float> end = arc.pose(60);
  EXPECT_NEAR(std::hypot(end[0], end[2]), 2 * 0.8 / 0.5 * std::sin(0.75), 0.03);
}

TEST(Walk, RefusesWhatMakesNoSense) {
  const Skeleton human = make_human();
  WalkOptions options;
  options.frames = -1;
  EXPECT_ERROR(make_walk(human, options), InvalidArgument, "-1 frames");
  options.frames = 1;
  EXPECT_ERROR(make_walk(Skeleton({{"a", -1, {}, {}}}, {}), options), InvalidArgument, "built-in human");
  options.rate_hz = 0;
  EXPECT_ERROR(make_walk(human, options), InvalidArgument, "rate");
  options.rate_hz = 30;
  options.speed_mps = INFINITY;
  EXPECT_ERROR(make_walk(human, options), InvalidArgument, "is out of range");
}

TEST(PlaceInView, PutsTheWholeMotionBeforeTheCamera) {
  const Skeleton human = make_human();
  Motion poses = make_walk(human);
  const Motion original = poses;
  place_in_view(human, poses, {3, 2, 1.0f});
  const MatrixView<const float> rows = std::as_const(poses).view();
  float nearest = 9, left = 9, right = -9;
  for (int row = 0; row < 150; ++row) {
    nearest = std::min(nearest, rows(row, 2));
    left = std::min(left, rows(row, 0));
    right = std::max(right, rows(row, 0));
  }
  EXPECT_GE(nearest, 2 - 1e-5f);
  EXPECT_NEAR(left, -right, 1e-5);
  // A rigid move: distances between joints of any two frames stay.
  const std::vector<Vec3> before = joints_of(human, original), after = joints_of(human, poses);
  for (std::size_t i = 0; i + 500 < before.size(); i += 7) {
    const auto apart = [](const Vec3& p, const Vec3& q) {
      return std::hypot(p.x - q.x, p.y - q.y, p.z - q.z);
    };
    ASSERT_NEAR(apart(before[i], before[i + 500]), apart(after[i], after[i + 500]), 1e-5);
  }
  // And heights stay, up to one shift.
  ASSERT_NEAR(after[40].y - after[3].y, before[40].y - before[3].y, 1e-5);
}

TEST(PlaceInView, LetsEveryFrameOfAFileBeRendered) {
  TRIPTYCH_DATA_DIR_OR_SKIP(data);
  const Bvh bvh = read_bvh(data / "mocap_cmu" / "02_01.bvh");
  const Skeleton skeleton = make_skeleton(bvh, {0, 1});
  Motion poses = poses_of(bvh, skeleton, cmu_metres_per_unit);
  place_in_view(skeleton, poses, {3, 2, std::numbers::pi_v<float>});
  RenderOptions options;
  options.points = 500;
  for (std::int64_t row = 0; row < poses.size(); row += 20) {
    options.seed = static_cast<std::uint64_t>(row);
    EXPECT_EQ(render_points(skeleton.capsules(poses.pose(row)), options).size(), 500u);
  }
  // The person walks towards the camera.
  EXPECT_LT(poses.pose(poses.size() - 1)[2], poses.pose(1)[2] - 1);
}

}  // namespace
}  // namespace triptych::capsule_likelihood
