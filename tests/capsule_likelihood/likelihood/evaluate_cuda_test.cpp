// evaluate_cuda: every form gives the bits of the CPU.
#include <triptych/capsule_likelihood/likelihood.hpp>
#include <triptych/core/graph.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "testing/capsule_scene.hpp"
#include "testing/cuda_fixture.hpp"
#include "testing/expect_error.hpp"
#include "testing/random.hpp"

namespace triptych::capsule_likelihood {
namespace {

using test::CapsuleScene;
using test::make_capsule_scene;

const EvaluateOptions all_forms[] = {{Method::brute}, {Method::culled}, {Method::tiled}};

class EvaluateCuda : public test::CudaFixture {
 protected:
  std::vector<double> on_gpu(const std::vector<Vec3>& points, const std::vector<float>& sigma,
                             const SensorModel& m, MatrixView<const Capsule> bodies,
                             const EvaluateOptions& options) {
    const auto device_points = upload(points);
    const auto device_sigma = upload(sigma);
    const auto device_bodies =
        upload(std::span(bodies.data(), static_cast<std::size_t>(bodies.rows() * bodies.stride())));
    DeviceRays rays(static_cast<std::int64_t>(points.size()), m);
    rays.set(device_points.span(), device_sigma.span(), workspace_, stream());
    test::GuardedDevice<double> result(bodies.rows(), stream());
    evaluate_cuda(rays, {device_bodies.data(), bodies.rows(), bodies.cols(), bodies.stride()}, result.span(),
                  options, workspace_, stream());
    std::vector<double> found = result.to_host();
    EXPECT_TRUE(result.intact());
    return found;
  }

  static std::vector<double> on_cpu(const std::vector<Vec3>& points, const std::vector<float>& sigma,
                                    const SensorModel& m, MatrixView<const Capsule> bodies) {
    std::vector<double> result(static_cast<std::size_t>(bodies.rows()));
    evaluate_cpu(Rays(points, sigma, m), bodies, result);
    return result;
  }

  static std::vector<SensorModel> all_sensors() {
    std::vector<SensorModel> sensors;
    for (const Loss loss : {Loss::squared, Loss::absolute})
      for (const Surface surface : {Surface::closest, Surface::first})
        for (const CameraInside inside : {CameraInside::exit_surface, CameraInside::ignore})
          sensors.push_back({loss, surface, inside, 0.03f, 0.2f, {0.01f, -0.02f, 0.05f}});
    return sensors;
  }
};

TEST_F(EvaluateCuda, HasTheBitsOfTheCpuForOddSizes) {
  struct Shape {
    std::int64_t samples, capsules, points;
  };
  const Shape shapes[] = {{0, 3, 40},     {3, 0, 40},    {1, 1, 0},      {1, 1, 1},     {2, 3, 31},
                          {3, 5, 32},     {2, 7, 33},    {15, 9, 127},   {16, 40, 128}, {17, 17, 129},
                          {33, 70, 1023}, {5, 20, 1024}, {64, 31, 1025}, {7, 33, 17003}};
  for (const Shape& shape : shapes) {
    const CapsuleScene scene = make_capsule_scene(shape.samples, shape.capsules, shape.points, 7);
    const std::vector<float> sigma = test::random_values<float>(shape.points, 0.01f, 0.2f, 8);
    for (const SensorModel& m : all_sensors()) {
      for (const std::vector<float>& weights : {std::vector<float>{}, sigma}) {
        const std::vector<double> expected = on_cpu(scene.points, weights, m, scene.view());
        for (const EvaluateOptions& options : all_forms) {
          ASSERT_EQ(on_gpu(scene.points, weights, m, scene.view(), options), expected)
              << "method " << static_cast<int>(options.method) << ", " << shape.samples << " x "
              << shape.capsules << " x " << shape.points << ", weights " << weights.size();
        }
      }
    }
  }
}

TEST_F(EvaluateCuda, HasTheBitsOfTheCpuForHostileBodies) {
  constexpr std::uint64_t seed = 11;
  TRIPTYCH_TRACE_SEED(seed);
  const auto scene = test::make_hostile_scene(100, 13, 9000, seed);
  const std::vector<Vec3>& points = scene.points;
  const MatrixView<const Capsule> view = scene.view();
  for (const SensorModel& m : all_sensors()) {
    const std::vector<double> expected = on_cpu(points, {}, m, view);
    for (const EvaluateOptions& options : all_forms)
      ASSERT_EQ(on_gpu(points, {}, m, view, options), expected) << static_cast<int>(options.method);
  }
}

TEST_F(EvaluateCuda, AnyCutGivesTheSameBits) {
  const CapsuleScene scene = make_capsule_scene(70, 25, 5000, 9);
  const std::vector<double> expected = on_cpu(scene.points, {}, {}, scene.view());
  for (const EvaluateOptions& options : all_forms) {
    for (const int samples : {1, 7, 16, 33, 1000}) {
      for (const int points : {options.method == Method::brute ? 256 : 64, 128, 0}) {
        EXPECT_EQ(on_gpu(scene.points, {}, {}, scene.view(), {options.method, samples, points}), expected)
            << static_cast<int>(options.method) << ", " << samples << " samples a launch, " << points
            << " points a block";
      }
    }
  }
  // rows that lie apart
  const MatrixView<const Capsule> some(scene.bodies.data(), 70, 20, 25);
  EXPECT_EQ(on_gpu(scene.points, {}, {}, some, {}), on_cpu(scene.points, {}, {}, some));
}

TEST_F(EvaluateCuda, APerturbedCapsuleChangesTheBits) {
  CapsuleScene scene = make_capsule_scene(1, 20, 3000, 9);
  const std::vector<double> expected = on_cpu(scene.points, {}, {}, scene.view());
  scene.bodies[3].a.x += 1e-5f;
  for (const EvaluateOptions& options : all_forms)
    EXPECT_NE(on_gpu(scene.points, {}, {}, scene.view(), options), expected);
}

TEST_F(EvaluateCuda, ABrokenCapsuleMakesItsBodyNaNAndNoOther) {
  CapsuleScene scene = make_capsule_scene(40, 9, 2000, 12);
  const std::vector<double> whole = on_cpu(scene.points, {}, {}, scene.view());
  scene.bodies[3 * 9 + 8].radius_m = -0.1f;
  scene.bodies[17 * 9].b.y = std::numeric_limits<float>::quiet_NaN();
  scene.bodies[39 * 9 + 4].a.z = std::numeric_limits<float>::infinity();
  for (const EvaluateOptions& options : all_forms) {
    const std::vector<double> found = on_gpu(scene.points, {}, {}, scene.view(), options);
    for (std::size_t j = 0; j < found.size(); ++j) {
      if (j == 3 || j == 17 || j == 39) {
        EXPECT_TRUE(std::isnan(found[j])) << j;
      } else {
        EXPECT_EQ(found[j], whole[j]) << j;
      }
    }
  }
}

TEST_F(EvaluateCuda, CanBeCapturedRepeatsItsBitsAndAllocatesNothing) {
  const CapsuleScene scene = make_capsule_scene(300, 40, 20000, 10);
  const std::vector<double> expected = on_cpu(scene.points, {}, {}, scene.view());
  const auto points = upload(scene.points);
  const auto bodies = upload(scene.bodies);
  DeviceBuffer<double> result(300);
  DeviceRays rays(20000, {});
  for (const EvaluateOptions& options : all_forms) {
    const auto enqueue = [&] {
      rays.set(points.span(), {}, workspace_, stream());
      evaluate_cuda(rays, {bodies.data(), 300, 40}, result.span(), options, workspace_, stream());
    };
    enqueue();
    stream().synchronize();
    const std::int64_t before = device_allocation_count();
    const Graph graph = Graph::capture(stream(), enqueue);
    for (int run = 0; run < 100; ++run) {
      fill_bytes(result.span(), 0xFF, stream());
      graph.launch(stream());
      std::vector<double> found(300);
      copy_to_host(result.span(), std::span<double>(found), stream());
      stream().synchronize();
      ASSERT_EQ(found, expected) << "run " << run;
    }
    EXPECT_EQ(device_allocation_count(), before);
  }
}

// One size past each limit of the paper: 4,194,240 points, 65,535 samples, 64 capsules; and far more
// capsules.
TEST_F(EvaluateCuda, GoesBeyondThePapersLimits) {
  const CapsuleScene few = make_capsule_scene(5, 65, 4100, 19);
  std::vector<Vec3> many_points;
  while (many_points.size() < 4194241)
    many_points.insert(many_points.end(), few.points.begin(), few.points.end());
  many_points.resize(4194241);
  const MatrixView<const Capsule> two = few.view(0, 2);
  const std::vector<double> expected = on_cpu(many_points, {}, {}, two);
  for (const EvaluateOptions& options : all_forms)
    EXPECT_EQ(on_gpu(many_points, {}, {}, two, options), expected) << static_cast<int>(options.method);

  std::vector<Capsule> many_bodies;
  for (std::int64_t j = 0; j < 65537; ++j) {
    const auto row = few.view().row(j % 5);
    many_bodies.insert(many_bodies.end(), row.begin(), row.end());
  }
  const std::vector<double> five = on_cpu(few.points, {}, {}, few.view());
  for (const EvaluateOptions& options : {EvaluateOptions{Method::culled}, EvaluateOptions{Method::brute}}) {
    const std::vector<double> found = on_gpu(few.points, {}, {}, {many_bodies.data(), 65537, 65}, options);
    for (std::size_t j = 0; j < found.size(); ++j) ASSERT_EQ(found[j], five[j % 5]) << j;
  }

  const CapsuleScene large = make_capsule_scene(20, 1100, 2000, 20);
  const std::vector<double> of_large = on_cpu(large.points, {}, {}, large.view());
  for (const EvaluateOptions& options : all_forms)
    EXPECT_EQ(on_gpu(large.points, {}, {}, large.view(), options), of_large)
        << static_cast<int>(options.method);
}

TEST_F(EvaluateCuda, RefusesWhatDoesNotFit) {
  const auto bodies = upload(std::vector<Capsule>(6));
  DeviceBuffer<double> result(2);
  DeviceRays rays(10, {});
  const DeviceMatrixView<const Capsule> three(bodies.data(), 3, 2), two(bodies.data(), 2, 3);
  EXPECT_ERROR(evaluate_cuda(rays, three, result.span(), {}, workspace_, stream()), InvalidArgument,
               "3 bodies but 2 results");
  EXPECT_ERROR(evaluate_cuda(rays, two, result.span(), {Method::culled, 0, 100}, workspace_, stream()),
               InvalidArgument, "64 or 128");
  EXPECT_ERROR(evaluate_cuda(rays, two, result.span(), {Method::tiled, -1}, workspace_, stream()),
               InvalidArgument, "-1 samples a launch");
}

}  // namespace
}  // namespace triptych::capsule_likelihood
