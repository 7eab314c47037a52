// The fit of an estimate on the GPU has the bits of the one on the CPU, with a cluster and with one block.
#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/capsule_likelihood/particle_filter.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "capsule_likelihood/filter/filter_scene.hpp"
#include "capsule_likelihood/filter/same_estimate.hpp"
#include "filter/estimate_fit.hpp"
#include "filter/evidence/host_cloud.hpp"
#include "filter/fit/estimate_fit_cuda.hpp"
#include "testing/cuda_fixture.hpp"
#include "testing/random.hpp"

namespace triptych::capsule_likelihood {
namespace {

using test::GuardedDevice;
using test_scene::expect_same;
using test_scene::Walk;
using Team = EstimateFitCuda::Team;

constexpr int steps = 4;

// What a fit moves.
struct Fitted {
  std::vector<float> centre, pose, joints;
  friend bool operator==(const Fitted&, const Fitted&) = default;
};

class EstimateFitCudaTest : public test::CudaFixture {
 protected:
  static FilterFrame frame() {
    FilterFrame frame;
    frame.reference[0] = 0.8f;
    frame.reference[2] = 0.6f;
    return frame;
  }
  static std::vector<float> floats(std::span<const Vec3> points) {
    std::vector<float> all;
    for (const Vec3& p : points) all.insert(all.end(), {p.x, p.y, p.z});
    return all;
  }
  // An estimate whose centre is not yet written.
  static Fitted estimate(const Skeleton& skeleton, std::span<const float> pose) {
    return {
        std::vector<float>(pose.size() - 1, 7), {pose.begin(), pose.end()}, floats(skeleton.joints(pose))};
  }

  static Fitted on_cpu(const Skeleton& skeleton, const CloudView& cloud, std::span<const float> pose,
                       const SensorModel& sensor = {}, int of_steps = steps) {
    Fitted fitted = estimate(skeleton, pose);
    std::vector<float> velocity(fitted.centre), last(fitted.centre);
    HostCloud sample = fit_sample(cloud);
    sample.drop_points_without_sigma(sensor.sigma_m);
    EstimateFit(skeleton, sensor, of_steps, false)
        .fit(sample, frame(), {fitted.pose, fitted.centre, velocity, last});
    fitted.joints = floats(skeleton.joints(fitted.pose));
    return fitted;
  }

  Fitted on_gpu(const Skeleton& skeleton, const CloudView& cloud, std::span<const float> pose,
                const SensorModel& sensor = {}, int of_steps = steps, Team team = Team::cluster) {
    const DeviceSkeleton placed(skeleton);
    EstimateFitCuda fit(skeleton, placed, sensor, of_steps, team);
    const auto points = upload(cloud.points);
    const auto sigma_m = upload(cloud.sigma_m);
    const std::vector<std::int64_t> size = {static_cast<std::int64_t>(cloud.points.size())};
    const auto count = upload(size);
    const std::vector<FilterFrame> frames = {frame()};
    const auto device_frame = upload(frames);
    const Fitted before = estimate(skeleton, pose);
    Fitted fitted;
    std::vector<GuardedDevice<float>> parts;
    for (const auto* part : {&before.centre, &before.pose, &before.joints}) {
      parts.emplace_back(static_cast<std::int64_t>(part->size()), stream());
      copy_to_device(std::span<const float>(*part), parts.back().span(), stream());
    }
    fit.enqueue_points(points.data(), cloud.sigma_m.empty() ? nullptr : sigma_m.data(), count.data(),
                       stream());
    fit.enqueue_fit(
        {device_frame.data(), parts[0].span().data(), parts[1].span().data(), parts[2].span().data()},
        stream());
    for (GuardedDevice<float>& part : parts) EXPECT_TRUE(part.intact());
    return {parts[0].to_host(), parts[1].to_host(), parts[2].to_host()};
  }

  // Both teams have the bits of the CPU. Returns whether the pose moved.
  bool expect_twins(const Skeleton& skeleton, const CloudView& cloud, std::span<const float> pose,
                    const SensorModel& sensor = {}, int of_steps = steps) {
    const Fitted expected = on_cpu(skeleton, cloud, pose, sensor, of_steps);
    for (const Team team : {Team::cluster, Team::one_block})
      EXPECT_EQ(on_gpu(skeleton, cloud, pose, sensor, of_steps, team), expected)
          << "team " << static_cast<int>(team);
    return !std::equal(pose.begin(), pose.end(), expected.pose.begin());
  }

  // Some centimetres and some hundredths of a radian off.
  static std::vector<float> disturbed(std::span<const float> pose, std::uint64_t seed) {
    std::vector<float> moved =
        test::random_values<float>(static_cast<std::int64_t>(pose.size()), -0.06f, 0.06f, seed);
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += pose[i];
    return moved;
  }
};

TEST_F(EstimateFitCudaTest, HasTheBitsOfTheCpuForAnyNumberOfPoints) {
  const Walk walk(1);
  int moved = 0;
  for (const std::int64_t points :
       {0, 1, 2, 31, 32, 33, 255, 256, 257, 511, 1021, 1793, 2047, 2048, 2049, 9001}) {
    SCOPED_TRACE(points);
    moved += expect_twins(walk.skeleton, walk.points(0, points),
                          disturbed(walk.pose(0), static_cast<std::uint64_t>(points)))
                 ? 1
                 : 0;
  }
  EXPECT_GE(moved, 10);  // a few points move nothing, or little
}

TEST_F(EstimateFitCudaTest, HasTheBitsOfTheCpuOnAWalk) {
  const Walk walk(24);
  for (std::int64_t frame = 0; frame < walk.frames; ++frame) {
    SCOPED_TRACE(frame);
    EXPECT_TRUE(expect_twins(walk.skeleton, walk.points(frame, 3000),
                             disturbed(walk.pose(frame), static_cast<std::uint64_t>(frame))));
  }
}

TEST_F(EstimateFitCudaTest, HasTheBitsOfTheCpuForAnyNumberOfSteps) {
  const Walk walk(1);
  const std::vector<float> pose = disturbed(walk.pose(0), 1);
  const std::vector<Vec3> points = walk.points(0, 2500);
  EXPECT_FALSE(expect_twins(walk.skeleton, points, pose, {}, 0));
  for (const int of_steps : {1, 2, 3, 30})
    EXPECT_TRUE(expect_twins(walk.skeleton, points, pose, {}, of_steps));
}

TEST_F(EstimateFitCudaTest, HasTheBitsOfTheCpuForSigmasAndAMovedCamera) {
  const Walk walk(1);
  const std::vector<float> drawn = test::random_values<float>(3000, 0.001f, 0.1f, 4);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<Vec3> points = walk.points(0, 3000);
  std::vector<float> sigma_m;
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i] = {points[i].x + 0.5f, points[i].y - 0.25f, points[i].z + 1};
    if (i % 17 == 0) points[i].y = nan;
    if (i % 19 == 0) points[i].z = -1;
    sigma_m.push_back(i % 23 == 0 ? 0.0f : i % 29 == 0 ? nan : drawn[i]);
  }
  SensorModel sensor;
  sensor.camera = {0.5f, -0.25f, 1};
  sensor.tau_m = 0.2f;
  std::vector<float> pose = disturbed(walk.pose(0), 1);
  pose[0] += 0.5f;
  pose[1] -= 0.25f;
  pose[2] += 1;
  EXPECT_TRUE(expect_twins(walk.skeleton, {points, sigma_m}, pose, sensor));
  EXPECT_TRUE(expect_twins(walk.skeleton, points, pose, sensor));
}

// Steps that are not taken, damping that grows, limits that are met, points with the same key.
TEST_F(EstimateFitCudaTest, HasTheBitsOfTheCpuInOddPlaces) {
  const Walk walk(1);
  const std::vector<Vec3> points = walk.points(0, 2500);
  std::vector<float> far(walk.pose(0).begin(), walk.pose(0).end());
  far[0] += 50;
  EXPECT_FALSE(expect_twins(walk.skeleton, points, far));
  for (const float aside : {0.1f, 0.2f, 0.4f, 0.8f}) {
    std::vector<float> pose = disturbed(walk.pose(0), 1);
    pose[0] += aside;
    for (std::size_t i = 7; i < pose.size(); i += 5) pose[i] += aside;
    walk.skeleton.clamp(pose);
    SCOPED_TRACE(aside);
    expect_twins(walk.skeleton, points, pose);
  }
  const std::vector<Vec3> one_place(700, points.front());
  expect_twins(walk.skeleton, one_place, walk.pose(0));
  const std::vector<Vec3> behind(300, Vec3{0, 0, -1});
  EXPECT_FALSE(expect_twins(walk.skeleton, behind, walk.pose(0)));
}

// A chain of joints with three angles each, spheres among its capsules, and one joint that turns freely.
Skeleton chain(int length) {
  std::vector<Joint> joints;
  std::vector<BodyCapsule> capsules;
  for (int j = 0; j < length; ++j) {
    Joint joint;
    joint.name = "joint" + std::to_string(j);
    joint.parent = j - 1;
    joint.offset_m = j == 0 ? Vec3{} : Vec3{0, 0.1f, 0};
    if (j > 0)
      for (const Axis axis : {Axis::z, Axis::x, Axis::y})
        joint.rotations.push_back(j == 2 ? Rotation{axis} : Rotation{axis, -1, 1});
    joints.push_back(joint);
    capsules.push_back({j, {{0, 0, 0}, 0.05f, {0, j % 3 == 0 ? 0.0f : 0.1f, 0}}});
  }
  return {joints, capsules};
}

TEST_F(EstimateFitCudaTest, HasTheBitsOfTheCpuForOtherSkeletons) {
  for (const int length : {1, 2, 5, 13, 25}) {
    const Skeleton skeleton = chain(length);
    std::vector<float> pose = skeleton.rest_pose();
    pose[2] = 2;
    RenderOptions options;
    options.points = 1500;
    const std::vector<Vec3> points = render_points(skeleton.capsules(pose), options);
    SCOPED_TRACE(length);
    ASSERT_TRUE(EstimateFitCuda::has_room_for(skeleton));
    EXPECT_TRUE(expect_twins(skeleton, points, disturbed(pose, 2)));
  }
  EXPECT_FALSE(EstimateFitCuda::has_room_for(chain(Skeleton::max_joints)));
}

// Then the filter fits on the host.
TEST_F(EstimateFitCudaTest, AFilterFollowsASkeletonWithoutRoomOnTheGpu) {
  const Skeleton skeleton = chain(60);
  ASSERT_FALSE(EstimateFitCuda::has_room_for(skeleton));
  std::vector<float> pose = skeleton.rest_pose();
  pose[1] = -3;
  pose[2] = 6;
  const FilterOptions options{.samples = 100, .layers = 2};
  ParticleFilter on_host(skeleton, options, Device::cpu()), on_device(skeleton, options, Device::cuda());
  on_host.start(pose);
  on_device.start(pose);
  for (const float bend : {0.01f, 0.02f}) {
    for (std::size_t i = 7; i < pose.size(); ++i) pose[i] = bend;
    RenderOptions rendering;
    rendering.points = 1500;
    const std::vector<Vec3> points = render_points(skeleton.capsules(pose), rendering);
    expect_same(on_device.step(points), on_host.step(points));
  }
}

TEST_F(EstimateFitCudaTest, SeesOtherPoints) {
  const Walk walk(1);
  const std::vector<float> pose = disturbed(walk.pose(0), 1);
  std::vector<Vec3> points = walk.points(0, 2000);
  const Fitted expected = on_cpu(walk.skeleton, points, pose);
  points[1000].z += 0.01f;
  EXPECT_NE(on_gpu(walk.skeleton, points, pose), expected);
}

}  // namespace
}  // namespace triptych::capsule_likelihood
