// The poses of procedural faces, whose angles are known.
#include <triptych/aam_fit/head_pose.hpp>
#include <triptych/aam_fit/synthetic_face.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "synthetic/face_geometry.hpp"

namespace triptych::aam_fit {
namespace {

constexpr double degree = std::numbers::pi / 180;
// Procedural faces are drawn without perspective: as by a camera that is far away.
const PinholeCamera far_camera{1e5, 128, 128};

// The procedural face at rest, in metres when half its jaw is 69 mm wide.
std::vector<Point3> drawn_face() {
  std::vector<Point3> all;
  for (const Point p : face::landmarks())
    all.push_back({0.069 * p.x, 0.069 * p.y, -0.069 * face::relief(p.x, p.y)});
  return all;
}

TEST(SyntheticPose, TheAnglesOfAFaceAreThoseItWasDrawnWith) {
  const std::vector<Point3> reference = drawn_face();
  for (const double yaw : {-20.0, -8.0, 0.0, 12.0}) {
    for (const double pitch : {-12.0, 0.0, 9.0}) {
      for (const double roll : {-25.0, 0.0, 10.0}) {
        FaceParameters face;
        face.expression[1] = 0.25;  // the mouth as it is at rest
        face.yaw = yaw * degree;
        face.pitch = pitch * degree;
        face.roll = roll * degree;
        const Shape shape = render_face(face, 16, 16).landmarks;
        const HeadPose pose = estimate_head_pose(shape, reference, far_camera);
        // The mesh interpolates the heights of landmarks: by less than 0.005 of half the jaw, some 0.3
        // degrees at the nose.
        EXPECT_NEAR(pose.yaw / degree, yaw, 0.3) << pitch << ", " << roll;
        EXPECT_NEAR(pose.pitch / degree, pitch, 0.3) << yaw << ", " << roll;
        EXPECT_NEAR(pose.roll / degree, roll, 0.3) << yaw << ", " << pitch;
        EXPECT_LT(pose.error, 0.002);
      }
    }
  }
}

// People that differ from the mean face in every way that procedural faces do. The bounds are some 1.5 times
// what docs/performance.md states.
TEST(SyntheticPose, TheMeanFaceServesOtherPeople) {
  double yaw = 0, pitch = 0, roll = 0;
  int within = 0;
  constexpr int faces = 300;
  for (int number = 0; number < faces; ++number) {
    const FaceParameters face = random_face(7, number);
    const HeadPose pose = estimate_head_pose(render_face(face, 16, 16).landmarks, far_camera);
    EXPECT_TRUE(pose.converged) << number;
    yaw += std::pow(pose.yaw - face.yaw, 2) / faces;
    pitch += std::pow(pose.pitch - face.pitch, 2) / faces;
    roll += std::pow(pose.roll - face.roll, 2) / faces;
    within += std::abs(pose.yaw - face.yaw) < 2 * pose.deviation(0) ? 1 : 0;
  }
  std::printf("rms of yaw %.2f, pitch %.2f, roll %.2f degrees\n", std::sqrt(yaw) / degree,
              std::sqrt(pitch) / degree, std::sqrt(roll) / degree);
  EXPECT_LT(std::sqrt(yaw), 0.9 * degree);
  EXPECT_LT(std::sqrt(pitch), 4.5 * degree);
  EXPECT_LT(std::sqrt(roll), 0.4 * degree);
  EXPECT_GT(within, 0.95 * faces);
}

}  // namespace
}  // namespace triptych::aam_fit
