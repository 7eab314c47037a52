// fit_cuda against fit_cpu: every normalisation and form, and where both stop.
#include <triptych/aam_fit/fit.hpp>

#include "aam_fit/fit/cuda/cuda_fits.hpp"
#include "aam_fit/fit/double_fit.hpp"

namespace triptych::aam_fit {
namespace {

using test::AamScene;
using test::CudaFit;
using test::landmark_distance;
using test::make_aam_scene;
using test::whole_steps;

class FitTwins : public test::CudaFits {
 protected:
  static LevelFit on_cpu(const AamScene& scene, const FitOptions& options) {
    LevelFitter fitter(scene.level, options.storage, 0);
    return fit_cpu(fitter, scene.planes.view(), scene.start, options);
  }
};

TEST_F(FitTwins, WholeStepsAreTheSame) {
  for (const Normalisation normalisation :
       {Normalisation::projection, Normalisation::length, Normalisation::floored})
    for (const Storage storage : {Storage::float32, Storage::float16})
      for (const Form form : {Form::one_pass, Form::paper}) {
        AamScene scene = make_aam_scene({8200, 33, 2, 0.1, 1, 41});
        scene.level.normalisation = normalisation;
        const auto oracle = test::fit_in_double(scene.level, scene.planes, scene.start, 6);
        const FitOptions options = whole_steps(6, storage, form);
        const LevelFit a = on_cpu(scene, options);
        const CudaFit b = fit(scene, options);
        EXPECT_EQ(a.iterations, b.result.iterations);
        EXPECT_EQ(a.evaluations, b.result.evaluations);
        EXPECT_EQ(static_cast<std::int32_t>(a.status), b.result.status);
        // once for each twin
        EXPECT_LE(landmark_distance(scene.level, {a.parameters.begin(), a.parameters.end()}, b.in_double()),
                  2 * oracle.bound_px);
        EXPECT_NEAR(a.error, double{b.result.error}, 2 * oracle.error_bound);
        AamScene other = scene;
        other.start[0] += 0.2f;
        const CudaFit c = fit(other, whole_steps(0, storage, form));
        EXPECT_GT(std::abs(a.errors[0] - double{c.result.error}), 2 * oracle.error_bound)
            << "another start, the same error";
      }
}

TEST_F(FitTwins, SearchesAreTheSame) {
  // R too long by a factor, so that step sizes fail; errors of trials differ by far more than rounding
  for (const float factor : {1.0f, 2.5f, 6.0f}) {
    AamScene scene = make_aam_scene({16384, 60, 1, 0.1, 1, 43});
    std::vector<float> R(scene.level.R.begin(), scene.level.R.end());
    for (float& v : R) v *= factor;
    scene.level.R = std::move(R);
    FitOptions options;
    options.min_move_px = 0.2;  // before the errors of trials come close to each other
    const LevelFit a = on_cpu(scene, options);
    const CudaFit b = fit(scene, options);
    EXPECT_EQ(a.iterations, b.result.iterations);
    EXPECT_EQ(a.evaluations, b.result.evaluations);
    EXPECT_EQ(to_string(a.status), to_string(static_cast<FitStatus>(b.result.status)));
    const auto oracle = test::fit_in_double(scene.level, scene.planes, scene.start, 1);
    EXPECT_LE(landmark_distance(scene.level, {a.parameters.begin(), a.parameters.end()}, b.in_double()),
              2 * (1 + a.iterations) * oracle.bound_px);
  }
}

TEST_F(FitTwins, ParametersOfAShapeAreTheSame) {
  AamScene scene = make_aam_scene({4099, 33, 2, 0.1, 1, 25});
  std::vector<float> with_texture;
  for (const bool texture : {true, false}) {
    scene.level.texture_determines_c = texture;
    LevelFitter cpu(scene.level);
    LevelFitterCuda gpu(scene.level, {}, 1, stream());
    const Shape shape = cpu.shape_of(scene.start);
    std::vector<float> flat;
    flat.reserve(2 * shape.size());
    for (const Point& p : shape) flat.insert(flat.end(), {static_cast<float>(p.x), static_cast<float>(p.y)});
    const auto expected = cpu.parameters_of(scene.planes.view(), shape);
    const auto planes = upload_planes(scene.planes);
    const auto on_device = upload(flat);
    test::GuardedDevice<float> found(gpu.parameter_count(), stream());
    gpu.parameters_of(std::vector<DevicePlanesView>{planes.view}, on_device.span(), found.span(), stream());
    const auto got = found.to_host();
    EXPECT_TRUE(found.intact());
    // sample_warps of 130 pixels in float, and sums of 8198 samples: the bound of double_fit.hpp, once for
    // each twin
    EXPECT_LE(landmark_distance(scene.level, {got.begin(), got.end()}, {expected.begin(), expected.end()}),
              2e-3);
    if (texture) {
      with_texture = got;
    } else {
      EXPECT_NE(got, with_texture);
    }
  }
}

}  // namespace
}  // namespace triptych::aam_fit
