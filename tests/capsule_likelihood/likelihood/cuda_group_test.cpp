// CudaGroup and tuned launch parameters: the bits of the CPU, however the work is distributed.
#include <triptych/capsule_likelihood/cuda_group.hpp>
#include <triptych/capsule_likelihood/tune.hpp>
#include <triptych/core/device.hpp>

#include <numeric>

#include "testing/capsule_scene.hpp"
#include "testing/cuda_fixture.hpp"
#include "testing/expect_error.hpp"
#include "testing/random.hpp"
#include "testing/temporary_directory.hpp"

namespace triptych::capsule_likelihood {
namespace {

using test::CapsuleScene;
using test::make_capsule_scene;

class CudaGroupCuda : public test::CudaFixture {};

TEST_F(CudaGroupCuda, AnyGroupHasTheBitsOfTheCpu) {
  const CapsuleScene scene = make_capsule_scene(1003, 20, 4000, 31);
  const std::vector<float> sigma = test::random_values<float>(4000, 0.01f, 0.1f, 32);
  std::vector<int> every(static_cast<std::size_t>(cuda_device_count()));
  std::iota(every.begin(), every.end(), 0);
  for (const bool weighted : {false, true}) {
    const std::span<const float> sigmas = weighted ? std::span<const float>(sigma) : std::span<const float>{};
    std::vector<double> expected(1003);
    const Rays rays(scene.points, sigmas, {});
    evaluate_cpu(rays, scene.view(), expected);
    for (const std::vector<int>& ordinals :
         {std::vector<int>{0}, std::vector<int>{0, 0}, std::vector<int>{0, 0, 0}, every}) {
      CudaGroup group(ordinals, 5000, {});
      EXPECT_EQ(group.size(), static_cast<int>(ordinals.size()));
      EXPECT_EQ(group.set(scene.points, sigmas).used, rays.count().used);
      EXPECT_EQ(group.max_loss(), rays.max_loss());
      for (int run = 0; run < 3; ++run) {
        std::vector<double> found(1003);
        group.evaluate(scene.view(), found);
        ASSERT_EQ(found, expected) << ordinals.size() << " members";
      }
    }
  }
}

TEST_F(CudaGroupCuda, TakesRowsThatLieApartAndNone) {
  const CapsuleScene scene = make_capsule_scene(300, 12, 1000, 33);
  const MatrixView<const Capsule> some(scene.bodies.data(), 300, 7, 12);
  std::vector<double> expected(300), found(300);
  evaluate_cpu(Rays(scene.points, {}, {}), some, expected);
  const int twice[] = {0, 0};
  CudaGroup group(twice, 1000, {});
  group.set(scene.points);
  group.evaluate(some, found);
  EXPECT_EQ(found, expected);
  group.evaluate(MatrixView<const Capsule>(scene.bodies.data(), 0, 7), {});
}

TEST_F(CudaGroupCuda, RefusesWhatMakesNoSense) {
  const int one[] = {0};
  EXPECT_ERROR(CudaGroup({}, 10, {}), InvalidArgument, "at least one GPU");
  const int missing[] = {0, 999};
  EXPECT_THROW(CudaGroup(missing, 10, {}), Unavailable);
  CudaGroup group(one, 10, {});
  const std::vector<Vec3> points(11);
  EXPECT_ERROR(group.set(points), InvalidArgument, "room for 10 points, not for 11");
  const std::vector<Capsule> body(2, Capsule{{}, -1, {}});
  std::vector<double> result(1);
  const std::vector<Capsule> good(2);
  EXPECT_ERROR(group.evaluate({good.data(), 1, 2}, result), InvalidArgument, "call set() first");
  EXPECT_ERROR(group.evaluate({body.data(), 1, 2}, result), InvalidArgument, "capsule 0 of sample 0");
}

TEST_F(CudaGroupCuda, ATunedCutIsRememberedAndChangesNoBits) {
  const test::TemporaryDirectory directory;
  const CapsuleScene scene = make_capsule_scene(130, 20, 3000, 34);
  std::vector<double> expected(130);
  evaluate_cpu(Rays(scene.points, {}, {}), scene.view(), expected);
  const auto points = upload(scene.points);
  const auto bodies = upload(scene.bodies);
  DeviceRays rays(3000, {});
  rays.set(points.span(), {}, workspace_, stream());
  const DeviceMatrixView<const Capsule> view(bodies.data(), 130, 20);
  DeviceBuffer<double> result(130);
  for (const Method method : {Method::culled, Method::brute, Method::tiled}) {
    reduction::TuningCache cache(directory / "tuning.json");
    const EvaluateOptions best = tune_evaluate_cuda(cache, rays, view, method, workspace_, stream());
    EXPECT_EQ(best.method, method);
    const std::size_t size = reduction::TuningCache(directory / "tuning.json").size();
    EXPECT_EQ(size, cache.size());
    evaluate_cuda(rays, view, result.span(), {method}, workspace_, stream());
    std::vector<double> found(130);
    copy_to_host(result.span(), std::span<double>(found), stream());
    stream().synchronize();
    EXPECT_EQ(found, expected);
  }
}

}  // namespace
}  // namespace triptych::capsule_likelihood
