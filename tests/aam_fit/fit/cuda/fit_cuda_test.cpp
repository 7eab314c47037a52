// Fits by whole steps on the GPU against the same in double, for every kernel: sizes, channels, storages,
// forms.
#include <triptych/core/error.hpp>
#include <triptych/core/graph.hpp>

#include <cstdio>
#include <cstring>

#include "aam_fit/fit/cuda/cuda_fits.hpp"
#include "aam_fit/fit/double_fit.hpp"
#include "testing/expect_error.hpp"

namespace triptych::aam_fit {
namespace {

using test::AamScene;
using test::CudaFit;
using test::fit_in_double;
using test::landmark_distance;
using test::make_aam_scene;
using test::whole_steps;

class FitCuda : public test::CudaFits {
 protected:
  void expect_as_in_double(const AamScene& scene, const Level& stored, const FitOptions& options, int spare) {
    const auto oracle = fit_in_double(stored, scene.planes, scene.start, options.max_iterations);
    const CudaFit got = fit(scene, options, spare);
    const double distance = landmark_distance(scene.level, got.in_double(), oracle.parameters);
    EXPECT_LE(distance, oracle.bound_px);
    std::printf("n %lld m %d: off by %.1e px, bound %.1e; error off by %.1e, bound %.1e\n",
                static_cast<long long>(scene.level.samples()), scene.level.modes, distance, oracle.bound_px,
                std::abs(double{got.result.error} - oracle.errors.back()), oracle.error_bound);
    EXPECT_GT(landmark_distance(scene.level, got.in_double(), {scene.start.begin(), scene.start.end()}),
              10 * oracle.bound_px)
        << "the fit did not move far enough to be a test";
    EXPECT_EQ(got.result.iterations, options.max_iterations);
    EXPECT_EQ(got.result.evaluations, options.max_iterations + 1);
    // the error is compared at the parameters found
    const auto here = test::evaluate_in_double(stored, scene.planes, got.in_double());
    EXPECT_NEAR(double{got.result.error}, here.error, oracle.error_bound);
  }
};

struct Size {
  std::int64_t pixels;
  int modes, channels;
};

TEST_F(FitCuda, FloatsGoAsInDouble) {
  const Size sizes[] = {{1000, 1, 1},   {1000, 20, 1},  {4096, 20, 1},  {4096, 33, 1},  {4096, 60, 1},
                        {4096, 64, 1},  {4099, 60, 1},  {4099, 20, 2},  {16384, 1, 1},  {16384, 33, 1},
                        {16384, 60, 1}, {16384, 64, 2}, {20480, 60, 1}, {65536, 20, 1}, {65536, 60, 1},
                        {65536, 64, 1}, {33000, 60, 2}, {70001, 36, 1}};
  for (const Size& size : sizes) {
    SCOPED_TRACE(testing::Message() << size.pixels << " pixels, " << size.modes << " modes, " << size.channels
                                    << " channels");
    const AamScene scene = make_aam_scene({size.pixels, size.modes, size.channels, 0.1, 1, 3});
    expect_as_in_double(scene, scene.level, whole_steps(5), static_cast<int>(size.pixels % 7));
  }
}

TEST_F(FitCuda, HalvesGoAsInDoubleWithTheRoundedMatrix) {
  const Size sizes[] = {{4099, 20, 1}, {16384, 33, 1}, {65536, 60, 1}, {70001, 60, 2}, {16384, 64, 1}};
  for (const Size& size : sizes) {
    SCOPED_TRACE(testing::Message() << size.pixels << " pixels, " << size.modes << " modes");
    const AamScene scene = make_aam_scene({size.pixels, size.modes, size.channels, 0.1, 1, 3});
    // as halves with the row's largest value in [2^14, 2^15)
    Level stored = scene.level;
    const auto rounded = [](const SharedArray<float>& rows, std::int64_t count) {
      std::vector<float> values(rows.begin(), rows.end());
      for (auto row = values.begin(); row < values.end(); row += count) {
        float largest = 0;
        for (auto i = row; i < row + count; ++i) largest = std::max(largest, std::abs(*i));
        const double unit = std::ldexp(1.0, std::ilogb(largest) - 14);
        for (auto i = row; i < row + count; ++i) {
          const double v = double{*i} / unit;
          const int exponent = v == 0 ? -14 : std::max(std::ilogb(v), -14);
          const double ulp = std::ldexp(1.0, exponent - 10);
          *i = static_cast<float>(std::nearbyint(v / ulp) * ulp * unit);
        }
      }
      return SharedArray<float>(std::move(values));
    };
    const std::int64_t n = scene.level.samples();
    stored.R = rounded(scene.level.R, n);
    stored.Qg = rounded(scene.level.Qg, n);
    stored.g0 = rounded(scene.level.g0, n);
    expect_as_in_double(scene, stored, whole_steps(5, Storage::float16), 3);
  }
}

TEST_F(FitCuda, HalvesMoveNoLandmarkByMoreThanAFiftiethOfAPixel) {
  for (const Size& size : {Size{4096, 60, 1}, {16384, 20, 1}, {65536, 60, 1}}) {
    const AamScene scene = make_aam_scene({size.pixels, size.modes, size.channels, 0.1, 1, 5});
    const CudaFit floats = fit(scene, whole_steps(10)),
                  halves = fit(scene, whole_steps(10, Storage::float16));
    const double px = landmark_distance(scene.level, floats.in_double(), halves.in_double());
    std::printf("n %lld m %d: halves move landmarks by %.2e px\n", static_cast<long long>(size.pixels),
                size.modes, px);
    EXPECT_LE(px, 0.02);
    EXPECT_GT(px, 0);
  }
}

TEST_F(FitCuda, TheTenKernelsGoAsInDouble) {
  for (const Size& size : {Size{1000, 20, 1}, {4099, 60, 2}, {65536, 60, 1}, {4096, 70, 1}}) {
    SCOPED_TRACE(testing::Message() << size.pixels << " pixels, " << size.modes << " modes");
    const AamScene scene = make_aam_scene({size.pixels, size.modes, size.channels, 0.1, 1, 3});
    expect_as_in_double(scene, scene.level, whole_steps(5, Storage::float32, Form::paper), 5);
  }
}

TEST_F(FitCuda, LevelsBeyondTheOnePassKernelGoAsInDouble) {
  const AamScene scene = make_aam_scene({4099, 70, 1, 0.1, 1, 3});
  expect_as_in_double(scene, scene.level, whole_steps(5), 1);
}

TEST_F(FitCuda, BothFormsComeToTheSame) {
  const AamScene scene = make_aam_scene({16384, 60, 1, 0.1, 1, 7});
  const auto oracle = fit_in_double(scene.level, scene.planes, scene.start, 10);
  const CudaFit one = fit(scene, whole_steps(10));
  const CudaFit ten = fit(scene, whole_steps(10, Storage::float32, Form::paper));
  EXPECT_LE(landmark_distance(scene.level, one.in_double(), ten.in_double()), 2 * oracle.bound_px);
  EXPECT_NEAR(double{one.result.error}, double{ten.result.error}, 2 * oracle.error_bound);
}

TEST_F(FitCuda, AnotherImageGivesAnotherFit) {
  AamScene scene = make_aam_scene({16384, 60, 1, 0.1, 1, 7});
  const auto oracle = fit_in_double(scene.level, scene.planes, scene.start, 5);
  for (std::size_t i = 0; i < scene.planes.values.size() / 2; ++i) scene.planes.values[i] *= 1.1f;
  const CudaFit got = fit(scene, whole_steps(5));
  EXPECT_GT(landmark_distance(scene.level, got.in_double(), oracle.parameters), oracle.bound_px);
  EXPECT_GT(std::abs(double{got.result.error} - oracle.errors.back()), oracle.error_bound);
}

// Small enough for a checker of races: two blocks that talk to each other.
TEST_F(FitCuda, TwoBlocksTakeTwoSteps) {
  const AamScene scene = make_aam_scene({200, 3, 1, 0.1, 1, 3});
  expect_as_in_double(scene, scene.level, whole_steps(2), 0);
  FitOptions search;
  search.max_iterations = 2;
  const CudaFit got = fit(scene, search);
  const auto here = test::evaluate_in_double(scene.level, scene.planes, got.in_double());
  EXPECT_NEAR(double{got.result.error}, here.error, 64 * 0x1p-24 * here.error_magnitude);
}

TEST_F(FitCuda, RepeatsItsBitsAlsoWhenReplayed) {
  for (const auto& [pixels, modes, storage] : {std::tuple{std::int64_t{4099}, 20, Storage::float32},
                                               {16384, 60, Storage::float32},
                                               {65536, 60, Storage::float32},
                                               {65536, 60, Storage::float16}}) {
    const AamScene scene = make_aam_scene({pixels, modes, 1, 0.1, 1, 9});
    LevelFitterCuda fitter(scene.level, whole_steps(10, storage), 1, stream());
    const auto planes = upload_planes(scene.planes);
    const CudaFit first = fit(fitter, planes.view, scene.start);
    for (int i = 0; i < 20; ++i) {
      const CudaFit again = fit(fitter, planes.view, scene.start);
      ASSERT_EQ(again.parameters, first.parameters);
      ASSERT_EQ(again.result.error, first.result.error);
    }
    const auto start = upload(scene.start);
    DeviceBuffer<float> parameters(start.size());
    DeviceBuffer<DeviceLevelFit> results(1);
    const std::vector views{planes.view};
    const Graph graph = Graph::capture(stream(), [&] {
      copy_on_device(start.span(), parameters.span(), stream());
      fit_cuda(fitter, views, parameters.span(), results.span(), stream());
    });
    std::vector<float> replayed(scene.start.size());
    for (int i = 0; i < 20; ++i) {
      graph.launch(stream());
      copy_to_host(parameters.span(), std::span<float>(replayed), stream());
      stream().synchronize();
      ASSERT_EQ(replayed, first.parameters);
    }
  }
}

TEST_F(FitCuda, KeepsTheErrorOfEveryIteration) {
  const AamScene scene = make_aam_scene({4096, 20, 1, 0.1, 1, 4});
  const auto oracle = fit_in_double(scene.level, scene.planes, scene.start, 6);
  for (const Form form : {Form::one_pass, Form::paper}) {
    LevelFitterCuda fitter(scene.level, whole_steps(6, Storage::float32, form), 1, stream());
    const auto planes = upload_planes(scene.planes);
    fit(fitter, planes.view, scene.start);
    std::vector<float> errors(7);
    copy_to_host(fitter.errors(), std::span<float>(errors), stream());
    stream().synchronize();
    // a step's error also feels where rounding has moved the shape: by bound_px, of a slope below the error
    // itself a pixel
    for (std::size_t i = 0; i < 7; ++i)
      EXPECT_NEAR(double{errors[i]}, oracle.errors[i],
                  oracle.error_bound + oracle.bound_px * oracle.errors[0]);
  }
}

TEST_F(FitCuda, SaysWhatIsWrong) {
  const AamScene scene = make_aam_scene({1000, 5, 2, 0.1, 1, 4});
  LevelFitterCuda fitter(scene.level, {}, 1, stream());
  const auto planes = upload_planes(scene.planes);
  DeviceBuffer<float> parameters(9);
  DeviceBuffer<DeviceLevelFit> results(1);
  const auto grey = DevicePlanesView{planes.view.stacked, 1};
  EXPECT_ERROR(
      fit_cuda(fitter, std::vector<DevicePlanesView>{grey}, parameters.span(), results.span(), stream()),
      InvalidArgument, "2 channels");
  EXPECT_ERROR(fit_cuda(fitter, std::vector<DevicePlanesView>(2, planes.view), parameters.span(),
                        results.span(), stream()),
               InvalidArgument, "2 faces");
  EXPECT_ERROR(fit_cuda(fitter, std::vector<DevicePlanesView>{planes.view}, parameters.span().first(8),
                        results.span(), stream()),
               InvalidArgument, "9 parameters");
}

}  // namespace
}  // namespace triptych::aam_fit
