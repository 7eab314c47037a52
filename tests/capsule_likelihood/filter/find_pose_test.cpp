// find(): which way a body looks, and bodies that sit.
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

Estimate found_in(const Skeleton& body, std::span<const float> pose, std::uint64_t seed) {
  RenderOptions render;
  render.points = 600;
  const std::vector<Vec3> points = render_points(body.capsules(pose), render);
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

// Thighs forward, shins down, the arms at rest.
TEST(FindPose, APersonWhoSitsIsFound) {
  const Skeleton body = make_human();
  std::vector<float> pose = body.rest_pose();
  for (const char* side : {"left", "right"}) {
    pose[static_cast<std::size_t>(body.first_angle(body.find(std::string(side) + "_thigh")))] = 1.5f;
    pose[static_cast<std::size_t>(body.first_angle(body.find(std::string(side) + "_shin")))] = -1.5f;
  }
  pose[2] = 2.5f;
  for (const float yaw : {0.2f, 1.0f}) {
    pose[3] = std::cos(yaw / 2);
    pose[5] = std::sin(yaw / 2);
    const Estimate found = found_in(body, pose, 1);
    // Half a thigh: of a person who stands, the knees would be farther off.
    EXPECT_LT(test_scene::mean_error_m(found.joints, body.joints(pose)), 0.1) << yaw;
    for (const char* knee : {"left_shin", "right_shin"}) {
      const auto j = static_cast<std::size_t>(body.find(knee));
      EXPECT_LT(test_scene::mean_error_m({&found.joints[j], 1}, {&body.joints(pose)[j], 1}), 0.2) << yaw;
    }
  }
}

}  // namespace
}  // namespace triptych::capsule_likelihood
