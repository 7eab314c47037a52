// Fits with a search for the step on the GPU: where they end and why, and that trying step sizes together is
// trying them one by one.
#include "aam_fit/fit/cuda/cuda_fits.hpp"
#include "aam_fit/fit/double_fit.hpp"

namespace triptych::aam_fit {
namespace {

using test::AamScene;
using test::CudaFit;
using test::make_aam_scene;

class FitCudaSearch : public test::CudaFits {
 protected:
  // R longer by a factor: whole steps overshoot, smaller ones do not.
  static AamScene overshooting(std::int64_t pixels, int modes, float factor) {
    AamScene scene = make_aam_scene({pixels, modes, 1, 0.1, 1, 11});
    std::vector<float> R(scene.level.R.begin(), scene.level.R.end());
    for (float& v : R) v *= factor;
    scene.level.R = std::move(R);
    return scene;
  }
  FitStatus status(const CudaFit& fit) { return static_cast<FitStatus>(fit.result.status); }
};

TEST_F(FitCudaSearch, TogetherIsOneByOne) {
  for (const auto& [pixels, modes, storage] : {std::tuple{std::int64_t{4099}, 20, Storage::float32},
                                               {16384, 33, Storage::float32},
                                               {16384, 64, Storage::float32},
                                               {65536, 60, Storage::float32},
                                               {65536, 60, Storage::float16},
                                               {70001, 36, Storage::float32}}) {
    for (const float factor : {1.0f, 2.5f, 6.0f, 100.0f}) {
      SCOPED_TRACE(testing::Message() << pixels << " pixels, " << modes << " modes, R times " << factor);
      const AamScene scene = overshooting(pixels, modes, factor);
      FitOptions options;
      options.storage = storage;
      options.max_iterations = 12;
      options.steps = 6;  // two groups after the whole step
      const CudaFit batched = fit(scene, options);
      options.batched_line_search = false;
      const CudaFit one_by_one = fit(scene, options);
      EXPECT_EQ(batched.parameters, one_by_one.parameters);
      EXPECT_EQ(batched.result.error, one_by_one.result.error);
      EXPECT_EQ(batched.result.iterations, one_by_one.result.iterations);
      EXPECT_EQ(batched.result.evaluations, one_by_one.result.evaluations);
      EXPECT_EQ(batched.result.status, one_by_one.result.status);
      if (factor == 2.5f || factor == 6.0f) {
        EXPECT_GT(batched.result.iterations, 0);
        EXPECT_GT(batched.result.evaluations, batched.result.iterations + 1) << "no step failed";
      }
    }
  }
}

TEST_F(FitCudaSearch, EndsWhereTheErrorIsWhatItSays) {
  for (const Form form : {Form::one_pass, Form::paper}) {
    const AamScene scene = overshooting(16384, 60, 2.5f);
    FitOptions options;
    options.form = form;
    const CudaFit got = fit(scene, options);
    const auto start =
        test::evaluate_in_double(scene.level, scene.planes, {scene.start.begin(), scene.start.end()});
    const auto end = test::evaluate_in_double(scene.level, scene.planes, got.in_double());
    const double bound = 64 * 0x1p-24 * end.error_magnitude;  // see double_fit.hpp
    EXPECT_NEAR(double{got.result.error}, end.error, bound);
    EXPECT_LT(end.error, 0.5 * start.error);
    EXPECT_EQ(status(got), FitStatus::converged);
  }
}

TEST_F(FitCudaSearch, BothFormsSearchAlike) {
  const AamScene scene = overshooting(16384, 60, 2.5f);
  FitOptions options;
  const CudaFit one = fit(scene, options);
  options.form = Form::paper;
  const CudaFit ten = fit(scene, options);
  EXPECT_EQ(one.result.iterations, ten.result.iterations);
  EXPECT_EQ(one.result.evaluations, ten.result.evaluations);
  EXPECT_EQ(one.result.status, ten.result.status);
  const auto oracle = test::fit_in_double(scene.level, scene.planes, scene.start, 2);
  EXPECT_LE(test::landmark_distance(scene.level, one.in_double(), ten.in_double()), 20 * oracle.bound_px);
}

TEST_F(FitCudaSearch, StopsWhenLost) {
  for (const Form form : {Form::one_pass, Form::paper}) {
    for (const bool always : {false, true}) {
      FitOptions options;
      options.form = form;
      options.always_step = always;
      AamScene scene = make_aam_scene({4096, 20, 1, 0.1, 1, 13});
      const auto untouched = scene.start;
      auto away = scene;
      away.start[22] += static_cast<float>(scene.planes.width);
      const CudaFit outside = fit(away, options);
      EXPECT_EQ(status(outside), FitStatus::lost_outside);
      EXPECT_EQ(outside.parameters, away.start);
      EXPECT_EQ(outside.result.iterations, 0);
      auto flat = scene;
      std::fill(flat.planes.values.begin(), flat.planes.values.end(), 77.0f);
      EXPECT_EQ(status(fit(flat, options)), FitStatus::lost_contrast);
      auto negative = scene;
      for (float& v : negative.planes.values) v = 255 - v;
      const CudaFit reversed = fit(negative, options);
      EXPECT_EQ(status(reversed), FitStatus::lost_contrast);
      EXPECT_EQ(reversed.parameters, untouched);
      auto broken = scene;
      broken.start[3] = std::nanf("");
      EXPECT_EQ(status(fit(broken, options)), FitStatus::lost_outside);
    }
  }
}

TEST_F(FitCudaSearch, StopsForEveryReason) {
  AamScene scene = make_aam_scene({4096, 20, 1, 0.1, 1, 13});
  FitOptions options;
  options.min_relative_gain = 0;
  options.min_move_px = 0;
  options.max_iterations = 2;
  EXPECT_EQ(status(fit(scene, options)), FitStatus::out_of_iterations);
  options.max_iterations = 0;
  const CudaFit none = fit(scene, options);
  EXPECT_EQ(status(none), FitStatus::out_of_iterations);
  EXPECT_EQ(none.parameters, scene.start);
  EXPECT_EQ(none.result.evaluations, 1);
  options.max_iterations = 20;
  options.min_move_px = 1e6;
  const CudaFit still = fit(scene, options);
  EXPECT_EQ(status(still), FitStatus::converged);
  EXPECT_LE(still.result.iterations, 1);
  options.min_move_px = 0;
  std::vector<float> R(scene.level.R.begin(), scene.level.R.end());
  for (float& v : R) v = -v;  // uphill
  scene.level.R = std::move(R);
  const CudaFit uphill = fit(scene, options);
  EXPECT_EQ(status(uphill), FitStatus::no_improvement);
  EXPECT_EQ(uphill.result.evaluations, 1 + options.steps);
  EXPECT_EQ(uphill.parameters, scene.start);
}

}  // namespace
}  // namespace triptych::aam_fit
