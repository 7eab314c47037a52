// A limb that an estimate has in empty space: it is put where its points are, or where the body hides it.
#include <triptych/capsule_likelihood/particle_filter.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include "capsule_likelihood/filter/pose/limb_scene.hpp"
#include "filter/estimate_fit.hpp"
#include "filter/evidence/confidence.hpp"
#include "filter/evidence/host_cloud.hpp"
#include "filter/search/limb_recovery.hpp"

namespace triptych::capsule_likelihood {
namespace {

using test_scene::LimbScene;

constexpr int steps = 4;

LimbRecovery::Result recovered(const LimbScene& scene, const CloudView& cloud, std::span<const float> pose,
                               int threads = 1, std::uint64_t frame = 0) {
  return LimbRecovery(scene.body, {}).recover(cloud, steps, pose, frame, threads);
}

double seen(const LimbScene& scene, std::span<const float> pose, std::span<const Vec3> points) {
  return count_seen(scene.body.capsules(pose), body_scale(scene.body), EvidenceSample::of(points).view(), {})
      .evidence()
      .body_seen;
}

// Turned about the vertical, so that the camera sees its right side and the left arm is behind the body.
std::vector<float> seen_from_the_side(std::vector<float> pose) {
  const float half = std::numbers::pi_v<float> / 4;
  pose[3] = std::cos(half);
  pose[5] = std::sin(half);
  return pose;
}

// With points far beside the body: the image does not end there.
std::vector<Vec3> points_in_wide_image(const LimbScene& scene, std::span<const float> pose) {
  std::vector<Vec3> points = scene.points_of(pose);
  for (const float x : {-3.0f, 3.0f})
    for (const float y : {-3.0f, 3.0f}) points.push_back({x, y, 5});
  return points;
}

TEST(LimbRecovery, PutsALimbWhereItsPointsAre) {
  const LimbScene scene;
  const struct {
    const char *joint, *end;
    std::initializer_list<float> truth, estimate;
  } cases[] = {{"left_upper_arm", "left_hand", {0, -1.5f}, {2.9f, 0}},
               {"right_upper_arm", "right_hand", {2.9f, 0}, {0, 1.5f}},
               {"left_thigh", "left_foot", {0, 0}, {1.5f, 0}}};
  for (const auto& c : cases) {
    const std::vector<float> truth = scene.with(scene.at_rest, c.joint, c.truth);
    const std::vector<float> lost = scene.with(scene.at_rest, c.joint, c.estimate);
    ASSERT_GT(scene.distance_m(c.end, lost, truth), 0.5) << c.end;
    const LimbRecovery::Result found = recovered(scene, scene.points_of(truth), lost);
    // Within the reach of the next fit.
    EXPECT_LT(scene.distance_m(c.end, found.pose, truth), SensorModel().tau_m) << c.end;
    EXPECT_EQ(found.joints, scene.limb_to(c.end).joints) << c.end;
  }
}

TEST(LimbRecovery, HidesALimbThatNoPointShowsWithoutMovingItFar) {
  const LimbScene scene;
  const std::vector<float> truth = seen_from_the_side(scene.at_rest);
  const std::vector<Vec3> points = points_in_wide_image(scene, truth);
  // Forward, beside the silhouette of the body.
  const std::vector<float> lost = scene.with(truth, "left_upper_arm", {0.9f});
  ASSERT_LT(seen(scene, lost, points), 0.97);
  const LimbRecovery::Result found = recovered(scene, points, lost);
  EXPECT_FALSE(found.joints.empty());
  EXPECT_GT(seen(scene, found.pose, points), 0.99);
  // The true place is one of those that are hidden.
  EXPECT_LT(scene.distance_m("left_hand", found.pose, lost),
            1.1 * scene.distance_m("left_hand", truth, lost));
}

TEST(LimbRecovery, KeepsTheBitsOfARightPose) {
  const LimbScene scene;
  for (const bool from_the_side : {false, true}) {
    const std::vector<float> pose = from_the_side ? seen_from_the_side(scene.at_rest) : scene.at_rest;
    const LimbRecovery::Result kept = recovered(scene, scene.points_of(pose), pose);
    EXPECT_EQ(kept.pose, pose);
    EXPECT_TRUE(kept.joints.empty());
  }
}

// What cannot be explained by any pose of the limb: the body stands where no points are.
TEST(LimbRecovery, KeepsTheBitsWhenNothingIsBetter) {
  const LimbScene scene;
  std::vector<float> away = scene.at_rest;
  away[0] += 3;
  const std::vector<Vec3> behind(40, Vec3{0, 0, -1});
  for (const std::vector<Vec3>& points : {std::vector<Vec3>(), behind, scene.points_of(scene.at_rest)}) {
    const LimbRecovery::Result kept = recovered(scene, points, away);
    EXPECT_EQ(kept.pose, away);
    EXPECT_TRUE(kept.joints.empty());
  }
}

// Half of the points are of a room.
TEST(LimbRecovery, WorksInFrontOfAWall) {
  const LimbScene scene;
  const std::vector<float> truth = scene.with(scene.at_rest, "left_upper_arm", {0, -1.5f});
  RenderOptions options;
  options.points = 3000;
  options.background = 0.5f;
  for (options.seed = 1; options.seed <= 8; ++options.seed) {
    const std::vector<Vec3> points = render_points(scene.body.capsules(truth), options);
    EXPECT_TRUE(recovered(scene, points, truth).joints.empty()) << options.seed;
    const std::vector<float> lost = scene.with(scene.at_rest, "left_upper_arm", {2.9f, 0});
    EXPECT_LT(scene.distance_m("left_hand", recovered(scene, points, lost).pose, truth), SensorModel().tau_m)
        << options.seed;
  }
}

// 300 points leave holes of the size of a hand.
TEST(LimbRecovery, KeepsTheBitsWhenThePointsAreSparse) {
  const LimbScene scene;
  const std::vector<float> lost = scene.with(scene.at_rest, "left_upper_arm", {2.9f, 0});
  RenderOptions options;
  options.points = 300;
  const std::vector<Vec3> points = render_points(scene.body.capsules(scene.at_rest), options);
  EXPECT_EQ(recovered(scene, points, lost).pose, lost);
}

// The image ends beside the body: nothing is known of the arm.
TEST(LimbRecovery, KeepsTheBitsOfALimbOutsideTheImage) {
  const LimbScene scene;
  const std::vector<float> truth = scene.with(scene.at_rest, "left_upper_arm", {0, -1.5f});
  const std::vector<Vec3> joints = scene.body.joints(truth);
  const float hand_x = joints[scene.joint("left_hand")].x, root_x = joints[0].x;
  const float border = root_x + 0.25f * (hand_x - root_x);
  std::vector<Vec3> points;
  for (const Vec3& p : scene.points_of(truth))
    if ((p.x < border) == (root_x < border)) points.push_back(p);
  ASSERT_LT(seen(scene, truth, points), 0.9);
  EXPECT_EQ(recovered(scene, points, truth).pose, truth);
}

// An arm comes back while the image shows no legs. They take turns with it.
TEST(LimbRecovery, WorksWhenOtherLimbsAreOutsideTheImage) {
  const LimbScene scene;
  const std::vector<float> truth = scene.with(scene.at_rest, "left_upper_arm", {0, -1.5f});
  std::vector<float> pose = scene.with(scene.at_rest, "left_upper_arm", {2.9f, 0});
  RenderOptions options;
  options.points = 3000;
  const float hip_y = scene.body.joints(truth)[0].y;
  std::vector<Vec3> points;
  for (const Vec3& p : render_points(scene.body.capsules(truth), options))
    if (p.y > hip_y) points.push_back(p);
  for (std::uint64_t frame = 0; frame < 3; ++frame) {
    LimbRecovery::Result found = recovered(scene, points, pose, 1, frame);
    pose = std::move(found.pose);
  }
  EXPECT_LT(scene.distance_m("left_hand", pose, truth), SensorModel().tau_m);
  for (const char* foot : {"left_foot", "right_foot"})
    EXPECT_LT(scene.distance_m(foot, pose, truth), 0.1) << foot;
}

TEST(LimbRecovery, SeveralLimbsTakeTurns) {
  const LimbScene scene;
  const std::vector<float> truth = scene.with(scene.at_rest, "left_upper_arm", {0, -1.5f});
  const std::vector<Vec3> points = scene.points_of(truth);
  std::vector<float> pose = scene.with(scene.at_rest, "left_upper_arm", {2.9f, 0});
  pose = scene.with(pose, "right_thigh", {1.5f, 0});
  const std::vector<std::size_t> first = recovered(scene, points, pose, 1, 0).joints,
                                 second = recovered(scene, points, pose, 1, 1).joints;
  ASSERT_FALSE(first.empty());
  ASSERT_FALSE(second.empty());
  EXPECT_NE(first, second);
}

TEST(LimbRecovery, TakesASigmaForEachPoint) {
  const LimbScene scene;
  const std::vector<float> truth = scene.with(scene.at_rest, "left_upper_arm", {0, -1.5f});
  const std::vector<float> lost = scene.with(scene.at_rest, "left_upper_arm", {2.9f, 0});
  const std::vector<Vec3> points = scene.points_of(truth);
  const std::vector<float> sigma_m(points.size(), SensorModel().sigma_m);
  const std::vector<float> with_sigma = recovered(scene, CloudView(points, sigma_m), lost).pose;
  EXPECT_NE(with_sigma, lost);
  EXPECT_EQ(with_sigma, recovered(scene, points, lost).pose);
  // Points that may lie anywhere prove nothing.
  const std::vector<float> vague(points.size(), 100.0f);
  EXPECT_NE(recovered(scene, CloudView(points, vague), lost).pose, with_sigma);
}

TEST(LimbRecovery, HasTheSameBitsOnAnyNumberOfThreads) {
  const LimbScene scene;
  const std::vector<float> truth = scene.with(scene.at_rest, "left_upper_arm", {0, -1.5f});
  const std::vector<float> lost = scene.with(scene.at_rest, "left_upper_arm", {2.9f, 0});
  const std::vector<Vec3> points = scene.points_of(truth);
  const std::vector<float> alone = recovered(scene, points, lost).pose;
  EXPECT_NE(alone, lost);
  for (const int threads : {2, 5}) EXPECT_EQ(recovered(scene, points, lost, threads).pose, alone);
}

// The way to the new place is no motion of the limb, which would carry on in the next frame.
TEST(LimbRecovery, LeavesTheLimbAtRestAndTheOthersMoving) {
  const LimbScene scene;
  const std::vector<float> truth = scene.with(scene.at_rest, "left_upper_arm", {0, -1.5f});
  const HostCloud sample{scene.points_of(truth), {}};
  std::vector<float> pose = scene.with(scene.at_rest, "left_upper_arm", {2.9f, 0});
  const std::size_t dims = pose.size() - 1;
  std::vector<float> centre(dims), velocity(dims, 0.25f), last(dims, 7.0f);
  EstimateFit(scene.body, {}, steps, true).apply(sample, FilterFrame{}, {pose, centre, velocity, last}, 1);
  std::vector<bool> is_limb(dims, false);
  for (const std::size_t j : scene.limb_to("left_hand").joints) {
    const auto first = static_cast<std::size_t>(scene.body.first_angle(static_cast<int>(j))) - 1;
    for (std::size_t r = 0; r < scene.body.joints()[j].rotations.size(); ++r) is_limb[first + r] = true;
  }
  for (std::size_t d = 0; d < dims; ++d) {
    EXPECT_EQ(velocity[d], is_limb[d] ? 0.0f : 0.25f) << d;
    EXPECT_EQ(last[d], is_limb[d] ? centre[d] : 7.0f) << d;
  }
}

// No point shows the arm: it stays behind the body where the search has put it.
TEST(LimbRecovery, AHiddenArmStaysHidden) {
  const LimbScene scene;
  const std::vector<float> truth = seen_from_the_side(scene.at_rest);
  const std::vector<Vec3> points = points_in_wide_image(scene, truth);
  FilterOptions options;
  options.samples = 300;
  ParticleFilter filter(scene.body, options, Device::cpu());
  filter.start(scene.with(truth, "left_upper_arm", {0.9f}));
  Vec3 before{};
  for (int frame = 0; frame < 6; ++frame) {
    const Estimate estimate = filter.step(points);
    EXPECT_GT(seen(scene, estimate.pose, points), 0.97) << frame;
    const Vec3 hand = estimate.joints[scene.joint("left_hand")];
    if (frame > 0) {
      EXPECT_LT(std::hypot(hand.x - before.x, hand.y - before.y, hand.z - before.z), 0.1) << frame;
    }
    before = hand;
  }
}

// The whole filter, which starts with an arm in empty space. Its samples do not reach the arm's points.
TEST(LimbRecovery, BringsAnArmBackInOneFrame) {
  const LimbScene scene;
  const std::vector<float> truth = scene.with(scene.at_rest, "left_upper_arm", {0, -1.5f});
  const std::vector<float> start = scene.with(scene.at_rest, "left_upper_arm", {2.9f, 0});
  double error_m[2] = {0, 0};
  for (const bool recovers : {false, true}) {
    FilterOptions options;
    options.samples = 200;
    options.recover_limbs = recovers;
    options.recover_heading = false;
    ParticleFilter filter(scene.body, options, Device::cpu());
    filter.start(start);
    error_m[recovers] = scene.distance_m("left_hand", filter.step(scene.points_of(truth)).pose, truth);
  }
  EXPECT_GT(error_m[0], 0.3);
  EXPECT_LT(error_m[1], SensorModel().tau_m);
}

}  // namespace
}  // namespace triptych::capsule_likelihood
