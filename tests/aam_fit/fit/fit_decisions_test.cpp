// What a fit decides: step sizes, statuses, and that it converges where it should.
#include <triptych/aam_fit/fit.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "testing/aam_scene.hpp"
#include "testing/expect_error.hpp"

namespace triptych::aam_fit {
namespace {

using test::AamScene;
using test::make_aam_scene;

Level with_R(const Level& level, float factor) {
  std::vector<float> R(level.R.begin(), level.R.end());
  for (float& v : R) v *= factor;
  Level changed = level;
  changed.R = std::move(R);
  return changed;
}

double farthest(const Shape& a, const Shape& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    most = std::max(most, std::hypot(a[i].x - b[i].x, a[i].y - b[i].y));
  return most;
}

// Algorithm 1 as corrected, by evaluate() alone: one trial after the other, each from the old parameters.
LevelFit by_evaluations(LevelFitter& fitter, PlanesView planes, std::vector<float> p,
                        const FitOptions& options) {
  LevelFit fit;
  auto here = fitter.evaluate(planes, p, options.form);
  fit.evaluations = 1;
  fit.errors = {here.error};
  fit.status = FitStatus::out_of_iterations;
  while (fit.iterations < options.max_iterations) {
    bool better = false, still = false;
    double before = here.error;
    for (int k = 0; k < options.steps && !better; ++k) {
      std::vector<float> q = p;
      for (std::size_t i = 0; i < q.size(); ++i)
        q[i] = static_cast<float>(double{p[i]} + std::ldexp(here.step[i], -k));
      if (k == 0) still = farthest(fitter.shape_of(q), fitter.shape_of(p)) <= options.min_move_px;
      const auto there = fitter.evaluate(planes, q, options.form);
      ++fit.evaluations;
      if (!(there.alpha > 0 && there.error < here.error)) continue;
      better = true;
      p = q;
      here = there;
    }
    if (!better) {
      fit.status = still ? FitStatus::converged : FitStatus::no_improvement;
      break;
    }
    ++fit.iterations;
    fit.errors.push_back(here.error);
    if (still || before - here.error < options.min_relative_gain * before) {
      fit.status = FitStatus::converged;
      break;
    }
  }
  fit.parameters = std::move(p);
  fit.error = here.error;
  return fit;
}

TEST(Decisions, AreThoseOfTheAlgorithm) {
  const AamScene scene = make_aam_scene({.pixels = 1500, .modes = 6});
  // Whole steps; steps that overshoot and have to be halved; short ones that take long.
  int halved = 0;
  for (const float factor : {1.0f, 2.7f, 6.0f, 0.3f, -1.0f}) {
    LevelFitter fitter(with_R(scene.level, factor), Storage::float32, 1);
    for (const Form form : {Form::one_pass, Form::paper})
      for (const int most : {1, 3, 40})
        for (const int steps : {1, 4}) {
          const FitOptions options{.form = form, .max_iterations = most, .steps = steps};
          const LevelFit expected = by_evaluations(fitter, scene.planes.view(), scene.start, options);
          const LevelFit found = fit_cpu(fitter, scene.planes.view(), scene.start, options);
          EXPECT_EQ(found.parameters, expected.parameters) << factor;
          EXPECT_EQ(found.error, expected.error);
          EXPECT_EQ(found.errors, expected.errors);
          EXPECT_EQ(found.iterations, expected.iterations);
          EXPECT_EQ(found.evaluations, expected.evaluations);
          EXPECT_EQ(to_string(found.status), to_string(expected.status))
              << factor << " " << most << " " << steps;
          EXPECT_TRUE(std::is_sorted(found.errors.rbegin(), found.errors.rend()));
          halved += found.evaluations > found.iterations + 1;
        }
  }
  EXPECT_GT(halved, 5);
}

TEST(Decisions, BothFormsFindTheFace) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const AamScene scene = make_aam_scene({.pixels = 3000, .modes = 12, .seed = seed});
    LevelFitter fitter(scene.level, Storage::float32, 2);
    const FitOptions options{.min_relative_gain = 1e-6};
    const Shape truth = fitter.shape_of(scene.truth), start = fitter.shape_of(scene.start);
    const LevelFit fit = fit_cpu(fitter, scene.planes.view(), scene.start, options);
    EXPECT_EQ(to_string(fit.status), "converged");
    EXPECT_LT(farthest(fitter.shape_of(fit.parameters), truth), 0.2 * farthest(start, truth))
        << "seed " << seed;
    EXPECT_LT(fit.error, 0.1 * fit.errors.front());
    // Both stop where a step moves no landmark by more than 0.02 px, from sides that rounding may choose.
    FitOptions paper = options;
    paper.form = Form::paper;
    const LevelFit other = fit_cpu(fitter, scene.planes.view(), scene.start, paper);
    EXPECT_LT(farthest(fitter.shape_of(fit.parameters), fitter.shape_of(other.parameters)),
              2 * options.min_move_px);
  }
}

TEST(Decisions, RestoreWhereNothingImproves) {
  const AamScene scene = make_aam_scene({.pixels = 1200, .modes = 4});
  LevelFitter fitter(with_R(scene.level, -1), Storage::float32, 1);
  const LevelFit fit = fit_cpu(fitter, scene.planes.view(), scene.start, {});
  EXPECT_EQ(to_string(fit.status), "no_improvement");
  EXPECT_EQ(fit.parameters, scene.start);
  EXPECT_EQ(fit.iterations, 0);
  EXPECT_EQ(fit.evaluations, 5);
  EXPECT_EQ(fit.errors, std::vector<double>{fit.error});
  // No step at all is where a fit ends, too, but well.
  LevelFitter idle(with_R(scene.level, 0), Storage::float32, 1);
  const LevelFit stays = fit_cpu(idle, scene.planes.view(), scene.start, {});
  EXPECT_EQ(to_string(stays.status), "converged");
  EXPECT_EQ(stays.parameters, scene.start);
}

TEST(Decisions, AlwaysStepTakesEveryStep) {
  const AamScene scene = make_aam_scene({.pixels = 1200, .modes = 4});
  LevelFitter fitter(with_R(scene.level, 2.2f), Storage::float32, 1);
  const LevelFit fit =
      fit_cpu(fitter, scene.planes.view(), scene.start, {.max_iterations = 3, .always_step = true});
  std::vector<float> p = scene.start;
  for (int i = 0; i < 3; ++i) {
    const auto at = fitter.evaluate(scene.planes.view(), p, Form::one_pass);
    for (std::size_t j = 0; j < p.size(); ++j) p[j] = static_cast<float>(double{p[j]} + at.step[j]);
  }
  EXPECT_EQ(fit.parameters, p);
  EXPECT_EQ(fit.iterations, 3);
  EXPECT_EQ(fit.evaluations, 4);
  EXPECT_EQ(fit.errors.size(), 4u);
  EXPECT_EQ(to_string(fit.status), "out_of_iterations");
  LevelFitter good(scene.level, Storage::float32, 1);
  EXPECT_EQ(
      to_string(fit_cpu(good, scene.planes.view(), scene.start, {.max_iterations = 20, .always_step = true})
                    .status),
      "converged");
}

TEST(Decisions, SayWhenTheFaceIsLost) {
  const AamScene scene = make_aam_scene({.pixels = 1200, .modes = 4});
  LevelFitter fitter(scene.level, Storage::float32, 1);
  for (const Form form : {Form::one_pass, Form::paper}) {
    const FitOptions options{.form = form};
    for (const float far : {40.0f, 1e6f, NAN}) {
      std::vector<float> start = scene.start;
      start[6] += far;
      const LevelFit fit = fit_cpu(fitter, scene.planes.view(), start, options);
      EXPECT_EQ(to_string(fit.status), "lost_outside") << far;
      EXPECT_EQ(fit.iterations, 0);
    }
    Planes flat = scene.planes, negative = scene.planes;
    for (float& v : flat.values) v = 97.3f;
    for (float& v : negative.values) v = 255 - v;
    EXPECT_EQ(to_string(fit_cpu(fitter, flat.view(), scene.start, options).status), "lost_contrast");
    EXPECT_EQ(to_string(fit_cpu(fitter, negative.view(), scene.start, options).status), "lost_contrast");
    EXPECT_EQ(
        to_string(fit_cpu(fitter, flat.view(), scene.start, {.form = form, .always_step = true}).status),
        "lost_contrast");
  }
  // Few pixels outside do not matter, when they are allowed.
  std::vector<float> start = scene.start;
  start[6] += 25;
  EXPECT_NE(to_string(fit_cpu(fitter, scene.planes.view(), start, {.max_outside_fraction = 1}).status),
            "lost_outside");
}

TEST(Decisions, ZeroIterationsLookOnce) {
  const AamScene scene = make_aam_scene({.pixels = 300, .modes = 2});
  LevelFitter fitter(scene.level, Storage::float32, 1);
  const LevelFit fit = fit_cpu(fitter, scene.planes.view(), scene.start, {.max_iterations = 0});
  EXPECT_EQ(fit.evaluations, 1);
  EXPECT_EQ(fit.parameters, scene.start);
  EXPECT_EQ(to_string(fit.status), "out_of_iterations");
}

TEST(LevelFitter, FindsTheParametersOfAShape) {
  const AamScene scene = make_aam_scene({.pixels = 4000, .modes = 5, .noise = 0});
  LevelFitter fitter(scene.level, Storage::float32, 1);
  std::vector<float> p = scene.truth;
  const Shape shape = fitter.shape_of(p);
  const std::vector<double> wide(p.begin(), p.end());
  const std::vector<double> expected = test::detail::aam_shape(scene.level, wide);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    EXPECT_NEAR(shape[i].x, expected[2 * i], 1e-4);
    EXPECT_NEAR(shape[i].y, expected[2 * i + 1], 1e-4);
  }
  // At the truth c is 0 in shape and in texture.
  const std::vector<float> found = fitter.parameters_of(scene.planes.view(), shape);
  for (std::size_t i = 0; i < p.size(); ++i)
    EXPECT_NEAR(found[i], p[i], i < 5 ? 1e-3 : i < 7 ? 1e-5 : 1e-3) << i;

  // Elsewhere it is Ks (s - s0) + Qg (g - g0), written out.
  Shape moved = shape;
  for (std::size_t i = 0; i < moved.size(); ++i) moved[i].x += 0.3 * std::sin(static_cast<double>(i));
  const std::vector<float> other = fitter.parameters_of(scene.planes.view(), moved);
  Level shape_tells = scene.level;
  shape_tells.texture_determines_c = false;
  const std::vector<float> by_shape =
      LevelFitter(shape_tells, Storage::float32, 1).parameters_of(scene.planes.view(), moved);
  Shape mean;
  for (int i = 0; i < 68; ++i)
    mean.push_back({double{scene.level.s0[2 * i]}, double{scene.level.s0[2 * i + 1]}});
  const Similarity pose = align(mean, moved);
  const Shape upright = posed(inverse(pose), moved);
  std::vector<double> flat;
  for (const Point q : moved) flat.insert(flat.end(), {q.x, q.y});
  std::vector<double> g = test::detail::aam_sample(scene.level, scene.planes, flat);
  test::detail::aam_normalise(g, scene.level.g0);
  for (int k = 0; k < 5; ++k) {
    double c = 0;
    for (int i = 0; i < 68; ++i) {
      const auto at = static_cast<std::size_t>(i);
      c += double{scene.level.Ks[k * 136 + 2 * i]} * (upright[at].x - mean[at].x) +
           double{scene.level.Ks[k * 136 + 2 * i + 1]} * (upright[at].y - mean[at].y);
    }
    const double from_shape = c;
    for (std::int64_t i = 0; i < 4000; ++i)
      c +=
          double{scene.level.Qg[k * 4000 + i]} * (g[static_cast<std::size_t>(i)] - double{scene.level.g0[i]});
    EXPECT_NEAR(other[static_cast<std::size_t>(k)], c, 1e-4) << k;
    EXPECT_NEAR(by_shape[static_cast<std::size_t>(k)], from_shape, 1e-5) << k;
  }
  EXPECT_NEAR(other[7], pose.tx, 1e-4);
}

TEST(LevelFitter, RefusesWhatDoesNotFit) {
  const AamScene scene = make_aam_scene({.pixels = 200, .modes = 3});
  LevelFitter fitter(scene.level, Storage::float32, 1);
  const std::vector<float> short_one(6);
  EXPECT_ERROR(fit_cpu(fitter, scene.planes.view(), short_one, {}), InvalidArgument, "7 parameters, not 6");
  EXPECT_ERROR(fit_cpu(fitter, {scene.planes.view().stacked, 2}, scene.start, {}), InvalidArgument,
               "1 channels");
  EXPECT_ERROR(fit_cpu(fitter, {}, scene.start, {}), InvalidArgument, "too small");
  EXPECT_ERROR(fit_cpu(fitter, scene.planes.view(), scene.start, {.steps = 0}), InvalidArgument,
               "step sizes");
  EXPECT_ERROR(fit_cpu(fitter, scene.planes.view(), scene.start, {.max_iterations = -1}), InvalidArgument,
               "-1");
  EXPECT_ERROR(fit_cpu(fitter, scene.planes.view(), scene.start, {.min_relative_gain = NAN}), InvalidArgument,
               "gain");
  EXPECT_ERROR(fitter.parameters_of(scene.planes.view(), Shape(5)), InvalidArgument, "shape of 5");
  Level bad = scene.level;
  bad.R = std::vector<float>(3);
  EXPECT_ERROR(LevelFitter(bad, Storage::float32, 1), InvalidArgument, "R has 3");
  bad = scene.level;
  bad.points = 10;
  EXPECT_ERROR(LevelFitter(bad, Storage::float32, 1), InvalidArgument, "s0");
  bad = scene.level;
  std::vector<WarpPixel> pixels(bad.frame.pixels.begin(), bad.frame.pixels.end());
  pixels[7].corners[1] = 68;
  bad.frame.pixels = pixels;
  EXPECT_ERROR(LevelFitter(bad, Storage::float32, 1), InvalidArgument, "landmark 68");
}

}  // namespace
}  // namespace triptych::aam_fit
