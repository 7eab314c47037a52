#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/perspective.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "testing/expect_error.hpp"

namespace triptych::skin_tracker {
namespace {

constexpr double rounding = 1e-12;  // a dozen operations on numbers near 1

TEST(OffAxisFrustum, IsSymmetricForAnEyeInTheMiddle) {
  // A screen of 0.4 x 0.3 m from 0.5 m, near plane at 0.1 m: a fifth of the screen's half sizes.
  const Frustum f = off_axis_frustum({0, 0, 0.5}, 0.4, 0.3, 0.1, 10);
  EXPECT_NEAR(f.left, -0.04, rounding);
  EXPECT_NEAR(f.right, 0.04, rounding);
  EXPECT_NEAR(f.bottom, -0.03, rounding);
  EXPECT_NEAR(f.top, 0.03, rounding);
  EXPECT_EQ(f.near, 0.1);
  EXPECT_EQ(f.far, 10);
}

TEST(OffAxisFrustum, LeansAgainstTheEye) {
  // From 0.1 m to the right and 0.05 m up at 1 m, the screen's left edge is 0.3 m to the left.
  const Frustum f = off_axis_frustum({0.1, 0.05, 1.0}, 0.4, 0.2, 0.5, 100);
  EXPECT_NEAR(f.left, -0.15, rounding);
  EXPECT_NEAR(f.right, 0.05, rounding);
  EXPECT_NEAR(f.bottom, -0.075, rounding);
  EXPECT_NEAR(f.top, 0.025, rounding);
}

TEST(OffAxisFrustum, MayLookPastTheScreensEdge) {
  const Frustum f = off_axis_frustum({1.0, 0, 1.0}, 0.4, 0.2, 1.0, 2.0);
  EXPECT_NEAR(f.left, -1.2, rounding);
  EXPECT_NEAR(f.right, -0.8, rounding);  // the whole screen is to the left of the eye
}

TEST(OffAxisFrustum, RejectsWhatCannotBe) {
  EXPECT_ERROR(off_axis_frustum({0, 0, 0}, 1, 1, 0.1, 1), InvalidArgument, "in front of the screen");
  EXPECT_ERROR(off_axis_frustum({0, 0, -1}, 1, 1, 0.1, 1), InvalidArgument, "in front of the screen");
  EXPECT_ERROR(off_axis_frustum({std::nan(""), 0, 1}, 1, 1, 0.1, 1), InvalidArgument, "in front");
  EXPECT_ERROR(off_axis_frustum({0, 0, 1}, 0, 1, 0.1, 1), InvalidArgument, "screen cannot be 0 x 1");
  EXPECT_ERROR(off_axis_frustum({0, 0, 1}, 1, -1, 0.1, 1), InvalidArgument, "screen cannot be");
  EXPECT_ERROR(off_axis_frustum({0, 0, 1}, 1, 1, 0, 1), InvalidArgument, "0 < near < far");
  EXPECT_ERROR(off_axis_frustum({0, 0, 1}, 1, 1, 1, 1), InvalidArgument, "0 < near < far");
}

std::array<double, 3> clip_of(const std::array<double, 16>& m, double x, double y, double z) {
  std::array<double, 4> c{};
  for (std::size_t row = 0; row < 4; ++row)
    c[row] = m[row] * x + m[4 + row] * y + m[8 + row] * z + m[12 + row];
  return {c[0] / c[3], c[1] / c[3], c[2] / c[3]};
}

TEST(ProjectionMatrix, MapsTheScreensCornersToTheClipCorners) {
  const double width = 0.52, height = 0.32;
  for (const Eye eye : {Eye{0, 0, 0.6}, Eye{0.2, -0.1, 0.45}, Eye{-0.5, 0.3, 1.7}}) {
    const auto m = projection_matrix(off_axis_frustum(eye, width, height, 0.05, 50));
    for (const double sx : {-1.0, 1.0}) {
      for (const double sy : {-1.0, 1.0}) {
        // The corner as the eye sees it: eye space has its origin in the eye.
        const auto c = clip_of(m, sx * width / 2 - eye.x_m, sy * height / 2 - eye.y_m, -eye.z_m);
        EXPECT_NEAR(c[0], sx, rounding);
        EXPECT_NEAR(c[1], sy, rounding);
      }
    }
  }
}

TEST(ProjectionMatrix, MapsNearAndFarToTheEndsOfTheDepthRange) {
  const auto m = projection_matrix(off_axis_frustum({0.1, 0.1, 0.6}, 0.5, 0.3, 0.2, 30));
  EXPECT_NEAR(clip_of(m, 0.3, -0.2, -0.2)[2], -1, rounding);
  EXPECT_NEAR(clip_of(m, 0.3, -0.2, -30)[2], 1, rounding);
}

TEST(ProjectionMatrix, KeepsWhatLiesInTheScreenStill) {
  // A point of the screen's plane is drawn at one place, from wherever it is seen.
  const double x = 0.07, y = -0.03;
  for (const Eye eye : {Eye{0, 0, 0.6}, Eye{0.3, 0.2, 0.4}}) {
    const auto m = projection_matrix(off_axis_frustum(eye, 0.5, 0.3, 0.01, 10));
    const auto c = clip_of(m, x - eye.x_m, y - eye.y_m, -eye.z_m);
    EXPECT_NEAR(c[0], x / 0.25, rounding);
    EXPECT_NEAR(c[1], y / 0.15, rounding);
  }
  EXPECT_ERROR(projection_matrix({1, 1, 0, 1, 1, 2}), InvalidArgument, "left < right");
}

TEST(EyeOf, PutsAHeadInTheMiddleBeforeTheCamera) {
  const Eye eye = eye_of(319.5, 239.5, 0.6, {640, 480, 1.0, 0.15, false});
  EXPECT_NEAR(eye.x_m, 0, rounding);
  EXPECT_NEAR(eye.y_m, 0.15, rounding);
  EXPECT_NEAR(eye.z_m, 0.6, rounding);
}

TEST(EyeOf, TurnsPixelsIntoMetres) {
  // 90 degrees over 201 pixels: the focal length is 100.5 px, so 50.25 px are half the distance.
  const Camera camera{201, 101, std::numbers::pi / 2, 0.0, false};
  const Eye eye = eye_of(100 + 50.25, 50 - 20.1, 2.0, camera);
  EXPECT_NEAR(eye.x_m, -1.0, rounding);  // the frame's right is the viewer's left
  EXPECT_NEAR(eye.y_m, 0.4, rounding);
  Camera mirror = camera;
  mirror.mirrored = true;
  EXPECT_NEAR(eye_of(100 + 50.25, 50 - 20.1, 2.0, mirror).x_m, 1.0, rounding);
}

TEST(Perspective, RejectsWhatIsNotFinite) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const Camera camera{640, 480};
  for (const double bad : {inf, -inf, nan}) {
    EXPECT_ERROR(eye_of(bad, 0, 1, camera), InvalidArgument, "position");
    EXPECT_ERROR(eye_of(0, bad, 1, camera), InvalidArgument, "position");
    EXPECT_ERROR(eye_of(0, 0, bad, camera), InvalidArgument, "distance");
    EXPECT_ERROR(eye_of(0, 0, 1, {640, 480, bad}), InvalidArgument, "angle of view");
    EXPECT_ERROR(eye_of(0, 0, 1, {640, 480, 1.0, bad}), InvalidArgument, "camera");
    EXPECT_ERROR(projection_matrix({-1, 1, -1, 1, 1, bad}), InvalidArgument, "frustum");
    EXPECT_ERROR(projection_matrix({bad, 1, -1, 1, 1, 2}), InvalidArgument, "frustum");
    EXPECT_ERROR(projection_matrix({-1, 1, -1, bad, 1, 2}), InvalidArgument, "frustum");
  }
  EXPECT_ERROR(eye_of(1e308, 0, 1e308, camera), InvalidArgument, "eye");
  EXPECT_ERROR(projection_matrix({0, 1e-320, 0, 1, 1, 2}), InvalidArgument, "frustum");
  EXPECT_ERROR(projection_matrix({-1, 1, -1, 1, 1e200, 1e201}), InvalidArgument, "frustum");
  EXPECT_ERROR(off_axis_frustum({0, 0, 1e-310}, 0.5, 0.3, 0.1, 10), InvalidArgument, "frustum");
  EXPECT_ERROR(off_axis_frustum({1e308, 0, 0.5}, 0.5, 0.3, 1e3, 1e4), InvalidArgument, "frustum");
}

TEST(EyeOf, RejectsACameraThatCannotBe) {
  EXPECT_ERROR(eye_of(0, 0, 1, {0, 480, 1.0, 0, false}), InvalidArgument, "0 x 480");
  EXPECT_ERROR(eye_of(0, 0, 1, {640, 480, 0, 0, false}), InvalidArgument, "angle of view");
  EXPECT_ERROR(eye_of(0, 0, 1, {640, 480, 3.2, 0, false}), InvalidArgument, "angle of view");
}

}  // namespace
}  // namespace triptych::skin_tracker
