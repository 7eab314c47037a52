// Gauss-Newton steps on patches, on the CPU.
#include <triptych/aam_fit/fit.hpp>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "aam_fit/fit/refine/made_up_patches.hpp"
#include "fit/fit_math.hpp"
#include "fit/refine/refine_cpu.hpp"
#include "testing/expect_error.hpp"

namespace triptych::aam_fit {
namespace {

using test::make_patch_world;
using test::PatchWorld;

const Features edges{.kind = FeatureKind::double_angle, .smooth_px = 0.7f, .local_px = 6, .pool_px = 1.5f};

// The truth with some displacement of its pose, and of its modes in standard deviations.
std::vector<float> displaced(const PatchWorld& made, float x_px, float y_px, float modes) {
  const Level& level = made.world.model.levels.back();
  std::vector<float> p = made.truth;
  for (int k = 0; k < level.modes; ++k)
    p[static_cast<std::size_t>(k)] += (k % 2 == 0 ? modes : -modes) * level.sigma[k];
  p[static_cast<std::size_t>(level.modes) + 1] += 0.01f;
  p[static_cast<std::size_t>(level.modes) + 2] += x_px;
  p[static_cast<std::size_t>(level.modes) + 3] += y_px;
  return p;
}

std::vector<float> refined(const PatchWorld& made, std::vector<float> p, int steps) {
  RefinerCpu refiner(made.world.model);
  refiner.refine(made.planes.view(), steps, p);
  return p;
}

// One step by dense matrices in double, as refine_math.hpp states it.
Eigen::VectorXd dense_step(const PatchWorld& made, const std::vector<float>& parameters) {
  const Level& level = made.world.model.levels.back();
  const Refinement& patches = made.world.model.refinement;
  const LevelFitter fitter(level);
  const Shape shape = fitter.shape_of(parameters);
  const std::vector<float> sampled = test::patch_texture(patches, made.planes.view(), shape);
  const auto n = static_cast<Eigen::Index>(sampled.size());
  const Eigen::VectorXd x = Eigen::Map<const Eigen::VectorXf>(sampled.data(), n).cast<double>();
  const Eigen::VectorXd g0 = Eigen::Map<const Eigen::VectorXf>(patches.g0.data(), n).cast<double>();
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::MatrixXd basis =
      Eigen::Map<const Matrix>(patches.basis.data(), patches.rows(), n).cast<double>();
  const Eigen::VectorXd centred = x.array() - x.mean();
  const double alpha =
      texture_alpha(level.normalisation, centred.dot(g0), centred.squaredNorm(), g0.squaredNorm());
  const Eigen::VectorXd r = centred / alpha - g0;
  const Eigen::VectorXd model = g0 + basis.transpose() * (basis * r);

  const int side = patches.patch_samples, area = side * side, m = level.modes,
            channel_count = channels(level.features);
  const Similarity pose{double{parameters[static_cast<std::size_t>(m)]},
                        double{parameters[static_cast<std::size_t>(m) + 1]}, 0, 0};
  const Similarity back = inverse(pose);
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(n, 2 * level.points);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Eigen::Index l = i / (area * channel_count), u = i % area % side, v = i % area / side;
    const auto difference = [&](Eigen::Index at, Eigen::Index stride) {
      const Eigen::Index low = at > 0 ? 1 : 0, high = at + 1 < side ? 1 : 0;
      return (model(i + high * stride) - model(i - low * stride)) /
             (static_cast<double>(high + low) * patches.pitch_px);
    };
    // Along the planes' axes: the derivatives are those of the model's place, which follows from the plane's.
    const Point along{difference(u, 1), difference(v, side)};
    const double a = 1 + back.sx, b = back.sy;
    G(i, 2 * l) = a * along.x + b * along.y;
    G(i, 2 * l + 1) = -b * along.x + a * along.y;
  }
  // B by differences of shapes: they are linear in c, and in the pose.
  Eigen::MatrixXd B(2 * level.points, m + 4);
  for (int j = 0; j < m + 4; ++j) {
    std::vector<float> moved = parameters;
    const float step = j < m || j > m + 1 ? 1.0f : 0.0625f;
    moved[static_cast<std::size_t>(j)] += step;
    const double taken =
        double{moved[static_cast<std::size_t>(j)]} - double{parameters[static_cast<std::size_t>(j)]};
    const Shape other = fitter.shape_of(moved);
    for (int l = 0; l < level.points; ++l) {
      const auto at = static_cast<std::size_t>(l);
      B(2 * l, j) = (other[at].x - shape[at].x) / taken;
      B(2 * l + 1, j) = (other[at].y - shape[at].y) / taken;
    }
  }
  const auto leave = [&](const Eigen::MatrixXd& columns) -> Eigen::MatrixXd {
    return columns - basis.transpose() * (basis * columns);
  };
  const Eigen::MatrixXd J = leave(G * B);
  const double prior = prior_weight * G.squaredNorm() / (2 * level.points);
  const Eigen::MatrixXd normal = J.transpose() * J + prior * B.transpose() * B;
  return normal.ldlt().solve(-J.transpose() * leave(r));
}

TEST(Refine, AStepIsThatOfDenseMatrices) {
  for (const Features& features : {Features{}, edges}) {
    const PatchWorld made = make_patch_world(features, 6, 5, 3);
    const std::vector<float> start = displaced(made, 0.8f, -0.6f, 0.3f), end = refined(made, start, 1);
    const Eigen::VectorXd expected = dense_step(made, start);
    double size = 0, difference = 0;
    for (std::size_t i = 0; i < start.size(); ++i) {
      const double step = double{end[i]} - double{start[i]};
      size += expected[static_cast<Eigen::Index>(i)] * expected[static_cast<Eigen::Index>(i)];
      difference +=
          (step - expected[static_cast<Eigen::Index>(i)]) * (step - expected[static_cast<Eigen::Index>(i)]);
    }
    // sums of some thousand floats, and shapes whose landmarks are rounded to floats
    EXPECT_LT(std::sqrt(difference), 2e-3 * std::sqrt(size));
    EXPECT_GT(size, 0.01);
  }
}

TEST(Refine, GoesTowardsTheTruth) {
  const PatchWorld made = make_patch_world(edges, 4, 6, 2);
  const LevelFitter fitter(made.world.model.levels.back());
  const Shape truth = fitter.shape_of(made.truth);
  for (const auto& [x, y, modes] : {std::tuple{1.5f, 0.0f, 0.0f}, {-1.0f, 1.2f, 0.0f}, {0.5f, 0.5f, 0.3f}}) {
    const std::vector<float> start = displaced(made, x, y, modes);
    const double before = shape_error(fitter.shape_of(start), truth);
    const double after = shape_error(fitter.shape_of(refined(made, start, 4)), truth);
    // the prior keeps 0.3 / 1.3 of a displacement along the mean direction, more along weak ones
    EXPECT_LT(after, 0.5 * before) << x << ", " << y;
  }
}

TEST(Refine, StaysAtTheTruth) {
  const PatchWorld made = make_patch_world(edges, 4, 6, 2);
  const LevelFitter fitter(made.world.model.levels.back());
  EXPECT_LT(
      test::largest_distance(fitter.shape_of(refined(made, made.truth, 3)), fitter.shape_of(made.truth)),
      1e-3);
}

TEST(Refine, KeepsParametersWithoutContrastAndBadOnes) {
  const PatchWorld made = make_patch_world(edges, 4, 6, 2);
  RefinerCpu refiner(made.world.model);
  const std::vector<float> start = displaced(made, 1, 1, 0);
  std::vector<float> p = start;
  Planes flat(made.planes.width, made.planes.height, made.planes.channels);
  refiner.refine(flat.view(), 2, p);
  EXPECT_EQ(p, start);
  Planes noise = made.planes;
  noise.values = test::random_values<float>(static_cast<std::int64_t>(noise.values.size()), -1e30f, 1e30f, 3);
  refiner.refine(noise.view(), 2, p);
  for (const float v : p) EXPECT_TRUE(std::isfinite(v));
  p.front() = std::numeric_limits<float>::infinity();
  const std::vector<float> bad = p;
  refiner.refine(made.planes.view(), 2, p);
  EXPECT_EQ(p, bad);
}

TEST(Refine, IsPartOfAFit) {
  PatchWorld made = make_patch_world(edges, 4, 6, 2);
  for (Level& level : made.world.model.levels) level.iterations = 1;
  const Shape start = test::displaced(made.world.truth, 0.03, 0.02, 1.02);
  const auto fit = [&](int steps) {
    Fitter fitter(made.world.model, {.refinement_steps = steps, .min_confidence = 0}, Device::cpu(1));
    return fitter.step({made.world.frame.view(), start});
  };
  const Fit none = fit(0), two = fit(2);
  EXPECT_LT(shape_error(two.landmarks, made.world.truth), shape_error(none.landmarks, made.world.truth));
  EXPECT_EQ(two.error, none.error);
  EXPECT_NE(two.parameters, none.parameters);
  const Fitter twice(made.world.model, {}, Device::cpu(1));
  EXPECT_NE(twice.describe().find("then 2 Gauss-Newton steps"), std::string::npos) << twice.describe();
  Model without = made.world.model;
  without.refinement = {};
  Fitter fitter(without, {.min_confidence = 0}, Device::cpu(1));
  EXPECT_EQ(fitter.step({made.world.frame.view(), start}).landmarks, none.landmarks);
  EXPECT_ERROR(fit(11), InvalidArgument, "refinement_steps");
  EXPECT_ERROR(fit(-1), InvalidArgument, "refinement_steps");
}

TEST(Refine, PatchesThatDoNotFitTheModelAreRefused) {
  const Model model = make_patch_world(edges, 4, 6, 2).world.model;
  const auto refused = [&](auto&& change, const char* reason) {
    Model other = model;
    change(other.refinement);
    EXPECT_ERROR(check_model(other), InvalidArgument, reason);
  };
  refused([](Refinement& r) { r.patch_samples = 1; }, "not 2 to 64");
  refused([](Refinement& r) { r.patch_samples = 5; }, "pixels instead of");
  refused([](Refinement& r) { r.pitch_px = 0; }, "apart");
  refused([](Refinement& r) { r.g0 = std::vector<float>(5, 1.0f); }, "g0 has 5");
  refused([](Refinement& r) { r.g0 = std::vector<float>(static_cast<std::size_t>(r.g0.size())); },
          "all zeros");
  refused([](Refinement& r) { r.basis = std::vector<float>(7); }, "no multiple");
  refused(
      [](Refinement& r) {
        std::vector<float> values(r.g0.begin(), r.g0.end());
        values[3] = NAN;
        r.g0 = values;
      },
      "not finite");
  refused(
      [](Refinement& r) {
        std::vector<WarpPixel> pixels(r.pixels.begin(), r.pixels.end());
        pixels[9].corners[1] = 68;
        r.pixels = pixels;
      },
      "landmark 68");
}

}  // namespace
}  // namespace triptych::aam_fit
