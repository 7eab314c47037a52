// Gauss-Newton steps on patches: the GPU's against the CPU's.
#include <triptych/aam_fit/fit.hpp>

#include "aam_fit/fit/refine/made_up_patches.hpp"
#include "fit/refine/refine_cpu.hpp"
#include "fit/refine/refine_cuda.hpp"
#include "testing/cuda_fixture.hpp"

namespace triptych::aam_fit {
namespace {

class RefineCuda : public test::CudaFixture {};

const Features edges{.kind = FeatureKind::double_angle, .smooth_px = 0.7f, .local_px = 6, .pool_px = 1.5f};

TEST_F(RefineCuda, EndsWhereTheCpuEnds) {
  for (const Features& features : {Features{}, edges})
    for (const auto& [modes, side, rows] : {std::tuple{4, 6, 2}, {1, 2, 0}, {17, 5, 33}, {2, 40, 1}}) {
      const test::PatchWorld made = test::make_patch_world(features, modes, side, rows);
      const Model& model = made.world.model;
      const LevelFitter fitter(model.levels.back());
      // Three faces with two fits each; one is lost and must stay as it is.
      constexpr int faces = 3, starts = 2, fits = faces * starts, lost = 3;
      const auto q = static_cast<std::size_t>(modes) + 4;
      std::vector<float> planes, parameters;
      std::vector<DeviceLevelFit> outcomes(fits);
      outcomes[lost].status = static_cast<std::int32_t>(FitStatus::lost_outside);
      std::vector<std::vector<float>> expected;
      for (int i = 0; i < fits; ++i) {
        if (i % starts == 0)
          planes.insert(planes.end(), made.planes.values.begin(), made.planes.values.end());
        std::vector<float> p = made.truth;
        p[q - 2] += 0.4f * static_cast<float>(i) - 1;
        p[q - 1] -= 0.3f * static_cast<float>(i);
        parameters.insert(parameters.end(), p.begin(), p.end());
        RefinerCpu refiner(model);
        if (i != lost) refiner.refine(made.planes.view(), 3, p);
        expected.push_back(p);
      }
      const auto planes_there = upload(planes);
      const auto outcomes_there = upload(outcomes);
      auto there = upload(parameters);
      RefinerCuda refiner(model, 3, fits, stream());
      refiner.refine(planes_there.data(), static_cast<std::int64_t>(made.planes.values.size()),
                     made.planes.width, made.planes.height, starts, there.span(), outcomes_there.span(),
                     stream());
      std::vector<float> got(parameters.size());
      copy_to_host(there.span(), std::span(got), stream());
      stream().synchronize();
      for (int i = 0; i < fits; ++i) {
        const std::vector<float> p(got.begin() + static_cast<std::ptrdiff_t>(q) * i,
                                   got.begin() + static_cast<std::ptrdiff_t>(q) * (i + 1));
        if (i == lost) {
          EXPECT_EQ(p, expected[lost]);
        }
        // sums of some thousand floats in another order: 1e-4 of a step of a few pixels
        EXPECT_LT(test::largest_distance(fitter.shape_of(p),
                                         fitter.shape_of(expected[static_cast<std::size_t>(i)])),
                  1e-3)
            << modes << ", " << side << ", " << rows << ": fit " << i;
      }
    }
}

TEST_F(RefineCuda, AFitOnTheGpuIsRefinedAsOnTheCpu) {
  test::PatchWorld made = test::make_patch_world(edges, 4, 6, 2);
  for (Level& level : made.world.model.levels) level.iterations = 1;
  const Shape start = test::displaced(made.world.truth, 0.03, 0.02, 1.02);
  for (const int steps : {0, 1, 3}) {
    const FitterOptions options{.max_faces = 2, .refinement_steps = steps, .min_confidence = 0};
    Fitter gpu(made.world.model, options, Device::cuda(0)), cpu(made.world.model, options, Device::cpu(1));
    const Face face{made.world.frame.view(), start};
    const Fit a = gpu.step(face), b = cpu.step(face);
    EXPECT_LT(test::largest_distance(a.landmarks, b.landmarks), 0.02) << steps;
    const std::vector<Fit> batch = gpu.step(std::vector<Face>{face, face});
    for (const Fit& one : batch) EXPECT_LT(test::largest_distance(one.landmarks, b.landmarks), 0.02) << steps;
    EXPECT_EQ(gpu.step(face).landmarks, a.landmarks);
  }
}

}  // namespace
}  // namespace triptych::aam_fit
