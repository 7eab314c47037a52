// Fitters that share a GPU or a kernel, levels and lists beyond what a launch can take, and several streams.
#include <string>

#include "aam_fit/fit/cuda/cuda_fits.hpp"
#include "aam_fit/fit/double_fit.hpp"
#include "fit/cuda/one_pass_plan.hpp"
#include "testing/expect_error.hpp"

namespace triptych::aam_fit {
namespace {

using test::AamScene;
using test::CudaFit;
using test::fit_in_double;
using test::landmark_distance;
using test::make_aam_scene;
using test::whole_steps;

FitOptions search_steps(int iterations) {
  FitOptions options;
  options.max_iterations = iterations;
  return options;
}

bool is_one_pass(const LevelFitterCuda& fitter) { return fitter.describe().starts_with("one pass"); }

class FitCudaLimits : public test::CudaFits {};

// Both use the same kernel; the larger one needs more shared memory.
TEST_F(FitCudaLimits, ASecondSmallerFitterLeavesTheFirstAsItWas) {
  const AamScene large = make_aam_scene({16384, 60, 1, 0.1, 1, 3}),
                 small = make_aam_scene({4096, 60, 1, 0.1, 1, 3});
  const auto large_planes = upload_planes(large.planes), small_planes = upload_planes(small.planes);
  for (const FitOptions& options : {whole_steps(5), search_steps(5)}) {
    LevelFitterCuda first(large.level, options, 1, stream());
    const CudaFit before = fit(first, large_planes.view, large.start);
    LevelFitterCuda second(small.level, options, 1, stream());
    EXPECT_TRUE(is_one_pass(first) && is_one_pass(second));
    fit(second, small_planes.view, small.start);
    const CudaFit after = fit(first, large_planes.view, large.start);
    EXPECT_EQ(after.parameters, before.parameters);
    EXPECT_EQ(after.result.error, before.result.error);
  }
}

struct Small {
  const char* name;
  OnePassDevice device;
  std::int64_t pixels;
  bool whole_steps, search;  // in one pass
};

TEST_F(FitCudaLimits, SmallDevicesTakeTheFormThatFits) {
  constexpr std::int64_t kib = 1024;
  const Small cases[] = {{"T4", {40, 64 * kib}, 200000, false, false},
                         {"T4", {40, 64 * kib}, 65536, true, false},
                         {"T4", {40, 64 * kib}, 16384, true, true},
                         {"small Turing", {14, 64 * kib}, 16384, true, false},
                         {"small Turing", {14, 64 * kib}, 4096, true, true},
                         {"slice of 16 multiprocessors", {16, 227 * kib}, 65536, true, true},
                         {"slice of 14 multiprocessors", {14, 163 * kib}, 16384, true, true},
                         {"one multiprocessor", {1, 99 * kib}, 4096, true, false}};
  for (const Small& small : cases) {
    SCOPED_TRACE(testing::Message() << small.name << ", " << small.pixels << " pixels");
    const AamScene scene = make_aam_scene({small.pixels, 60, 1, 0.1, 1, 3});
    const auto planes = upload_planes(scene.planes);
    const auto fitted = [&](const OnePassDevice& limit, const FitOptions& options, bool one_pass) {
      const OnePassDeviceLimit limited(limit);
      LevelFitterCuda fitter(scene.level, options, 1, stream());
      EXPECT_EQ(is_one_pass(fitter), one_pass) << fitter.describe();
      return fit(fitter, planes.view, scene.start);
    };
    // the other form is that of a device which has no plan for any level
    const OnePassDevice nothing{0, 0};
    const auto oracle = fit_in_double(scene.level, scene.planes, scene.start, 5);
    const CudaFit whole = fitted(small.device, whole_steps(5), small.whole_steps);
    const CudaFit other = fitted(nothing, whole_steps(5), false);
    EXPECT_LE(landmark_distance(scene.level, whole.in_double(), oracle.parameters), oracle.bound_px);
    EXPECT_LE(landmark_distance(scene.level, other.in_double(), oracle.parameters), oracle.bound_px);
    EXPECT_EQ(whole.result.iterations, 5);
    const CudaFit searched = fitted(small.device, search_steps(5), small.search);
    EXPECT_LT(searched.result.error, static_cast<float>(oracle.errors[0]));
    if (!small.whole_steps) {
      EXPECT_EQ(whole.parameters, other.parameters);
    }
    if (!small.search) {
      EXPECT_EQ(searched.parameters, fitted(nothing, search_steps(5), false).parameters);
    }
  }
}

// More samples than the shared memory of a whole GPU can hold.
TEST_F(FitCudaLimits, TwoMillionSamplesAreFitted) {
  const AamScene scene = make_aam_scene({std::int64_t{1} << 21, 21, 1, 0.1, 1, 3});
  const auto planes = upload_planes(scene.planes);
  const auto oracle = fit_in_double(scene.level, scene.planes, scene.start, 2);
  LevelFitterCuda fitter(scene.level, whole_steps(2), 1, stream());
  const CudaFit got = fit(fitter, planes.view, scene.start);
  EXPECT_LE(landmark_distance(scene.level, got.in_double(), oracle.parameters), oracle.bound_px);
  LevelFitterCuda searching(scene.level, search_steps(2), 1, stream());
  EXPECT_LT(fit(searching, planes.view, scene.start).result.error, static_cast<float>(oracle.errors[0]));
}

TEST_F(FitCudaLimits, OneFitterOnTwoStreamsGivesTheSameBits) {
  constexpr int rounds = 40;
  const AamScene scene = make_aam_scene({4096, 20, 1, 0.1, 1, 23});
  const auto planes = upload_planes(scene.planes);
  const Stream other;
  const struct {
    const char* name;
    FitOptions options;
    int faces;
  } cases[] = {{"one pass", whole_steps(8), 1},
               {"one pass with a search", search_steps(8), 2},
               {"a batch", whole_steps(8), 12},
               {"ten kernels", whole_steps(4, Storage::float32, Form::paper), 1}};
  for (const auto& [name, options, faces] : cases) {
    SCOPED_TRACE(name);
    LevelFitterCuda fitter(scene.level, options, faces, stream());
    const std::vector<DevicePlanesView> views(static_cast<std::size_t>(faces), planes.view);
    const std::int64_t count = std::int64_t{faces} * fitter.parameter_count();
    std::vector<std::vector<float>> expected;
    std::vector<DeviceBuffer<float>> parameters;
    DeviceBuffer<DeviceLevelFit> results(std::int64_t{faces} * 2);
    for (int i = 0; i < rounds; ++i) {
      std::vector<std::vector<float>> starts;
      std::vector<float> flat;
      for (int k = 0; k < faces; ++k) {
        const int seed = i * faces + k;
        starts.push_back(test::aam_start(scene, 1, 5, static_cast<std::uint64_t>(seed)));
        flat.insert(flat.end(), starts.back().begin(), starts.back().end());
      }
      expected.emplace_back();
      for (const CudaFit& one : fit(fitter, views, starts))
        expected.back().insert(expected.back().end(), one.parameters.begin(), one.parameters.end());
      parameters.push_back(upload(flat));
    }
    stream().synchronize();
    for (int i = 0; i < rounds; ++i)
      fit_cuda(fitter, views, parameters[static_cast<std::size_t>(i)].span(),
               results.span().subspan(i % 2 * faces, faces), i % 2 == 0 ? stream() : other.ref());
    stream().synchronize();
    other.synchronize();
    std::vector<float> got(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      copy_to_host(parameters[i].span(), std::span<float>(got), stream());
      stream().synchronize();
      ASSERT_EQ(got, expected[i]) << "fit " << i;
    }
  }
}

TEST_F(FitCudaLimits, MoreFacesThanAGridCountsAlongYAreFitted) {
  constexpr int faces = 65535 + 100, different = 13;
  const AamScene scene = make_aam_scene({100, 2, 1, 0.1, 1, 23});
  const auto planes = upload_planes(scene.planes);
  LevelFitterCuda fitter(scene.level, whole_steps(3), faces, stream());
  const std::vector<DevicePlanesView> views(faces, planes.view);
  std::vector<std::vector<float>> starts;
  starts.reserve(faces);
  for (int i = 0; i < faces; ++i)
    starts.push_back(i < different ? test::aam_start(scene, 1, 5, static_cast<std::uint64_t>(i))
                                   : starts[static_cast<std::size_t>(i % different)]);
  std::vector<double> allowed_px;
  for (std::size_t i = 0; i < different; ++i)
    allowed_px.push_back(2 * fit_in_double(scene.level, scene.planes, starts[i], 3).bound_px);
  const auto fits = fit(fitter, views, starts);
  for (std::size_t i = 0; i < fits.size(); ++i) {
    const double px = landmark_distance(scene.level, fits[i].in_double(), fits[i % different].in_double());
    ASSERT_LE(px, allowed_px[i % different]) << "face " << i;
    ASSERT_EQ(fits[i].result.iterations, 3);
  }
  EXPECT_GT(landmark_distance(scene.level, fits[0].in_double(), fits[1].in_double()), allowed_px[0]);
  // the parameters of their shapes too
  const std::int64_t coordinates = std::int64_t{2} * scene.level.points;
  const std::int64_t q = fitter.parameter_count();
  DeviceBuffer<float> parameters(faces * q), shapes(faces * coordinates);
  std::vector<float> flat;
  for (const auto& start : starts) flat.insert(flat.end(), start.begin(), start.end());
  copy_to_device(std::span<const float>(flat), parameters.span(), stream());
  fitter.shapes_of(parameters.span(), shapes.span(), stream());
  fitter.parameters_of(views, shapes.span(), parameters.span(), stream());
  std::vector<float> found(flat.size());
  copy_to_host(parameters.span(), std::span<float>(found), stream());
  stream().synchronize();
  const auto parameters_of = [&](std::int64_t i) {
    return std::vector<double>(found.begin() + i * q, found.begin() + (i + 1) * q);
  };
  for (std::int64_t i = 0; i < faces; ++i) {
    const double px = landmark_distance(scene.level, parameters_of(i), parameters_of(i % different));
    ASSERT_LE(px, allowed_px[static_cast<std::size_t>(i % different)]) << "face " << i;
  }
}

TEST_F(FitCudaLimits, SaysHowManyFacesThereCanBe) {
  const AamScene scene = make_aam_scene({100, 2, 1, 0.1, 1, 23});
  for (const int faces : {-1, 0, (1 << 20) + 1, 0x7fffffff})
    EXPECT_ERROR(LevelFitterCuda(scene.level, {}, faces, stream()), InvalidArgument, "max_faces");
}

}  // namespace
}  // namespace triptych::aam_fit
