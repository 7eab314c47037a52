#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/core/graph.hpp>

#include <cstring>

#include "capsule_likelihood/body/poses.hpp"
#include "testing/cuda_fixture.hpp"
#include "testing/expect_error.hpp"

namespace triptych::capsule_likelihood {
namespace {

class PoseCuda : public triptych::test::CudaFixture {
 protected:
  struct Result {
    std::vector<Vec3> joints;
    std::vector<Capsule> bodies;
  };

  Result on_gpu(const Skeleton& skeleton, const std::vector<float>& poses, std::int64_t rows) {
    const DeviceSkeleton on_device(skeleton);
    const DeviceBuffer<float> uploaded = upload(poses);
    triptych::test::GuardedDevice<Vec3> joints(rows * skeleton.joint_count(), stream());
    triptych::test::GuardedDevice<Capsule> bodies(rows * skeleton.capsule_count(), stream());
    pose_cuda(on_device, {uploaded.data(), rows, skeleton.pose_size()},
              {joints.span().data(), rows, skeleton.joint_count()},
              {bodies.span().data(), rows, skeleton.capsule_count()}, stream());
    Result result{joints.to_host(), bodies.to_host()};
    EXPECT_TRUE(joints.intact());
    EXPECT_TRUE(bodies.intact());
    return result;
  }

  static Result on_cpu(const Skeleton& skeleton, const std::vector<float>& poses, std::int64_t rows) {
    Result result;
    result.joints.resize(static_cast<std::size_t>(rows * skeleton.joint_count()));
    result.bodies.resize(static_cast<std::size_t>(rows * skeleton.capsule_count()));
    pose_cpu(skeleton, {poses.data(), rows, skeleton.pose_size()},
             {result.joints.data(), rows, skeleton.joint_count()},
             {result.bodies.data(), rows, skeleton.capsule_count()});
    return result;
  }

  static bool same_bits(const Result& a, const Result& b) {
    return a.joints.size() == b.joints.size() && a.bodies.size() == b.bodies.size() &&
           std::memcmp(a.joints.data(), b.joints.data(), a.joints.size() * sizeof(Vec3)) == 0 &&
           std::memcmp(a.bodies.data(), b.bodies.data(), a.bodies.size() * sizeof(Capsule)) == 0;
  }
};

TEST_F(PoseCuda, HasTheBitsOfTheCpuForAHuman) {
  const Skeleton human = make_human();
  for (const std::int64_t rows : {1, 2, 7, 8, 9, 31, 32, 33, 1009, 4000}) {
    const std::vector<float> poses = test::random_poses(human, rows, 7.0f, static_cast<std::uint64_t>(rows));
    EXPECT_TRUE(same_bits(on_gpu(human, poses, rows), on_cpu(human, poses, rows))) << rows;
  }
}

TEST_F(PoseCuda, HasTheBitsOfTheCpuForAnyTree) {
  for (const int joints : {1, 2, 15, 16, 17, 31, 33, 200, static_cast<int>(Skeleton::max_joints)}) {
    const Skeleton skeleton = test::random_skeleton(joints, joints + 3, 77);
    const std::vector<float> poses = test::random_poses(skeleton, 37, 20.0f, 9);
    EXPECT_TRUE(same_bits(on_gpu(skeleton, poses, 37), on_cpu(skeleton, poses, 37))) << joints;
  }
}

TEST_F(PoseCuda, SeesAChangedAngle) {
  const Skeleton human = make_human();
  std::vector<float> poses = test::random_poses(human, 10, 1.0f, 3);
  const Result expected = on_cpu(human, poses, 10);
  const int changed = 9 * human.pose_size() + human.first_angle(human.find("chest"));
  float& angle = poses[static_cast<std::size_t>(changed)];
  angle = std::nextafter(angle, 10.0f) + 1e-6f;
  EXPECT_FALSE(same_bits(on_gpu(human, poses, 10), expected));
}

TEST_F(PoseCuda, CanBeCapturedAndLeavesOutWhatIsNotAsked) {
  const Skeleton human = make_human();
  const std::vector<float> poses = test::random_poses(human, 100, 1.0f, 3);
  const DeviceSkeleton on_device(human);
  const DeviceBuffer<float> uploaded = upload(poses);
  DeviceBuffer<Capsule> bodies(100 * 40);
  const std::int64_t allocations = device_allocation_count();
  const Graph graph = Graph::capture(stream(), [&] {
    pose_cuda(on_device, {uploaded.data(), 100, human.pose_size()}, {}, {bodies.data(), 100, 40}, stream());
  });
  graph.launch(stream());
  EXPECT_EQ(device_allocation_count(), allocations);
  std::vector<Capsule> found(100 * 40);
  copy_to_host(bodies.span(), std::span<Capsule>(found), stream());
  stream().synchronize();
  EXPECT_EQ(found, on_cpu(human, poses, 100).bodies);
}

TEST_F(PoseCuda, RefusesSizesThatDoNotFit) {
  const Skeleton human = make_human();
  const DeviceSkeleton on_device(human);
  const DeviceBuffer<float> poses(100);
  EXPECT_ERROR(pose_cuda(on_device, {poses.data(), 2, 44}, {}, {}, stream()), InvalidArgument,
               "poses of 44 numbers");
  pose_cuda(on_device, {}, {}, {}, stream());
}

}  // namespace
}  // namespace triptych::capsule_likelihood
