// Many faces in one call against each alone; the parameters of shapes and back.
#include <triptych/core/graph.hpp>

#include "aam_fit/fit/cuda/cuda_fits.hpp"
#include "aam_fit/fit/double_fit.hpp"

namespace triptych::aam_fit {
namespace {

using test::AamScene;
using test::CudaFit;
using test::make_aam_scene;
using test::whole_steps;

class FitCudaBatch : public test::CudaFits {
 protected:
  // Two images in turn, another start for each face.
  void compare(const AamScene& scene, const FitOptions& options, int faces, double allowed_px) {
    AamScene other = scene;
    for (float& v : other.planes.values) v = 0.8f * v + 20;
    const auto a = upload_planes(scene.planes), b = upload_planes(other.planes, 5);
    LevelFitterCuda fitter(scene.level, options, faces, stream());
    std::vector<DevicePlanesView> planes;
    std::vector<std::vector<float>> starts;
    for (int i = 0; i < faces; ++i) {
      planes.push_back(i % 2 == 0 ? a.view : b.view);
      starts.push_back(test::aam_start(scene, 1, 77, static_cast<std::uint64_t>(i)));
    }
    const auto batch = fit(fitter, planes, starts);
    const auto again = fit(fitter, planes, starts);
    double worst = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      SCOPED_TRACE(testing::Message() << "face " << i << " of " << faces);
      EXPECT_EQ(batch[i].parameters, again[i].parameters);
      const CudaFit alone = fit(fitter, planes[i], starts[i]);
      const double px = test::landmark_distance(scene.level, batch[i].in_double(), alone.in_double());
      worst = std::max(worst, px);
      EXPECT_LE(px, allowed_px);
      if (options.always_step) {
        EXPECT_EQ(batch[i].result.iterations, alone.result.iterations);
      }
      EXPECT_NEAR(batch[i].result.error, alone.result.error, 0.01f * alone.result.error);
      EXPECT_EQ(is_lost(batch[i]), is_lost(alone));
    }
    std::printf("%d faces, n %lld, m %d: off by %.1e px, allowed %.1e\n", faces,
                static_cast<long long>(scene.level.samples()), scene.level.modes, worst, allowed_px);
  }
  static bool is_lost(const CudaFit& fit) {
    const auto status = static_cast<FitStatus>(fit.result.status);
    return status == FitStatus::lost_outside || status == FitStatus::lost_contrast;
  }
};

// The product leaves out 2^-21 of a term, 8 eps: within twice the bound of the float sums of double_fit.hpp,
// once for each side.
TEST_F(FitCudaBatch, WholeStepsAreThoseOfOneFace) {
  for (const auto& [pixels, modes, channels, faces, storage] :
       {std::tuple{std::int64_t{1000}, 5, 1, 12, Storage::float32},
        {4099, 33, 2, 130, Storage::float32},
        {16384, 60, 1, 17, Storage::float32},
        {16384, 60, 1, 17, Storage::float16},
        {4096, 64, 1, 13, Storage::float32}}) {
    const AamScene scene = make_aam_scene({pixels, modes, channels, 0.1, 1, 21});
    const auto oracle = test::fit_in_double(scene.level, scene.planes, scene.start, 5);
    compare(scene, whole_steps(5, storage), faces, 2 * oracle.bound_px);
  }
}

// Near a tie the two may stop an iteration apart; a fit that goes on then moves less than it just did, and
// that was little.
TEST_F(FitCudaBatch, SearchesEndWhereThoseOfOneFaceEnd) {
  const AamScene scene = make_aam_scene({4096, 20, 1, 0.1, 1, 23});
  FitOptions options;
  compare(scene, options, 12, 0.1);
}

// Up to eight fits run side by side in one launch. Planes of one pitch share a launch, those of another have
// their own; a lost fit ends before the others.
TEST_F(FitCudaBatch, FewFitsHaveTheBitsOfEachAlone) {
  for (const auto& [pixels, modes, options] :
       {std::tuple{std::int64_t{4352}, 22, FitOptions{.max_iterations = 2, .steps = 2}},
        {1700, 22, FitOptions{}},
        {8192, 40, whole_steps(4, Storage::float16)},
        {60000, 60, whole_steps(3)}}) {
    const AamScene scene = make_aam_scene({pixels, modes, 1, 0.1, 1, 29});
    AamScene other = scene;
    for (float& v : other.planes.values) v = 0.7f * v + 30;
    const auto a = upload_planes(scene.planes), b = upload_planes(other.planes),
               c = upload_planes(other.planes, 5);
    constexpr int faces = 11;
    LevelFitterCuda fitter(scene.level, options, faces, stream());
    std::vector<DevicePlanesView> planes;
    std::vector<std::vector<float>> starts;
    for (int i = 0; i < faces; ++i) {
      planes.push_back(i == 6 ? c.view : i % 2 == 0 ? a.view : b.view);
      starts.push_back(test::aam_start(scene, 1, 77, static_cast<std::uint64_t>(i)));
    }
    starts[3].back() += 1e4f;  // outside
    for (int repeat = 0; repeat < 2; ++repeat) {
      const auto fits = fit(fitter, planes, starts);
      for (std::size_t i = 0; i < fits.size(); ++i) {
        const CudaFit alone = fit(fitter, planes[i], starts[i]);
        EXPECT_EQ(fits[i].parameters, alone.parameters) << pixels << " pixels, fit " << i;
        EXPECT_EQ(fits[i].result.error, alone.result.error);
        EXPECT_EQ(fits[i].result.iterations, alone.result.iterations);
        EXPECT_EQ(fits[i].result.evaluations, alone.result.evaluations);
        EXPECT_EQ(fits[i].result.status, alone.result.status);
      }
      EXPECT_TRUE(is_lost(fits[3]));
    }
  }
}

TEST_F(FitCudaBatch, CanBeReplayed) {
  const AamScene scene = make_aam_scene({4096, 20, 1, 0.1, 1, 23});
  constexpr int faces = 70;  // more than one part of the list of planes
  LevelFitterCuda fitter(scene.level, whole_steps(4), faces, stream());
  const auto planes = upload_planes(scene.planes);
  std::vector<DevicePlanesView> views(faces, planes.view);
  std::vector<std::vector<float>> starts;
  std::vector<float> flat;
  for (int i = 0; i < faces; ++i) {
    starts.push_back(test::aam_start(scene, 1, 5, static_cast<std::uint64_t>(i)));
    flat.insert(flat.end(), starts.back().begin(), starts.back().end());
  }
  const auto expected = fit(fitter, views, starts);
  const auto start = upload(flat);
  DeviceBuffer<float> parameters(start.size());
  DeviceBuffer<DeviceLevelFit> results(faces);
  const Graph graph = Graph::capture(stream(), [&] {
    copy_on_device(start.span(), parameters.span(), stream());
    fit_cuda(fitter, views, parameters.span(), results.span(), stream());
  });
  views.clear();  // the list is read by the host during the call alone
  std::vector<float> replayed(flat.size());
  for (int i = 0; i < 3; ++i) {
    graph.launch(stream());
    copy_to_host(parameters.span(), std::span<float>(replayed), stream());
    stream().synchronize();
    for (std::size_t k = 0; k < expected.size(); ++k)
      ASSERT_TRUE(
          std::equal(expected[k].parameters.begin(), expected[k].parameters.end(),
                     replayed.begin() + static_cast<std::ptrdiff_t>(k * expected[k].parameters.size())));
  }
}

TEST_F(FitCudaBatch, ParametersOfShapesAndBack) {
  const AamScene scene = make_aam_scene({4099, 33, 2, 0.1, 1, 25});
  const Level& level = scene.level;
  constexpr int faces = 3;
  LevelFitterCuda fitter(level, {}, faces, stream());
  const auto planes = upload_planes(scene.planes);
  const std::vector<DevicePlanesView> views(faces, planes.view);
  std::vector<float> given;
  for (int i = 0; i < faces; ++i) {
    const auto start = test::aam_start(scene, 1, 6, static_cast<std::uint64_t>(i));
    given.insert(given.end(), start.begin(), start.end());
  }
  const auto parameters = upload(given);
  test::GuardedDevice<float> shapes(faces * 2 * level.points, stream());
  fitter.shapes_of(parameters.span(), shapes.span(), stream());
  const auto shape = shapes.to_host();
  EXPECT_TRUE(shapes.intact());
  const std::size_t q = given.size() / faces, coordinates = 2 * static_cast<std::size_t>(level.points);
  for (std::size_t f = 0; f < faces; ++f) {
    const auto expected =
        test::detail::aam_shape(level, {given.begin() + static_cast<std::ptrdiff_t>(f * q),
                                        given.begin() + static_cast<std::ptrdiff_t>((f + 1) * q)});
    for (std::size_t i = 0; i < coordinates; ++i)  // 40 roundings of numbers below 512
      EXPECT_NEAR(double{shape[f * coordinates + i]}, expected[i], 40 * 0x1p-24 * 512);
  }
  test::GuardedDevice<float> found(static_cast<std::int64_t>(given.size()), stream());
  fitter.parameters_of(views, shapes.span(), found.span(), stream());
  const auto back = found.to_host();
  EXPECT_TRUE(found.intact());
  const auto m = static_cast<std::size_t>(level.modes), n = static_cast<std::size_t>(level.samples());
  for (std::size_t f = 0; f < faces; ++f) {
    // pose by least squares, in complex numbers: z -> w z + t
    const float* s = shape.data() + f * coordinates;
    double zx = 0, zy = 0, Zx = 0, Zy = 0, re = 0, im = 0, length = 0;
    const double points = level.points;
    for (std::int64_t i = 0; i < level.points; ++i) {
      zx += double{level.s0[2 * i]} / points, zy += double{level.s0[2 * i + 1]} / points;
      Zx += double{s[2 * i]} / points, Zy += double{s[2 * i + 1]} / points;
    }
    for (std::int64_t i = 0; i < level.points; ++i) {
      const double x = double{level.s0[2 * i]} - zx, y = double{level.s0[2 * i + 1]} - zy;
      const double X = double{s[2 * i]} - Zx, Y = double{s[2 * i + 1]} - Zy;
      re += x * X + y * Y, im += x * Y - y * X, length += x * x + y * y;
    }
    const double a = re / length, b = im / length;
    const double tx = Zx - (a * zx - b * zy), ty = Zy - (b * zx + a * zy);
    std::vector<double> texture =
        test::detail::aam_sample(level, scene.planes, std::vector<double>(s, s + coordinates));
    test::detail::aam_normalise(texture, level.g0);
    const float* p = back.data() + f * q;
    EXPECT_NEAR(double{p[m]}, a - 1, 1e-6);
    EXPECT_NEAR(double{p[m + 1]}, b, 1e-6);
    EXPECT_NEAR(double{p[m + 2]}, tx, 1e-4);
    EXPECT_NEAR(double{p[m + 3]}, ty, 1e-4);
    for (std::size_t k = 0; k < m; ++k) {
      double c = 0, size = 0;
      for (std::size_t i = 0; i < coordinates; i += 2) {
        const double X = double{s[i]} - tx, Y = double{s[i + 1]} - ty, d = a * a + b * b;
        const double x = (a * X + b * Y) / d - double{level.s0[static_cast<std::int64_t>(i)]};
        const double y = (a * Y - b * X) / d - double{level.s0[static_cast<std::int64_t>(i + 1)]};
        const auto at = static_cast<std::int64_t>(k * coordinates + i);
        c += double{level.Ks[at]} * x + double{level.Ks[at + 1]} * y;
        size += std::abs(double{level.Ks[at]}) * 256;
      }
      double squares = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const double Qg = double{level.Qg[static_cast<std::int64_t>(k * n + i)]};
        c += Qg * (texture[i] - double{level.g0[static_cast<std::int64_t>(i)]});
        squares += Qg * Qg * (texture[i] * texture[i] + 0.1);
      }
      // coordinates below 256 rounded, 16 in a row; and the sums of double_fit.hpp
      EXPECT_NEAR(double{p[k]}, c, 16 * 0x1p-24 * size + 6 * 64 * 0x1p-24 * std::sqrt(squares));
    }
  }
}

}  // namespace
}  // namespace triptych::aam_fit
