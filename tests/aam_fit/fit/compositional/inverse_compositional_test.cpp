// Inverse compositional fitting: on images made of a model's own mean and texture modes, at known shapes.
#include <triptych/aam_fit/fitter.hpp>
#include <triptych/aam_fit/inverse_compositional.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "fit/compositional/warp_composition.hpp"
#include "testing/aam_scene.hpp"
#include "testing/expect_error.hpp"

namespace triptych::aam_fit {
namespace {

using test::detail::aam_image;

constexpr int shape_modes = 5, texture_modes = 3;

// Makes rows orthonormal, one after the other.
void orthonormalise(std::vector<std::vector<double>>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (int twice = 0; twice < 2; ++twice)
      for (std::size_t j = 0; j < i; ++j) {
        double dot = 0;
        for (std::size_t k = 0; k < rows[i].size(); ++k) dot += rows[i][k] * rows[j][k];
        for (std::size_t k = 0; k < rows[i].size(); ++k) rows[i][k] -= dot * rows[j][k];
      }
    double norm = 0;
    for (const double v : rows[i]) norm += v * v;
    for (double& v : rows[i]) v /= std::sqrt(norm);
  }
}

std::vector<float> joined(const std::vector<std::vector<double>>& rows, std::size_t first) {
  std::vector<float> all;
  for (std::size_t i = first; i < rows.size(); ++i) all.insert(all.end(), rows[i].begin(), rows[i].end());
  return all;
}

struct Scene {
  Level level;
  Planes planes;  // the mean, and each mode a little
  Shape truth;    // whose shape modes are not zero
};

// The face's own frame is an image of waves; its texture modes are other such images. What is to be fitted is
// their sum, warped by a smooth movement of the plane that the shape modes contain.
Scene make_scene(int channels = 1) {
  Scene scene;
  Level& level = scene.level;
  level = test::detail::aam_level(2500, 2, channels, 3);
  const double face = level.face_size_px;
  const int points = level.points;

  // Smooth shape modes: bends and stretches, less the poses.
  std::vector<std::vector<double>> modes(4 + shape_modes,
                                         std::vector<double>(2 * static_cast<std::size_t>(points)));
  for (int i = 0; i < points; ++i) {
    const double x = double{level.s0[2 * i]}, y = double{level.s0[2 * i + 1]}, u = x / face, v = y / face;
    const double rows[4 + shape_modes][2] = {{1, 0}, {0, 1},         {x, y},     {-y, x},           {u, -v},
                                             {v, u}, {u * v, u * u}, {v * v, 0}, {0, u * u - v * v}};
    for (std::size_t k = 0; k < modes.size(); ++k)
      for (std::size_t axis = 0; axis < 2; ++axis)
        modes[k][2 * static_cast<std::size_t>(i) + axis] = rows[k][axis];
  }
  orthonormalise(modes);
  level.Ps = joined(modes, 4);
  level.ps_sigma = std::vector<float>(shape_modes, static_cast<float>(0.03 * face * std::sqrt(points)));
  level.shape_modes = shape_modes;

  const int width = 2 * level.frame.width, height = 2 * level.frame.height;
  std::vector<Planes> images;
  for (std::uint64_t k = 0; k <= texture_modes; ++k)
    images.push_back(aam_image(width, height, channels, face, 40 + k));
  std::vector<double> rest(static_cast<std::size_t>(level.modes) + 4, 0.0);
  rest[static_cast<std::size_t>(level.modes) + 2] = 0.5 * (width - 1);
  rest[static_cast<std::size_t>(level.modes) + 3] = 0.5 * (height - 1);
  test::detail::aam_learn(level, images[0], rest);
  const std::vector<double> shape = test::detail::aam_shape(level, rest);
  std::vector<std::vector<double>> textures;
  for (std::size_t k = 1; k < images.size(); ++k) {
    textures.push_back(test::detail::aam_sample(level, images[k], shape));
    for (double& v : textures.back()) v -= 120;
  }
  orthonormalise(textures);
  level.Pg = joined(textures, 0);
  level.texture_modes = texture_modes;

  scene.planes = images[0];
  for (std::size_t i = 0; i < scene.planes.values.size(); ++i)
    for (std::size_t k = 1; k < images.size(); ++k)
      scene.planes.values[i] += (k == 2 ? -0.3f : 0.25f) * (images[k].values[i] - 120);
  // The face was learnt where the image shows it, so that the truth is the mean shape at rest.
  for (std::size_t i = 0; i < shape.size(); i += 2) scene.truth.push_back({shape[i], shape[i + 1]});
  return scene;
}

// Off by a pose and by shape modes.
Shape off(const Scene& scene, double away) {
  const WarpComposition warp(scene.level);
  const double face = scene.level.face_size_px;
  std::vector<double> dp{0.02, -0.03, 0.03 * face, -0.02 * face, 1.2, -1.0, 0.8, 0.5, -0.7};
  for (double& v : dp) v *= away;
  return warp.compose(scene.truth, dp);
}

class Compositions : public testing::TestWithParam<std::pair<Compositional, int>> {};

TEST_P(Compositions, FindTheShape) {
  const auto [kind, channels] = GetParam();
  const Scene scene = make_scene(channels);
  CompositionalFitter fitter(scene.level, kind, 2);
  const Shape start = off(scene, 1);
  const double before = shape_error(start, scene.truth);
  EXPECT_GT(before, 0.02);
  const auto found = fitter.fit(scene.planes.view(), start,
                                {.max_iterations = 60, .min_relative_gain = 1e-5, .min_move_px = 0.005});
  EXPECT_LT(shape_error(found.shape, scene.truth), 0.002) << "from " << before;
  EXPECT_EQ(to_string(found.status), "converged");
  EXPECT_GT(found.iterations, 1);
  // What is left is far below what the texture modes explain.
  EXPECT_LT(found.error, 1e-3);
  // Gain and offset change nothing.
  Planes other = scene.planes;
  for (float& v : other.values) v = 0.6f * v + 50;
  const auto again = fitter.fit(other.view(), start,
                                {.max_iterations = 60, .min_relative_gain = 1e-5, .min_move_px = 0.005});
  EXPECT_LT(shape_error(again.shape, found.shape), 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Compositions,
                         testing::Values(std::pair{Compositional::project_out, 1},
                                         std::pair{Compositional::simultaneous, 1},
                                         std::pair{Compositional::project_out, 2},
                                         std::pair{Compositional::simultaneous, 2}));

TEST(Compositional, SimultaneousReachesFarther) {
  // Where the texture differs much from the mean, its own gradients matter: from the same start the fit that
  // uses them needs no more iterations and ends no worse.
  const Scene scene = make_scene();
  CompositionalFitter fixed(scene.level, Compositional::project_out, 1),
      own(scene.level, Compositional::simultaneous, 1);
  const FitOptions options{.max_iterations = 4, .min_relative_gain = 0, .min_move_px = 0};
  const Shape start = off(scene, 1);
  const auto a = fixed.fit(scene.planes.view(), start, options),
             b = own.fit(scene.planes.view(), start, options);
  EXPECT_LT(b.error, a.error);
  EXPECT_LT(shape_error(b.shape, scene.truth), shape_error(a.shape, scene.truth));
}

TEST(Compositional, StaysAtTheTruth) {
  const Scene scene = make_scene();
  for (const auto kind : {Compositional::project_out, Compositional::simultaneous}) {
    CompositionalFitter fitter(scene.level, kind, 1);
    const auto found = fitter.fit(scene.planes.view(), scene.truth, {});
    EXPECT_LT(shape_error(found.shape, scene.truth), 5e-4);
    EXPECT_EQ(to_string(found.status), "converged");
  }
}

TEST(Compositional, SaysWhenTheFaceIsLost) {
  const Scene scene = make_scene();
  CompositionalFitter fitter(scene.level, Compositional::project_out, 1);
  Shape far = scene.truth;
  for (Point& p : far) p.x += 1000;
  EXPECT_EQ(to_string(fitter.fit(scene.planes.view(), far, {}).status), "lost_outside");
  Planes flat = scene.planes;
  std::fill(flat.values.begin(), flat.values.end(), 3.0f);
  EXPECT_EQ(to_string(fitter.fit(flat.view(), scene.truth, {}).status), "lost_contrast");
}

TEST(Compositional, RefusesALevelWithoutItsParts) {
  const auto plain = test::make_aam_scene({.pixels = 300, .modes = 2});
  EXPECT_ERROR(CompositionalFitter(plain.level, Compositional::project_out, 1), InvalidArgument, "without");
  const Scene scene = make_scene();
  CompositionalFitter fitter(scene.level, Compositional::project_out, 1);
  EXPECT_ERROR(fitter.fit(scene.planes.view(), Shape(3), {}), InvalidArgument, "68 points");
  EXPECT_ERROR(fitter.fit({}, scene.truth, {}), InvalidArgument, "too small");
}

TEST(WarpComposition, UndoesASmallWarp) {
  const Scene scene = make_scene();
  const WarpComposition warp(scene.level);
  const std::vector<double> dp{0.01, 0, 0, 0.5, 0, 0.4, 0, 0, 0},
      minus_dp{-0.01, 0, 0, -0.5, 0, -0.4, 0, 0, 0};
  ASSERT_EQ(dp.size(), static_cast<std::size_t>(warp.parameter_count()));
  // Forward and back again: second order remains.
  const Shape there = warp.compose(scene.truth, dp), back = warp.compose(there, minus_dp);
  double moved = 0, left = 0;
  for (std::size_t i = 0; i < back.size(); ++i) {
    moved = std::max(moved, std::hypot(there[i].x - scene.truth[i].x, there[i].y - scene.truth[i].y));
    left = std::max(left, std::hypot(back[i].x - scene.truth[i].x, back[i].y - scene.truth[i].y));
  }
  EXPECT_GT(moved, 0.4);
  EXPECT_LT(left, 0.02);
  // A shift of the frame is a shift of the shape, the other way.
  const std::vector<double> shift{0, 0, 1, 0, 0, 0, 0, 0, 0};
  const Shape shifted = warp.compose(scene.truth, shift);
  for (std::size_t i = 0; i < shifted.size(); ++i) {
    EXPECT_NEAR(shifted[i].x, scene.truth[i].x - 1, 1e-9);
    EXPECT_NEAR(shifted[i].y, scene.truth[i].y, 1e-9);
  }
  // Modes end at three standard deviations.
  Shape wild = scene.truth;
  for (std::size_t i = 0; i < wild.size(); ++i)
    wild[i].x += 100 * double{scene.level.Ps[static_cast<std::int64_t>(2 * i)]};
  const Shape tame = warp.to_model(wild);
  double b = 0;
  const Similarity pose = align(warp.to_model(scene.truth), tame);
  const Shape upright = posed(inverse(pose), tame);
  for (std::size_t i = 0; i < tame.size(); ++i)
    b += double{scene.level.Ps[static_cast<std::int64_t>(2 * i)]} * (upright[i].x - scene.truth[i].x) +
         double{scene.level.Ps[static_cast<std::int64_t>(2 * i + 1)]} * (upright[i].y - scene.truth[i].y);
  EXPECT_LE(std::abs(b), 3.0001 * double{scene.level.ps_sigma[0]});
}

TEST(Compositional, ServesAFitter) {
  const Scene scene = make_scene();
  Model model;
  model.points = scene.level.points;
  for (int i = 0; i < model.points; ++i)
    model.mean.push_back({double{scene.level.s0[2 * i]} / scene.level.face_size_px,
                          double{scene.level.s0[2 * i + 1]} / scene.level.face_size_px});
  model.levels = {scene.level};
  Image<Grey8> frame(scene.planes.width, scene.planes.height);
  for (std::size_t i = 0; i < frame.pixels.size(); ++i)
    frame.pixels[i] = {static_cast<std::uint8_t>(std::clamp(std::lround(scene.planes.values[i]), 0l, 255l))};
  for (const auto algorithm : {Algorithm::project_out, Algorithm::simultaneous}) {
    Fitter fitter(model, {.algorithm = algorithm, .fit = {.max_iterations = 40}}, Device::cpu(1));
    const Fit fit = fitter.step({frame.view(), off(scene, 0.7)});
    EXPECT_LT(shape_error(fit.landmarks, scene.truth), 0.005);
    EXPECT_EQ(fit.parameters.size(), 6u);
  }
}

}  // namespace
}  // namespace triptych::aam_fit
