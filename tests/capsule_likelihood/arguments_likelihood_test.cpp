// Every public function of the module with arguments that it must refuse: clouds and likelihoods.
#include <triptych/capsule_likelihood/cloud.hpp>
#include <triptych/capsule_likelihood/cuda_group.hpp>
#include <triptych/capsule_likelihood/likelihood.hpp>
#include <triptych/capsule_likelihood/paper_loop.hpp>
#include <triptych/capsule_likelihood/resample.hpp>
#include <triptych/capsule_likelihood/tune.hpp>

#include <algorithm>
#include <limits>

#include "testing/refusals.hpp"
#include "testing/temporary_directory.hpp"

namespace triptych::capsule_likelihood {
namespace {

using test::expect_refusals;
using test::Refusal;

constexpr float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

template <class E>
E no_such() {
  return static_cast<E>(7);
}

TEST(Arguments, OfCloudsAreRefused) {
  const std::uint16_t depth[] = {1000};
  const float disparity[] = {1};
  const Intrinsics camera = {500, 500, 0, 0};
  const auto from_depth = [&](const Intrinsics& c, const DepthOptions& o) {
    cloud_from_depth({depth, 1, 1}, c, o);
  };
  const auto from_disparity = [&](const StereoCalibration& c) { cloud_from_disparity({disparity, 1, 1}, c); };
  const Refusal refusals[] = {
      {"cloud_from_depth: fx of 0",
       [&] {
         from_depth({0, 500, 0, 0}, {});
       },
       "focal"},
      {"cloud_from_depth: fy of NaN",
       [&] {
         from_depth({500, double{nan}, 0, 0}, {});
       },
       "focal"},
      {"cloud_from_depth: fx of 1e-300",
       [&] {
         from_depth({1e-300, 500, 0, 0}, {});
       },
       "focal"},
      {"cloud_from_depth: fx of 1e300",
       [&] {
         from_depth({1e300, 500, 0, 0}, {});
       },
       "focal"},
      {"cloud_from_depth: cx of Inf",
       [&] {
         from_depth({500, 500, double{inf}, 0}, {});
       },
       "centre"},
      {"cloud_from_depth: cy of 1e300",
       [&] {
         from_depth({500, 500, 0, 1e300}, {});
       },
       "centre"},
      {"cloud_from_depth: a step of 0", [&] { from_depth(camera, {.step = 0}); }, "step of 0"},
      {"cloud_from_depth: a negative step", [&] { from_depth(camera, {.step = -1}); }, "step of -1"},
      {"cloud_from_depth: a unit of 0", [&] { from_depth(camera, {.metres_per_unit = 0}); }, "unit of 0"},
      {"cloud_from_depth: a unit of NaN", [&] { from_depth(camera, {.metres_per_unit = double{nan}}); },
       "unit"},
      {"cloud_from_depth: a nearest of NaN", [&] { from_depth(camera, {.nearest_m = nan}); }, "nearest_m"},
      {"cloud_from_depth: a negative nearest", [&] { from_depth(camera, {.nearest_m = -1}); }, "nearest_m"},
      {"cloud_from_depth: a farthest of NaN", [&] { from_depth(camera, {.farthest_m = nan}); }, "farthest_m"},
      {"cloud_from_depth: an empty range", [&] { from_depth(camera, {.nearest_m = 2, .farthest_m = 1}); },
       "farthest_m"},
      {"cloud_from_depth: an unknown axis", [&] { from_depth(camera, {.y = no_such<VerticalAxis>()}); },
       "axis"},
      {"cloud_from_depth: no pixels at a null pointer",
       [&] {
         cloud_from_depth({nullptr, 4, 4}, camera, {});
       },
       "null pointer"},
      {"cloud_from_disparity: a baseline of 0",
       [&] {
         from_disparity({camera, 0, 0});
       },
       "baseline of 0"},
      {"cloud_from_disparity: a baseline of NaN",
       [&] {
         from_disparity({camera, 0, double{nan}});
       },
       "baseline"},
      {"cloud_from_disparity: an offset of NaN",
       [&] {
         from_disparity({camera, double{nan}, 1});
       },
       "offset"},
      {"cloud_from_disparity: no camera",
       [&] {
         from_disparity({{}, 0, 1});
       },
       "focal"},
      {"parse_cloud: a unit of 0", [] { parse_cloud("", "f", 0); }, "unit of 0"},
      {"parse_cloud: a negative unit", [] { parse_cloud("1 2 3", "f", -1); }, "unit of -1"},
      {"parse_cloud: a unit of NaN", [] { parse_cloud("1 2 3", "f", double{nan}); }, "unit of nan"},
      {"parse_cloud: a unit of Inf", [] { parse_cloud("ply\n", "f", double{inf}); }, "unit of inf"},
      {"subsample: -1 points", [] { subsample({}, -1); }, "-1 points"},
      {"subsample: the least number of points", [] { subsample({}, -most - 1); }, "points"},
  };
  expect_refusals(refusals);
}

TEST(Arguments, OfLikelihoodsAreRefused) {
  const std::vector<Vec3> points(3, {0, 0, 1});
  const auto rays = [&](const SensorModel& sensor) { Rays(points, {}, sensor, 1); };
  const auto rays_with = [&](const std::vector<float>& sigmas) { Rays(points, sigmas, {}, 1); };
  const Rays good(points, {}, {}, 1);
  const Capsule capsule = {{0, 0, 1}, 0.1f, {0, 1, 1}};
  // Fills the result with a pattern, which must stay.
  const auto evaluate = [&](const Capsule& body, std::int64_t results, const EvaluateOptions& options) {
    const std::vector<Capsule> bodies = {capsule, body};
    std::vector<double> found(static_cast<std::size_t>(results), 7.0);
    try {
      evaluate_cpu(good, {bodies.data(), 2, 1}, found, options, 1);
    } catch (const InvalidArgument&) {
      EXPECT_EQ(std::ranges::count(found, 7.0), results);
      throw;
    }
  };
  const auto temper = [](std::size_t samples, double target, std::size_t room, double max_loss = 0) {
    const std::vector<double> likelihoods(samples);
    std::vector<std::uint32_t> weights(room, 7);
    try {
      temper_cpu(likelihoods, target, weights, max_loss);
    } catch (const InvalidArgument&) {
      EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(weights, 7u)), room);
      throw;
    }
  };
  const auto resample = [](const std::vector<std::uint32_t>& weights, std::size_t rows) {
    std::vector<std::int32_t> ancestors(rows, 7);
    try {
      resample_cpu(weights, 0, ancestors);
    } catch (const InvalidArgument&) {
      EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(ancestors, 7)), rows);
      throw;
    }
  };
  const test::TemporaryDirectory folder;
  const auto tune = [&](Method method, std::int64_t samples, std::int64_t capsules, std::int64_t count,
                        const std::function<double(const EvaluateOptions&)>& measure) {
    reduction::TuningCache cache(folder / "tuning.json");
    tune_evaluate(cache, "device", method, samples, capsules, count, measure);
  };
  const auto one_us = [](const EvaluateOptions&) { return 1.0; };
  const int gpu[] = {0};
  const Refusal refusals[] = {
      {"Rays: sigma of 0", [&] { rays({.sigma_m = 0}); }, "sigma"},
      {"Rays: sigma of NaN", [&] { rays({.sigma_m = nan}); }, "sigma"},
      {"Rays: sigma of 1e-45", [&] { rays({.sigma_m = 1e-45f}); }, "sigma"},
      {"Rays: tau of Inf", [&] { rays({.tau_m = inf}); }, "tau"},
      {"Rays: tau of 1e-45", [&] { rays({.tau_m = 1e-45f}); }, "tau"},
      {"Rays: a negative tau", [&] { rays({.tau_m = -1}); }, "tau"},
      {"Rays: a camera of NaN",
       [&] {
         rays({.camera = {0, nan, 0}});
       },
       "camera"},
      {"Rays: a camera at Inf",
       [&] {
         rays({.camera = {0, 0, inf}});
       },
       "camera"},
      {"Rays: an unknown loss", [&] { rays({.loss = no_such<Loss>()}); }, "loss"},
      {"Rays: an unknown surface", [&] { rays({.surface = no_such<Surface>()}); }, "surface"},
      {"Rays: an unknown inside", [&] { rays({.inside = no_such<CameraInside>()}); }, "inside"},
      {"Rays: too few sigmas", [&] { rays_with({1}); }, "1 sigmas"},
      {"Rays: a sigma of 0",
       [&] {
         rays_with({1, 0, 1});
       },
       "point 1"},
      {"Rays: a sigma of NaN",
       [&] {
         rays_with({1, 1, nan});
       },
       "point 2"},
      {"Rays: a negative sigma",
       [&] {
         rays_with({-1, 1, 1});
       },
       "point 0"},
      {"evaluate_cpu: too few results", [&] { evaluate(capsule, 1, {}); }, "1 results"},
      {"evaluate_cpu: too many results", [&] { evaluate(capsule, 3, {}); }, "3 results"},
      {"evaluate_cpu: a capsule of NaN",
       [&] {
         evaluate({{nan, 0, 0}, 1, {}}, 2, {});
       },
       "sample 1"},
      {"evaluate_cpu: a capsule at Inf",
       [&] {
         evaluate({{}, 1, {0, 0, inf}}, 2, {});
       },
       "sample 1"},
      {"evaluate_cpu: a capsule at 1e38",
       [&] {
         evaluate({{}, 1, {0, 0, 1e38f}}, 2, {});
       },
       "sample 1"},
      {"evaluate_cpu: a negative radius",
       [&] {
         evaluate({{}, -1, {}}, 2, {});
       },
       "sample 1"},
      {"evaluate_cpu: tiled", [&] { evaluate(capsule, 2, {Method::tiled}); }, "tiled"},
      {"evaluate_cpu: an unknown method", [&] { evaluate(capsule, 2, {no_such<Method>()}); }, "method"},
      {"evaluate_cpu: brute, a capsule of NaN",
       [&] {
         evaluate({{}, nan, {}}, 2, {Method::brute});
       },
       "sample 1"},
      {"evaluate_cpu: bodies at a null pointer",
       [&] {
         std::vector<double> found(1);
         evaluate_cpu(good, {nullptr, 1, 1}, found, {}, 1);
       },
       "null pointer"},
      {"evaluate_paper_loop_cpu: too few results",
       [&] {
         evaluate_paper_loop_cpu(points, {&capsule, 1, 1}, {}, 1, {});
       },
       "0 results"},
      {"evaluate_candidates: an unknown method", [] { evaluate_candidates(no_such<Method>()); }, "method"},
      {"tune_evaluate: an unknown method", [&] { tune(no_such<Method>(), 1, 1, 1, one_us); }, "method"},
      {"tune_evaluate: -1 samples", [&] { tune(Method::culled, -1, 1, 1, one_us); }, "-1 samples"},
      {"tune_evaluate: -1 capsules", [&] { tune(Method::culled, 1, -1, 1, one_us); }, "-1 capsules"},
      {"tune_evaluate: -1 points", [&] { tune(Method::culled, 1, 1, -1, one_us); }, "-1 points"},
      {"tune_evaluate: nothing to measure with", [&] { tune(Method::culled, 1, 1, 1, nullptr); }, "measure"},
      {"temper_cpu: too little room", [&] { temper(3, 0, 2); }, "2 weights"},
      {"temper_cpu: too much room", [&] { temper(3, 0, 4); }, "4 weights"},
      {"temper_cpu: a negative target", [&] { temper(3, -1, 3); }, "-1"},
      {"temper_cpu: a target of NaN", [&] { temper(3, double{nan}, 3); }, "nan"},
      {"temper_cpu: a negative max_loss", [&] { temper(3, 0, 3, -1); }, "max_loss"},
      {"temper_cpu: a max_loss of NaN", [&] { temper(3, 0, 3, double{nan}); }, "max_loss"},
      {"temper_cpu: too many samples", [&] { temper((1 << 20) + 1, 0, (1 << 20) + 1); }, "1048577 samples"},
      {"resample_cpu: weights of 0",
       [&] {
         resample({0, 0}, 2);
       },
       "weigh 0"},
      {"resample_cpu: no weights", [&] { resample({}, 2); }, "out of none"},
      {"resample_cpu: a weight above whole_weight",
       [&] {
         resample({1, whole_weight + 1}, 2);
       },
       "weight 1"},
      {"resample_cpu: weights of 2^32 - 1",
       [&] {
         resample({0xFFFFFFFF, 0xFFFFFFFF}, 2);
       },
       "weight 0"},
      {"resample_cpu: too many rows", [&] { resample({1}, (1 << 20) + 1); }, "1048577 samples"},
      {"CudaGroup: no GPU", [] { CudaGroup({}, 1, {}); }, "at least one GPU"},
      {"CudaGroup: -1 points", [&] { CudaGroup(gpu, -1, {}); }, "-1 points"},
      {"CudaGroup: 2^63 - 1 points", [&] { CudaGroup(gpu, most, {}); }, "points"},
      {"CudaGroup: a sigma of NaN", [&] { CudaGroup(gpu, 1, {.sigma_m = nan}); }, "sigma"},
      {"CudaGroup: an unknown method", [&] { CudaGroup(gpu, 1, {}, {no_such<Method>()}); }, "method"},
  };
  expect_refusals(refusals);
  EXPECT_EQ(folder.entry_count(), 0);
}

}  // namespace
}  // namespace triptych::capsule_likelihood
