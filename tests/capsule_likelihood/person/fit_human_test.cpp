#include <triptych/capsule_likelihood/fit_human.hpp>
#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/capsule_likelihood/pose_file.hpp>
#include <triptych/capsule_likelihood/render.hpp>
#include <triptych/capsule_likelihood/synthetic_walk.hpp>
#include <triptych/core/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "testing/data_dir.hpp"
#include "testing/expect_error.hpp"
#include "testing/random.hpp"

namespace triptych::capsule_likelihood {
namespace {

std::vector<std::string> kinect_names() {
  std::vector<std::string> names;
  for (const KinectJoint& joint : kinect_joints()) names.emplace_back(joint.kinect);
  return names;
}

double mean_distance(std::span<const Vec3> a, std::span<const Vec3> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += std::hypot(a[i].x - b[i].x, a[i].y - b[i].y, a[i].z - b[i].z);
  return sum / static_cast<double>(a.size());
}

TEST(HumanShape, StretchesOneLengthAtATime) {
  const auto bone = [](const Skeleton& human, const char* name) {
    const Vec3 v = human.joints()[static_cast<std::size_t>(human.find(name))].offset_m;
    return std::hypot(v.x, v.y, v.z);
  };
  const Skeleton usual = make_human(1.8f);
  HumanShape shape;
  shape.height_m = 1.8f;
  shape.thigh = 1.1f;
  shape.forearm = 0.9f;
  shape.girth = 1.2f;
  const Skeleton human = make_human(shape);
  EXPECT_FLOAT_EQ(bone(human, "left_shin"), 1.1f * bone(usual, "left_shin"));
  EXPECT_FLOAT_EQ(bone(human, "right_hand"), 0.9f * bone(usual, "right_hand"));
  EXPECT_FLOAT_EQ(bone(human, "right_foot"), bone(usual, "right_foot"));
  EXPECT_FLOAT_EQ(human.body_capsules()[3].capsule.radius_m,
                  1.2f * usual.body_capsules()[3].capsule.radius_m);
  shape.hips = 5;
  EXPECT_ERROR(make_human(shape), InvalidArgument, "out of range");
}

TEST(FitPose, FindsThePoseOfAWalk) {
  const Skeleton human = make_human();
  const std::vector<std::string> names = kinect_names();
  const Motion walk = make_walk(human);
  for (std::int64_t frame = 0; frame < 150; frame += 10) {
    const std::vector<Vec3> joints = human.joints(walk.pose(frame));
    const FittedPose fitted = fit_pose(human, names, positions_of(human, joints, names));
    // The pull towards rest is 1 cm per radian, shared by many joints: it may move a position by millimetres.
    EXPECT_LT(fitted.mean_error_m, 0.006) << frame;
    EXPECT_LT(mean_distance(human.joints(fitted.pose), joints), 0.010) << frame;
    std::vector<float> clamped = fitted.pose;
    human.clamp(clamped);
    EXPECT_EQ(clamped, fitted.pose);
  }
}

TEST(FitPose, SkipsMissingPositionsAndTakesAStart) {
  const Skeleton human = make_human();
  std::vector<std::string> names = kinect_names();
  const Motion walk = make_walk(human, {.frames = 2});
  const std::span<const float> pose = walk.pose(0);
  const std::vector<Vec3> joints = human.joints(pose);
  std::vector<Vec3> positions = positions_of(human, joints, names);
  positions[0].x = NAN;
  positions[9].z = INFINITY;
  EXPECT_LT(fit_pose(human, names, positions).mean_error_m, 0.006);
  EXPECT_LT(fit_pose(human, names, positions, pose).mean_error_m, 0.006);
  EXPECT_ERROR(fit_pose(human, names, positions, pose.first(10)), InvalidArgument, "pose of 10 numbers");
  EXPECT_ERROR(fit_pose(human, names, std::span(positions).first(3)), InvalidArgument, "20 names");
  positions[4].x = NAN;
  EXPECT_ERROR(fit_pose(human, names, positions), InvalidArgument, "left_shoulder is needed");
  names[3] = "tail";
  EXPECT_ERROR(fit_pose(human, names, positions), InvalidArgument, "tail");
}

// Where the Kinect's software puts its joints in a standing person, in shares of the height above the soles:
// read from standing frames of MHAD's a13_s1_t1 and a23_s1_t1, which agree within 0.01.
TEST(KinectJoints, LieAtTheirSharesOfTheHeight) {
  const Skeleton human = make_human(1.0f);
  const std::vector<std::string> names = {"head",       "shoulder_center", "left_shoulder", "spine",
                                          "hip_center", "right_hip",       "left_knee",     "right_ankle"};
  const double shares[] = {0.96, 0.853, 0.785, 0.64, 0.60, 0.555, 0.273, 0.052};
  const std::vector<Vec3> positions = positions_of(human, human.joints(human.rest_pose()), names);
  constexpr double hips = 0.53;  // of the human, above its soles
  for (std::size_t i = 0; i < names.size(); ++i)
    EXPECT_NEAR(double{positions[i].y} + hips, shares[i], 0.005) << names[i];
}

double bone_m(const Skeleton& human, const char* name) {
  return -double{human.joints()[static_cast<std::size_t>(human.find(name))].offset_m.y};
}

TEST(FitHuman, FindsTheLengthsOfAPerson) {
  HumanShape shape;
  shape.height_m = 1.62f;
  shape.thigh = 1.1f;
  shape.upper_arm = 0.9f;
  shape.shoulders = 1.15f;
  const Skeleton person = make_human(shape);
  std::vector<float> pose = person.rest_pose();
  const std::vector<std::string> names = kinect_names();
  for (const float raised_rad : {0.0f, 1.5f}) {
    for (const char* name : {"left_upper_arm", "right_upper_arm"})
      pose[static_cast<std::size_t>(person.first_angle(person.find(name)))] = raised_rad;
    const FittedHuman fitted = fit_human(names, positions_of(person, person.joints(pose), names));
    // The pull towards rest moves positions by millimetres; a length is between two of them.
    EXPECT_LT(fitted.start.mean_error_m, 0.006) << raised_rad;
    for (const char* name : {"left_shin", "left_foot", "left_forearm", "left_hand"})
      EXPECT_NEAR(bone_m(fitted.skeleton, name), bone_m(person, name), 2 * 0.006) << name << raised_rad;
  }
  const std::vector<Vec3> joints = person.joints(pose);
  EXPECT_ERROR(fit_human(std::span(names).first(5), std::span(joints).first(5)), InvalidArgument,
               "is needed to fit");
}

class Mhad : public testing::TestWithParam<const char*> {};

// The sensor's joints are no skeleton (its bones change their length from frame to frame), so some
// centimetres stay: this is the floor of every comparison with them.
TEST_P(Mhad, TheSensorsJointsFitABody) {
  TRIPTYCH_DATA_DIR_OR_SKIP(data);
  const JointTable table = read_joints_csv(data / "depth_mhad" / GetParam() / "joints.csv");
  const FittedHuman fitted = fit_human(table.names, table.row(0));
  std::vector<float> pose = fitted.start.pose;
  double sum = 0;
  int frames = 0;
  for (std::size_t row = 0; row < table.frames.size(); row += 4, ++frames) {
    const FittedPose next = fit_pose(fitted.skeleton, table.names, table.row(row), pose);
    pose = next.pose;
    sum += next.mean_error_m;
    EXPECT_LT(next.mean_error_m, 0.06) << row;
  }
  RecordProperty("mean_error_mm", static_cast<int>(std::lround(1000 * sum / frames)));
  EXPECT_LT(sum / frames, 0.020);
}

// The cloud of the first image is 1.63 or 1.65 m tall: cells of 1 cm, and hair reflects badly.
TEST_P(Mhad, TheBodyIsAsTallAsThePerson) {
  TRIPTYCH_DATA_DIR_OR_SKIP(data);
  const JointTable table = read_joints_csv(data / "depth_mhad" / GetParam() / "joints.csv");
  const Skeleton human = fit_human(table.names, table.row(0)).skeleton;
  const std::vector<Vec3> joints = human.joints(human.rest_pose());
  const auto y = [&](const char* name) { return joints[static_cast<std::size_t>(human.find(name))].y; };
  EXPECT_NEAR(y("head_top") - y("left_toes"), 1.64, 0.04);
}

INSTANTIATE_TEST_SUITE_P(Actions, Mhad, testing::Values("a13_s1_t1", "a23_s1_t1"));

// A person in a pose; a tenth of the points are outliers.
std::vector<Vec3> cloud_of(float girth, std::span<const float> pose) {
  HumanShape shape;
  shape.girth = girth;
  RenderOptions options;
  options.points = 6000;
  options.outliers = 0.1f;
  return render_points(make_human(shape).capsules(pose), options);
}

TEST(FitRadii, FindsHowThickAPersonIs) {
  const Skeleton usual = make_human();
  std::vector<float> pose = usual.rest_pose();
  pose[2] = 3;
  const Skeleton fitted = fit_radii(usual, pose, cloud_of(1.3f, pose));
  for (std::size_t i = 0; i < 40; ++i) {
    // Two steps of the grid.
    EXPECT_NEAR(fitted.body_capsules()[i].capsule.radius_m / usual.body_capsules()[i].capsule.radius_m, 1.3,
                0.11)
        << i;
  }
  EXPECT_ERROR(fit_radii(usual, pose, {}), InvalidArgument, "without points");
  pose.pop_back();
  EXPECT_ERROR(fit_radii(usual, pose, std::vector<Vec3>{{0, 0, 3}}), InvalidArgument, "does not fit");
}

// A thin body explains the front of a thick one best from nearer by. The radii alone cannot undo that.
TEST(FitBody, PutsABodyBackThatWasFoundTooNear) {
  for (const float girth : {0.8f, 1.0f, 1.3f}) {
    const Skeleton usual = make_human();
    std::vector<float> pose = usual.rest_pose();
    pose[2] = 3;
    const std::vector<Vec3> points = cloud_of(girth, pose);
    std::vector<float> found = pose;
    found[2] -= 0.1f * (girth - 1);  // as the radius of the torso differs
    const FittedBody fitted = fit_body(usual, found, points);
    for (std::size_t i = 0; i < 40; ++i) {
      // Two steps of the grid.
      EXPECT_NEAR(
          fitted.skeleton.body_capsules()[i].capsule.radius_m / usual.body_capsules()[i].capsule.radius_m,
          girth, 0.11)
          << i;
    }
    EXPECT_NEAR(fitted.pose[2], 3, 0.011) << girth;  // two steps of 5 mm
    EXPECT_TRUE(std::equal(fitted.pose.begin() + 3, fitted.pose.end(), pose.begin() + 3));
    // The same from another camera: everything moved by the same vector.
    const Vec3 camera{1, -2, 5};
    const auto moved = [&](const Vec3& p) { return Vec3{p.x + camera.x, p.y + camera.y, p.z + camera.z}; };
    std::vector<Vec3> elsewhere(points.size());
    std::transform(points.begin(), points.end(), elsewhere.begin(), moved);
    std::vector<float> there = found;
    for (std::size_t i = 0; i < 3; ++i) there[i] += std::array{camera.x, camera.y, camera.z}[i];
    const FittedBody again = fit_body(usual, there, elsewhere, camera);
    EXPECT_NEAR(again.pose[2] - camera.z, fitted.pose[2], 0.0051);  // a step: the points are rounded anew
  }
}

TEST(FindStandingPerson, MeasuresThePersonInACloud) {
  for (const float height : {1.2f, 1.75f, 2.0f}) {
    const Skeleton human = make_human(height);
    std::vector<float> pose = human.rest_pose();
    pose[0] = 0.4f, pose[1] = -0.2f, pose[2] = 3.2f;
    std::vector<Capsule> body(40);
    pose_cpu(human, {pose.data(), 1, human.pose_size()}, {}, {body.data(), 1, 40}, 1);
    RenderOptions options;
    options.points = 8000;
    options.outliers = 0.1f;
    std::vector<Vec3> points = render_points(body, options);
    points.push_back({NAN, 0, 0});
    const StandingPerson person = find_standing_person(points);
    EXPECT_NEAR(person.height_m, height, 0.06f * height);
    EXPECT_NEAR(person.root.x, 0.4, 0.05);
    EXPECT_NEAR(person.root.y, -0.2, 0.06 * height);
    EXPECT_NEAR(person.root.z, 3.2, 0.08);
  }
  EXPECT_ERROR(find_standing_person({}), InvalidArgument, "0 points");
}

}  // namespace
}  // namespace triptych::capsule_likelihood
