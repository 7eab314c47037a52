// The fit of a pose by Gauss-Newton: it returns to the truth, keeps the limits, and loses nothing.
#include <triptych/capsule_likelihood/render.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "capsule_likelihood/filter/filter_scene.hpp"
#include "filter/fit/surface_fit.hpp"

namespace triptych::capsule_likelihood {
namespace {

struct PosedBody {
  Skeleton body = make_human();
  std::vector<float> truth = body.rest_pose();

  PosedBody() {
    truth[2] = 2.5f;
    truth[3] = std::cos(0.2f);
    truth[5] = std::sin(0.2f);
    angle(truth, "left_upper_arm") = 0.5f;
    angle(truth, "left_forearm") = 0.6f;
    angle(truth, "right_thigh") = 0.4f;
  }

  float& angle(std::vector<float>& pose, const std::string& joint) const {
    return pose[static_cast<std::size_t>(body.first_angle(body.find(joint)))];
  }
  std::vector<Vec3> points(float noise_m, float outliers) const {
    RenderOptions options;
    options.points = 512;
    options.noise_m = noise_m;
    options.outliers = outliers;
    return render_points(body.capsules(truth), options);
  }
  double error_m(std::span<const float> pose) const {
    return test_scene::mean_error_m(body.joints(pose), body.joints(truth));
  }
  // 7 cm aside and behind, turned by 0.1 rad, two limbs bent by 0.2 rad more.
  std::vector<float> near_truth() const {
    std::vector<float> pose = truth;
    pose[0] += 0.05f;
    pose[2] += 0.05f;
    pose[3] = std::cos(0.25f);
    pose[5] = std::sin(0.25f);
    angle(pose, "left_upper_arm") += 0.2f;
    angle(pose, "right_thigh") -= 0.2f;
    return pose;
  }
};

TEST(SurfaceFit, ReturnsToThePoseThatThePointsShow) {
  const PosedBody scene;
  const std::vector<Vec3> points = scene.points(0, 0);
  const std::vector<float> pose = SurfaceFit(scene.body, points, {}, {}).fit(scene.near_truth());
  EXPECT_GT(scene.error_m(scene.near_truth()), 0.07);
  // Hidden joints, and the cost of bending, leave a little of it.
  EXPECT_LT(scene.error_m(pose), 0.02);
}

TEST(SurfaceFit, IsHardlyMovedByNoiseAndOutliers) {
  const PosedBody scene;
  const std::vector<Vec3> points = scene.points(0.01f, 0.2f);
  EXPECT_LT(scene.error_m(SurfaceFit(scene.body, points, {}, {}).fit(scene.near_truth())), 0.03);
}

// Gauss-Newton with right derivatives converges in a few steps where the points have no noise.
TEST(SurfaceFit, RefinesAPoseThatIsSomeCentimetresOff) {
  const PosedBody scene;
  const std::vector<Vec3> points = scene.points(0, 0);
  const SurfaceFit fit(scene.body, points, {}, {});
  std::vector<float> start = scene.truth;
  start[0] += 0.03f;
  start[2] -= 0.02f;
  scene.angle(start, "left_forearm") += 0.15f;
  scene.angle(start, "right_thigh") -= 0.1f;
  EXPECT_GT(scene.error_m(start), 0.035);
  EXPECT_LT(scene.error_m(fit.refine(start, 4)), 0.01);
  EXPECT_LT(scene.error_m(fit.refine(start, 12)), 0.006);
  EXPECT_EQ(fit.refine(start, 0), start);
}

TEST(SurfaceFit, RefinesNoAngleThatNoPointShows) {
  const PosedBody scene;
  std::vector<Vec3> points = scene.points(0, 0);
  const float hips =
      scene.body.joints(scene.truth)[static_cast<std::size_t>(scene.body.find("right_thigh"))].y;
  std::erase_if(points, [&](const Vec3& p) { return p.y < hips - 0.05f; });  // above the legs
  std::vector<float> start = scene.near_truth();
  scene.angle(start, "right_shin") = -0.3f;
  std::vector<float> refined = SurfaceFit(scene.body, points, {}, {}).refine(start, 4);
  EXPECT_NEAR(scene.angle(refined, "right_shin"), -0.3f, 1e-6);
  EXPECT_NE(scene.angle(refined, "left_upper_arm"), scene.angle(start, "left_upper_arm"));
}

// The camera may be anywhere: what counts is where body and points are to it.
TEST(SurfaceFit, FollowsAMovedCamera) {
  const PosedBody scene;
  std::vector<Vec3> points = scene.points(0.01f, 0);
  const std::vector<float> expected = SurfaceFit(scene.body, points, {}, {}).fit(scene.near_truth());
  SensorModel sensor;
  sensor.camera = {0.5f, -0.25f, 1};  // exact in the sums of floats but for their last bit
  for (Vec3& p : points) p = {p.x + 0.5f, p.y - 0.25f, p.z + 1};
  std::vector<float> start = scene.near_truth();
  start[0] += 0.5f;
  start[1] -= 0.25f;
  start[2] += 1;
  std::vector<float> moved = SurfaceFit(scene.body, points, {}, sensor).fit(start);
  moved[0] -= 0.5f;
  moved[1] += 0.25f;
  moved[2] -= 1;
  EXPECT_LT(test_scene::mean_error_m(scene.body.joints(moved), scene.body.joints(expected)), 1e-3);
}

TEST(SurfaceFit, KeepsTheLimits) {
  const PosedBody scene;
  const std::vector<Vec3> points = scene.points(0.01f, 0.1f);
  const SurfaceFit fit(scene.body, points, {}, {});
  std::vector<float> start = scene.near_truth();
  start[2] += 0.3f;
  std::vector<float> pose = fit.fit(start), clamped = pose;
  scene.body.clamp(clamped);
  EXPECT_EQ(pose, clamped);
  EXPECT_TRUE(std::all_of(pose.begin(), pose.end(), [](float v) { return std::isfinite(v); }));
}

// The filter has no limits where they leave a whole turn: an angle may be any number of turns away.
TEST(SurfaceFit, LeavesAnAngleThatTurnsFreelyWhereItIs) {
  PosedBody scene;
  const std::vector<Vec3> points = scene.points(0, 0);
  std::vector<Joint> joints(scene.body.joints().begin(), scene.body.joints().end());
  const auto arm = static_cast<std::size_t>(scene.body.find("left_upper_arm"));
  for (Rotation& rotation : joints[arm].rotations) rotation = {rotation.axis};
  const Skeleton body(joints, {scene.body.body_capsules().begin(), scene.body.body_capsules().end()});
  const SurfaceFit fit(body, points, {}, {});
  std::vector<float> start = scene.truth;
  start[0] += 0.03f;
  scene.angle(start, "left_upper_arm") += 0.1f + 6.2831853f;
  std::vector<float> pose = fit.refine(start, 8);
  EXPECT_NEAR(scene.angle(pose, "left_upper_arm"), scene.angle(start, "left_upper_arm"), 0.2f);
  EXPECT_LT(scene.error_m(pose), 0.5 * scene.error_m(start));
}

TEST(SurfaceFit, APointWithALargeSigmaCountsLittle) {
  const PosedBody scene;
  std::vector<Vec3> points = scene.points(0, 0);
  // Half of the points are 5 cm too near, and known to be bad.
  std::vector<float> sigmas(points.size(), 0.03f);
  for (std::size_t i = 0; i < points.size(); i += 2) {
    points[i].z -= 0.05f;
    sigmas[i] = 3;
  }
  const double known = scene.error_m(SurfaceFit(scene.body, points, sigmas, {}).fit(scene.truth)),
               unknown = scene.error_m(SurfaceFit(scene.body, points, {}, {}).fit(scene.truth));
  EXPECT_LT(known, 0.02);
  EXPECT_GT(unknown, 1.2 * known);
}

TEST(SurfaceFit, WithoutUsablePointsThePoseStays) {
  const PosedBody scene;
  const std::vector<Vec3> behind(40, Vec3{0, 0, -1});
  EXPECT_EQ(SurfaceFit(scene.body, {}, {}, {}).fit(scene.truth), scene.truth);
  EXPECT_EQ(SurfaceFit(scene.body, behind, {}, {}).fit(scene.truth), scene.truth);
  // Far from all points the cost of bending is left, which moves no root.
  std::vector<float> far = scene.truth;
  far[0] += 50;
  const std::vector<Vec3> points = scene.points(0, 0);
  const std::vector<float> fitted = SurfaceFit(scene.body, points, {}, {}).fit(far);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(fitted[i], far[i], 1e-5) << i;
}

}  // namespace
}  // namespace triptych::capsule_likelihood
