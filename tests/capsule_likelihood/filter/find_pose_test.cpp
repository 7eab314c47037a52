// find(): which way a body looks, limbs that it hides, and bodies that sit.
#include <triptych/capsule_likelihood/particle_filter.hpp>
#include <triptych/capsule_likelihood/render.hpp>
#include <triptych/capsule_likelihood/synthetic_walk.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "capsule_likelihood/filter/filter_scene.hpp"
#include "filter/filter_engine.hpp"
#include "filter/find_pose.hpp"
#include "filter/forwarding_engine.hpp"
#include "filter/pose/start_poses.hpp"
#include "filter/search/fit_search.hpp"

namespace triptych::capsule_likelihood {
namespace {

// A person as thin as paper: seen from the front and from behind it is the same. The toes carry no capsule.
Skeleton flat_human() {
  const Skeleton human = make_human();
  std::vector<Joint> joints(human.joints().begin(), human.joints().end());
  for (Joint& joint : joints) {
    if (joint.name.find("toes") == std::string::npos) joint.offset_m.z = 0;
  }
  std::vector<BodyCapsule> capsules(human.body_capsules().begin(), human.body_capsules().end());
  for (BodyCapsule& c : capsules) c.capsule.a.z = c.capsule.b.z = 0;
  return {joints, capsules};
}

// Above 0: towards the camera.
double facing(const Estimate& found) {
  const double x = found.pose[4], y = found.pose[5];
  return 1 - 2 * (x * x + y * y);  // people look along -z at rest
}

std::vector<Vec3> points_of(const Skeleton& body, std::span<const float> pose) {
  RenderOptions render;
  render.points = 600;
  return render_points(body.capsules(pose), render);
}

Estimate found_in(const Skeleton& body, std::span<const float> pose, std::uint64_t seed) {
  const std::vector<Vec3> points = points_of(body, pose);
  FilterOptions options;
  options.samples = 200;
  options.seed = seed;
  ParticleFilter filter(body, options, Device::cpu());
  return filter.find(points);
}

TEST(FindPose, OfTwoWaysThatFitEquallyLooksAtTheCamera) {
  const Skeleton body = flat_human();
  std::vector<float> pose = body.rest_pose();
  pose[2] = 3;
  EXPECT_GT(facing(found_in(body, pose, 1)), 0.5);
  pose[3] = 0;  // turned round: the same points
  pose[5] = 1;
  EXPECT_GT(facing(found_in(body, pose, 1)), 0.5);
}

TEST(FindPose, AWalkerThatLooksAwayIsFoundSo) {
  const Skeleton body = make_human();
  Motion motion = make_walk(body, {.frames = 60});
  place_in_view(body, motion, {.yaw_rad = std::numbers::pi_v<float>});
  EXPECT_LT(facing(found_in(body, motion.pose(40), 1)), -0.5);
}

// At rest, turned about y by an angle, 2.5 m before the camera.
std::vector<float> turned_pose(const Skeleton& body, float yaw_rad) {
  std::vector<float> pose = body.rest_pose();
  pose[2] = 2.5f;
  pose[3] = std::cos(yaw_rad / 2);
  pose[5] = std::sin(yaw_rad / 2);
  return pose;
}

float& first_angle_of(const Skeleton& body, std::vector<float>& pose, const std::string& joint) {
  return pose[static_cast<std::size_t>(body.first_angle(body.find(joint)))];
}

// Turned round this body explains the points about as well, but its toes are where the cloud shows nothing.
TEST(FindPose, APersonWhoStandsAndLooksAwayIsFoundSo) {
  const Skeleton body = make_human();
  EXPECT_LT(facing(found_in(body, turned_pose(body, 3.1f), 2)), -0.5);
}

// One of the arms is nearly hidden by the body. It is where the other one is.
TEST(FindPose, AHiddenArmDoesWhatTheOtherDoes) {
  const Skeleton body = make_human();
  std::vector<float> pose = turned_pose(body, 3.0f);
  for (const char* arm : {"left_upper_arm", "right_upper_arm"}) first_angle_of(body, pose, arm) = 1.5f;
  const Estimate found = found_in(body, pose, 1);
  for (const char* hand : {"left_hand", "right_hand"}) {
    const auto j = static_cast<std::size_t>(body.find(hand));
    // An arm that hangs has its hand 0.8 m away.
    EXPECT_LT(test_scene::mean_error_m({&found.joints[j], 1}, {&body.joints(pose)[j], 1}), 0.2) << hand;
  }
}

// The two ways of the flat body are the same to a camera in the world, where none of them is preferred.
TEST(FindPose, OfTwoWaysThatFitEquallyItIsNotSure) {
  const Skeleton body = flat_human();
  std::vector<float> pose = body.rest_pose();
  pose[2] = 3;
  const std::vector<Vec3> points = points_of(body, pose);
  FilterOptions options;
  options.samples = 200;
  options.cameras.emplace_back();
  options.cameras[0].translation_m.x = 1;
  ParticleFilter filter(body, options, Device::cpu());
  const Estimate found = filter.find(points);
  EXPECT_LT(found.evidence.way, 0.75);
  EXPECT_EQ(found.status, FilterStatus::uncertain);
  EXPECT_NE(reason(found).find("the other way"), std::string::npos) << reason(found);
  // As long as the filter goes on from there, but not from a pose that is given.
  const Estimate next = filter.step(points);
  EXPECT_EQ(next.evidence.way, found.evidence.way);
  EXPECT_LE(next.confidence, next.evidence.way);
  filter.start(found.pose);
  EXPECT_EQ(filter.step(points).evidence.way, 1);
}

// Thighs forward, shins down, the arms at rest.
TEST(FindPose, APersonWhoSitsIsFound) {
  const Skeleton body = make_human();
  for (const float yaw : {0.2f, 1.0f}) {
    std::vector<float> pose = turned_pose(body, yaw);
    for (const std::string side : {"left", "right"}) {
      first_angle_of(body, pose, side + "_thigh") = 1.5f;
      first_angle_of(body, pose, side + "_shin") = -1.5f;
    }
    const Estimate found = found_in(body, pose, 1);
    // Half a thigh: of a person who stands, the knees would be farther off.
    EXPECT_LT(test_scene::mean_error_m(found.joints, body.joints(pose)), 0.1) << yaw;
    for (const char* knee : {"left_shin", "right_shin"}) {
      const auto j = static_cast<std::size_t>(body.find(knee));
      EXPECT_LT(test_scene::mean_error_m({&found.joints[j], 1}, {&body.joints(pose)[j], 1}), 0.2) << yaw;
    }
  }
}

// On the belly, along the line of sight: most points are on the half that is nearer.
TEST(FindPose, APersonWhoLiesAlongTheViewIsFound) {
  const Skeleton body = make_human();
  std::vector<float> pose = turned_pose(body, 0);
  const float yaw_rad = 0.2f, pitch_rad = -std::numbers::pi_v<float> / 2;
  const float cy = std::cos(yaw_rad / 2), sy = std::sin(yaw_rad / 2), cp = std::cos(pitch_rad / 2),
              sp = std::sin(pitch_rad / 2);
  pose[1] = -1.2f;
  pose[3] = cy * cp;
  pose[4] = cy * sp;
  pose[5] = sy * cp;
  pose[6] = -sy * sp;
  EXPECT_LT(test_scene::mean_error_m(found_in(body, pose, 1).joints, body.joints(pose)), 0.1);
}

// A fifth of the points are outliers, another fifth are on the floor and the wall: the search begins where
// the points are dense.
TEST(FindPose, AWalkerAmongOutliersBeforeAWallIsFound) {
  const Skeleton body = make_human();
  Motion motion = make_walk(body, {.frames = 60});
  place_in_view(body, motion, {.yaw_rad = 4.1f});
  RenderOptions render;
  render.points = 1500;
  render.outliers = 0.2f;
  render.background = 0.2f;
  const std::vector<Vec3> points = render_points(body.capsules(motion.pose(0)), render);
  FilterOptions options;
  options.samples = 200;
  ParticleFilter filter(body, options, Device::cpu());
  EXPECT_LT(test_scene::mean_error_m(filter.find(points).joints, body.joints(motion.pose(0))), 0.1);
}

// Started a metre beside the person.
TEST(FindPose, AFilterThatLostTheBodySearchesForItAfterSomeFrames) {
  const Skeleton body = make_human();
  const std::vector<float> pose = turned_pose(body, 0.4f);
  std::vector<float> beside = pose;
  beside[0] += 1;
  const std::vector<Vec3> points = points_of(body, pose);
  FilterOptions options;
  options.samples = 100;
  options.search_after_frames = 3;
  ParticleFilter filter(body, options, Device::cpu());
  filter.start(beside);
  for (int frame = 0; frame < 2; ++frame)
    EXPECT_NE(filter.step(points).status, FilterStatus::tracking) << frame;
  const Estimate found = filter.step(points);
  EXPECT_EQ(found.status, FilterStatus::tracking);
  EXPECT_LT(test_scene::mean_error_m(found.joints, body.joints(pose)), 0.1);
  // Without points there is nothing to search in. Frames that are submitted are never searched.
  filter.start(beside);
  for (int frame = 0; frame < 4; ++frame)
    EXPECT_EQ(filter.step(std::span<const Vec3>{}).status, FilterStatus::lost) << frame;
  filter.start(beside);
  for (int frame = 0; frame < 4; ++frame) {
    filter.submit(points);
    EXPECT_NE(filter.next().status, FilterStatus::tracking) << frame;
  }
  // By default it never does.
  options.search_after_frames = 0;
  ParticleFilter patient(body, options, Device::cpu());
  patient.start(beside);
  for (int frame = 0; frame < 4; ++frame)
    EXPECT_NE(patient.step(points).status, FilterStatus::tracking) << frame;
}

// Counts the frames of another engine.
class CountingEngine final : public ForwardingEngine {
 public:
  using ForwardingEngine::ForwardingEngine;
  int frames() const { return frames_; }
  using ForwardingEngine::submit;
  void submit(const CloudView& cloud) override {
    ++frames_;
    ForwardingEngine::submit(cloud);
  }

 private:
  int frames_ = 0;
};

int frames_of_search(const Skeleton& body, std::span<const float> pose, bool seen_by_one_camera) {
  FilterOptions options;
  options.samples = 40;
  const auto engine = make_cpu_engine(body, options.sensor, make_plan(body, options), 1);
  CountingEngine counting(*engine);
  const std::vector<Vec3> points = points_of(body, pose);
  find_pose(counting, points, seen_by_one_camera);
  return counting.frames();
}

// As ParticleFilter::find() and find_cameras() state.
TEST(FindPose, Takes13FramesOfOneCameraAndUpTo320OfSeveral) {
  const Skeleton body = make_human();
  EXPECT_EQ(frames_of_search(body, turned_pose(body, 0.2f), true), 13);
  EXPECT_LE(frames_of_search(body, turned_pose(body, 0.2f), false), 320);
  std::vector<float> lying = turned_pose(body, 0);
  lying[1] = -1.2f;
  lying[3] = lying[4] = std::numbers::sqrt2_v<float> / 2;
  EXPECT_EQ(frames_of_search(body, lying, true), 13);
  EXPECT_LE(frames_of_search(body, lying, false), 320);
}

TEST(FindPose, IsTheSameForAnyNumberOfThreads) {
  const Skeleton body = make_human();
  const std::vector<Vec3> points = points_of(body, turned_pose(body, 0.7f));
  const std::vector<std::vector<float>> starts = starts_in(body, points);
  const FoundPose one = search_by_fits(body, {}, {points}, starts, 1),
                  three = search_by_fits(body, {}, {points}, starts, 3);
  EXPECT_EQ(one.pose, three.pose);
  EXPECT_EQ(one.way, three.way);
}

}  // namespace
}  // namespace triptych::capsule_likelihood
