// Smoothing: still heads become stiller, moving heads are followed, and rotations stay rotations.
#include <triptych/aam_fit/head_pose.hpp>
#include <triptych/core/philox.hpp>

#include <gtest/gtest.h>

#include <cmath>

#include "pose/pose_angles.hpp"
#include "testing/random.hpp"

namespace triptych::aam_fit {
namespace {

constexpr double tick_s = 1.0 / 30;

HeadPose turned(double yaw, double x_m) {
  HeadPose pose;
  set_rotation(pose, Eigen::Quaterniond(Eigen::AngleAxisd(-yaw, Eigen::Vector3d::UnitY())));
  pose.x_m = x_m;
  pose.z_m = 0.6;
  return pose;
}

TEST(PoseSmoother, TheFirstPoseAndAStillOneStayAsTheyAre) {
  PoseSmoother smoother;
  const HeadPose pose = turned(0.3, 0.1);
  for (int k = 0; k < 5; ++k) {
    const HeadPose smoothed = smoother.smooth(pose, tick_s);
    EXPECT_NEAR(smoothed.yaw, 0.3, 1e-12);
    EXPECT_NEAR(smoothed.x_m, 0.1, 1e-12);
    EXPECT_EQ(smoothed.covariance, pose.covariance);
  }
}

TEST(PoseSmoother, AStillHeadIsSteadier) {
  constexpr std::uint64_t seed = 4;
  TRIPTYCH_TRACE_SEED(seed);
  PhiloxStream random(seed, 0);
  PoseSmoother smoother;
  double raw_yaw = 0, yaw = 0, raw_x = 0, x = 0;
  for (int k = 0; k < 1000; ++k) {
    const auto [a, b] = random.next_normal_pair();
    const double noise_yaw = 0.002 * static_cast<double>(a), noise_x = 0.0005 * static_cast<double>(b);
    const HeadPose smoothed = smoother.smooth(turned(0.2 + noise_yaw, noise_x), tick_s);
    if (k < 50) continue;
    raw_yaw += noise_yaw * noise_yaw;
    raw_x += noise_x * noise_x;
    yaw += std::pow(smoothed.yaw - 0.2, 2);
    x += smoothed.x_m * smoothed.x_m;
  }
  // A low-pass filter at 1 Hz that is not sped up keeps 0.09 of the variance; noise speeds it up somewhat.
  EXPECT_LT(yaw, 0.2 * raw_yaw);
  EXPECT_LT(x, 0.2 * raw_x);
}

TEST(PoseSmoother, AMovingHeadIsFollowed) {
  PoseSmoother smoother;
  double behind_yaw = 0, behind_x = 0;
  for (int k = 0; k < 60; ++k) {
    const double yaw = 1.0 * k * tick_s, x = 0.3 * k * tick_s;  // a quick turn, a quick step
    const HeadPose smoothed = smoother.smooth(turned(yaw, x), tick_s);
    behind_yaw = yaw - smoothed.yaw;
    behind_x = x - smoothed.x_m;
  }
  // A lag of less than a frame and a half.
  EXPECT_LT(behind_yaw, 1.5 * 1.0 * tick_s);
  EXPECT_LT(behind_x, 1.5 * 0.3 * tick_s);
}

TEST(PoseSmoother, TheSignOfAQuaternionDoesNotMatter) {
  PoseSmoother a, b;
  for (int k = 0; k < 40; ++k) {
    const HeadPose pose = turned(0.1 * k, 0);  // past half a turn, where the sign flips
    HeadPose other = pose;
    if (k % 2 == 1) {
      for (double& q : other.quaternion) q = -q;
    }
    const HeadPose first = a.smooth(pose, tick_s), second = b.smooth(other, tick_s);
    EXPECT_NEAR(std::remainder(first.yaw - second.yaw, 6.283185307179586), 0, 1e-9) << k;
    EXPECT_LT(std::abs(std::remainder(first.yaw - 0.1 * k, 6.283185307179586)), 0.15) << k;
  }
}

TEST(PoseSmoother, StartsAnewAfterResetAndIsUnchangedByARefusal) {
  PoseSmoother smoother, other;
  smoother.smooth(turned(0, 0), tick_s);
  other.smooth(turned(0, 0), tick_s);
  EXPECT_THROW(smoother.smooth(turned(0.5, 0.2), -1), InvalidArgument);
  EXPECT_EQ(smoother.smooth(turned(0.1, 0.1), tick_s).x_m, other.smooth(turned(0.1, 0.1), tick_s).x_m);
  smoother.reset();
  EXPECT_NEAR(smoother.smooth(turned(0.5, 0.3), 0).x_m, 0.3, 1e-12);
}

}  // namespace
}  // namespace triptych::aam_fit
