// fit_cpu and LevelFitter: the one pass against the ten steps in double, within bounds derived from the
// rounding of floats; and what a fit decides.
#include <triptych/aam_fit/fit.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

#include "fit/cpu/one_pass.hpp"
#include "fit/cpu/paper_fit.hpp"
#include "testing/aam_scene.hpp"
#include "testing/expect_error.hpp"
#include "testing/random.hpp"

namespace triptych::aam_fit {
namespace {

using test::AamScene;
using test::make_aam_scene;

// The ten steps in double at parameters, and what float arithmetic may change about them.
struct Truth {
  PaperFit<double>::Found found;
  std::vector<double> step;
  double error_bound = 0;
  std::vector<double> step_bounds;
};

// u = 2^-24; k roundings of either sign add up to no more than 4 sqrt(k) u of the numbers rounded (four
// standard deviations and more). Coordinates take modes + 6 of them, of numbers up to `reach`: they are off
// by at most e = 4 sqrt(modes + 6) u reach each way. All samples together then are off by sqrt(2 n) e times
// the root mean square G of the planes' gradient, and by 6 roundings of their own: es = sqrt(2 n) e G + 6 u
// sqrt(n) |I|. Sums over a tile are chains of 64 multiply-adds and two more roundings: 4 sqrt(66) u |row|
// |x|, |x| the norm of samples less sample_offset. A residual, beta and alpha, which are such sums, are thus
// off by at most d = 3 (es + 4 sqrt(66) u |x|) / alpha, times |x| / (alpha |g0|), by which a relative error
// of alpha enters. A step is off by |R_j| d, the error by 2 |r| d + d^2, and the one-pass error, put together
// of terms up to |x|^2 / alpha^2, by their share of those sums' and of alpha's.
Truth truth_of(const Level& level, const Planes& planes, std::span<const float> at) {
  const PassPlanes in = pass_planes(planes.view(), planes.channels);
  PaperFit<double> paper(level);
  const std::vector<double> p(at.begin(), at.end());
  Truth t;
  t.found = paper.evaluate(in, p.data());
  t.step.resize(p.size());
  paper.step(t.step.data());

  const double u = 0x1p-24;
  const double chain = 4 * std::sqrt(66.0) * u;
  double squares = 0, brightest = 0, reach = 0;
  std::int64_t places = 0;
  for (int c = 0; c < planes.channels; ++c)
    for (int y = 0; y + 1 < planes.height; ++y)
      for (int x = 0; x + 1 < planes.width; ++x, ++places) {
        const float* v = planes.values.data() + (std::int64_t{c} * planes.height + y) * planes.width + x;
        const double dx = double{v[1]} - double{v[0]}, dy = double{v[planes.width]} - double{v[0]};
        squares += (dx * dx + dy * dy) / 2;
        brightest = std::max(brightest, std::abs(double{v[0]}));
      }
  for (const double v : paper.shape()) reach = std::max(reach, std::abs(v));
  const auto n = static_cast<double>(level.samples());
  const double gradient = std::sqrt(squares / static_cast<double>(places));
  const double place = 4 * std::sqrt(level.modes + 6.0) * u * reach;
  const double samples = std::sqrt(2 * n) * place * gradient + 6 * u * std::sqrt(n) * brightest;
  double xx = 0, g0g0 = 0, rr = 0;
  for (const double r : paper.residual()) rr += r * r;
  for (const float g : level.g0) g0g0 += double{g} * double{g};
  const double beta = t.found.beta - double{level.sample_offset};
  // |x|^2 of what was sampled: the spread, alpha^2 |g|^2, and the offset.
  const std::vector<double> texture =
      test::detail::aam_sample(level, planes, test::detail::aam_shape(level, p));
  for (const double v : texture) xx += (v - double{level.sample_offset}) * (v - double{level.sample_offset});
  EXPECT_GE(xx + 1e-6, n * beta * beta);
  const double ratio = std::sqrt(xx / g0g0) / t.found.alpha;
  const double d = 3 * (samples + chain * std::sqrt(xx)) / t.found.alpha * std::max(1.0, ratio);
  t.error_bound = 2 * std::sqrt(rr) * d + d * d + 4 * chain * g0g0 * ratio * ratio * (1 + ratio);
  for (int j = 0; j < level.modes + 4; ++j) {
    double RR = 0;
    for (std::int64_t i = 0; i < level.samples(); ++i) {
      const double R = double{level.R[j * level.samples() + i]};
      RR += R * R;
    }
    t.step_bounds.push_back(std::sqrt(RR) * d);
  }
  return t;
}

void expect_near(const LevelFitter::Evaluation& found, const Truth& truth) {
  EXPECT_NEAR(found.error, truth.found.error, truth.error_bound);
  EXPECT_NEAR(found.alpha, truth.found.alpha, 0.01 * truth.found.alpha);
  EXPECT_EQ(found.outside, truth.found.outside);
  ASSERT_EQ(found.step.size(), truth.step.size());
  for (std::size_t j = 0; j < truth.step.size(); ++j)
    EXPECT_NEAR(found.step[j], truth.step[j], truth.step_bounds[j]) << "parameter " << j;
}

double largest(const std::vector<double>& v) {
  double most = 0;
  for (const double x : v) most = std::max(most, std::abs(x));
  return most;
}

struct Case {
  std::int64_t pixels;
  int modes, channels;
  Normalisation normalisation = Normalisation::projection;
  friend std::ostream& operator<<(std::ostream& out, const Case& c) {
    return out << c.pixels << " pixels, " << c.modes << " modes, " << c.channels << " channels";
  }
};

class Forms : public testing::TestWithParam<Case> {};

TEST_P(Forms, AgreeWithTheTenStepsInDouble) {
  const Case c = GetParam();
  AamScene scene = make_aam_scene({.pixels = c.pixels, .modes = c.modes, .channels = c.channels});
  scene.level.normalisation = c.normalisation;
  LevelFitter fitter(scene.level, Storage::float32, 2);
  const Truth truth = truth_of(scene.level, scene.planes, scene.start);
  ASSERT_GT(truth.found.alpha, 0);
  EXPECT_EQ(truth.found.outside, 0);
  // The bounds say something: less than a hundredth of the error, and of the largest step.
  EXPECT_LT(truth.error_bound, 0.01 * truth.found.error);
  EXPECT_LT(truth.step_bounds.back(), 0.02 * std::abs(largest(truth.step)));
  expect_near(fitter.evaluate(scene.planes.view(), scene.start, Form::one_pass), truth);
  expect_near(fitter.evaluate(scene.planes.view(), scene.start, Form::paper), truth);

  // Another image is not within them.
  Planes other = scene.planes;
  for (std::size_t i = 0; i < other.values.size(); i += 3) other.values[i] += 5;
  const auto off = fitter.evaluate(other.view(), scene.start, Form::one_pass);
  EXPECT_GT(std::abs(off.error - truth.found.error), truth.error_bound);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Forms,
                         testing::Values(Case{64, 3, 1}, Case{127, 0, 1}, Case{128, 1, 1}, Case{129, 2, 2},
                                         Case{1021, 5, 1}, Case{2048, 14, 3}, Case{4099, 20, 1},
                                         Case{16384, 60, 1}, Case{2049, 70, 1}, Case{3001, 140, 1},
                                         Case{1500, 6, 2, Normalisation::length},
                                         Case{1500, 6, 2, Normalisation::floored}));

TEST(Fit, HasNoStepAtAnOptimum) {
  const AamScene scene = make_aam_scene({.pixels = 2500, .modes = 10, .noise = 0});
  LevelFitter fitter(scene.level, Storage::float32, 1);
  Truth truth = truth_of(scene.level, scene.planes, scene.truth);
  for (const Form form : {Form::one_pass, Form::paper}) {
    const auto found = fitter.evaluate(scene.planes.view(), scene.truth, form);
    EXPECT_NEAR(found.error, 0, truth.error_bound + truth.found.error);
    for (std::size_t j = 0; j < truth.step.size(); ++j)
      EXPECT_NEAR(found.step[j], 0, truth.step_bounds[j] + std::abs(truth.step[j]));
  }
  // In double the residual is what storing g0 and the parameters as floats leaves.
  EXPECT_LT(truth.found.error, 1e-10);
}

TEST(Fit, IsBlindToGainAndOffset) {
  for (const auto normalisation :
       {Normalisation::projection, Normalisation::length, Normalisation::floored}) {
    AamScene scene = make_aam_scene({.pixels = 2000, .modes = 8});
    scene.level.normalisation = normalisation;
    LevelFitter fitter(scene.level, Storage::float32, 1);
    Planes other = scene.planes;
    for (float& v : other.values) v = 1.7f * v + 30;
    const Truth truth = truth_of(scene.level, other, scene.start);
    for (const Form form : {Form::one_pass, Form::paper}) {
      const auto a = fitter.evaluate(scene.planes.view(), scene.start, form);
      const auto b = fitter.evaluate(other.view(), scene.start, form);
      EXPECT_NEAR(b.alpha, 1.7 * a.alpha, 1e-4 * b.alpha);
      EXPECT_NEAR(b.beta, 1.7 * a.beta + 30, 1e-3);
      EXPECT_NEAR(b.error, a.error, 2 * truth.error_bound);
      for (std::size_t j = 0; j < a.step.size(); ++j)
        EXPECT_NEAR(b.step[j], a.step[j], 2 * truth.step_bounds[j]);
    }
  }
}

TEST(Fit, CountsWhatLiesOutside) {
  const AamScene scene = make_aam_scene({.pixels = 900, .modes = 2});
  LevelFitter fitter(scene.level, Storage::float32, 1);
  for (const float by : {0.0f, 17.3f, -25.1f, 60.0f, 1e9f, std::numeric_limits<float>::infinity(), NAN}) {
    std::vector<float> p = scene.truth;
    p[4] += by;
    const std::vector<double> wide(p.begin(), p.end());
    PaperFit<double> paper(scene.level);
    const auto expected = paper.evaluate(pass_planes(scene.planes.view(), 1), wide.data());
    EXPECT_EQ(fitter.evaluate(scene.planes.view(), p, Form::one_pass).outside, expected.outside) << by;
    EXPECT_EQ(fitter.evaluate(scene.planes.view(), p, Form::paper).outside, expected.outside) << by;
    EXPECT_EQ(expected.outside > 0, by != 0) << by;
  }
}

TEST(OnePass, GivesTheSameBitsForAnyThreadsAndPath) {
  const AamScene scene = make_aam_scene({.pixels = 9001, .modes = 21, .channels = 2});
  for (const Storage storage : {Storage::float32, Storage::float16}) {
    const StackedLevel stacked = stack(scene.level, storage, 2);
    const PassPlanes in = pass_planes(scene.planes.view(), 2);
    const auto run = [&](CpuPath path, int threads) {
      OnePass pass(scene.level, stacked, threads, path);
      const auto padded = static_cast<std::size_t>(pass.padded_points());
      std::vector<float> xy(2 * padded);
      pass.shape(scene.start.data(), xy.data(), xy.data() + padded);
      const OnePass::Result r = pass.run(in, xy.data());
      std::vector<double> all(r.rows.begin(), r.rows.end());
      all.push_back(r.S1);
      all.push_back(r.S2);
      return all;
    };
    const std::vector<double> one = run(CpuPath::simd, 1);
    EXPECT_EQ(run(CpuPath::simd, 2), one);
    EXPECT_EQ(run(CpuPath::simd, 5), one);
    double size = 0;
    for (const double v : one) size = std::max(size, std::abs(v));
    for (const CpuPath path : available_pass_paths()) {
      const std::vector<double> other = run(path, 1);
      if (path != CpuPath::plain) {
        EXPECT_EQ(other, one) << to_string(path);
        continue;
      }
      // Plain may round products too: 66 more roundings, of sums up to |row| |x|, and places that move.
      for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(other[i], one[i], 1e-3 * size) << i;
    }
  }
}

TEST(Fit, SeveralStartsHaveTheBitsOfEachAlone) {
  const AamScene scene = make_aam_scene({.pixels = 2001, .modes = 21, .channels = 2});
  std::vector<std::vector<float>> starts;
  for (int i = 0; i < 19; ++i) {  // more than a pass takes at once
    starts.push_back(scene.start);
    starts.back()[starts.back().size() - 2] += 0.4f * static_cast<float>(i);  // aside
  }
  starts[7].back() += 1e4f;  // outside
  const std::vector<std::span<const float>> views(starts.begin(), starts.end());
  LevelFitter batched(scene.level, Storage::float32, 2), alone(scene.level, Storage::float32, 1);
  for (const Form form : {Form::one_pass, Form::paper}) {
    const FitOptions options{.form = form, .max_iterations = 6};
    const std::vector<LevelFit> fits = fit_cpu(batched, scene.planes.view(), views, options);
    ASSERT_EQ(fits.size(), starts.size());
    for (std::size_t i = 0; i < starts.size(); ++i) {
      const LevelFit one = fit_cpu(alone, scene.planes.view(), starts[i], options);
      EXPECT_EQ(fits[i].parameters, one.parameters) << i;
      EXPECT_EQ(fits[i].errors, one.errors) << i;
      EXPECT_EQ(fits[i].iterations, one.iterations) << i;
      EXPECT_EQ(fits[i].evaluations, one.evaluations) << i;
      EXPECT_EQ(fits[i].status, one.status) << i;
    }
    EXPECT_EQ(fits[7].status, FitStatus::lost_outside);
  }
  EXPECT_TRUE(fit_cpu(batched, scene.planes.view(), std::span<const std::span<const float>>{}, {}).empty());
}

TEST(OnePass, LeavesOutRowsOfZeros) {
  AamScene scene = make_aam_scene({.pixels = 700, .modes = 6});
  scene.level.Qg = std::vector<float>(static_cast<std::size_t>(scene.level.Qg.size()));
  LevelFitter fitter(scene.level, Storage::float32, 1);
  const Truth truth = truth_of(scene.level, scene.planes, scene.start);
  expect_near(fitter.evaluate(scene.planes.view(), scene.start, Form::one_pass), truth);
}

TEST(Fit, HalvesMoveLandmarksLittle) {
  const AamScene scene = make_aam_scene({.pixels = 8192, .modes = 30});
  LevelFitter whole(scene.level, Storage::float32, 2), half(scene.level, Storage::float16, 2);
  for (const bool always : {false, true}) {
    const FitOptions options{.max_iterations = 10, .always_step = always};
    const LevelFit a = fit_cpu(whole, scene.planes.view(), scene.start, options);
    const LevelFit b = fit_cpu(half, scene.planes.view(), scene.start, options);
    const Shape s = whole.shape_of(a.parameters), t = half.shape_of(b.parameters);
    double most = 0;
    for (std::size_t i = 0; i < s.size(); ++i)
      most = std::max(most, std::hypot(s[i].x - t[i].x, s[i].y - t[i].y));
    EXPECT_LT(most, 0.02);
    EXPECT_NE(a.parameters, b.parameters);
  }
}

}  // namespace
}  // namespace triptych::aam_fit
