// One evaluation in double, written from the formulas, and a fit by whole steps made of such evaluations;
// with the sizes from which bounds on the rounding of a float fit follow.
#pragma once

#include <triptych/aam_fit/model.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "testing/aam_scene.hpp"

namespace triptych::test {

struct DoubleEvaluation {
  double error = 0, alpha = 0, beta = 0;
  std::vector<double> step;       // dp
  std::vector<double> magnitude;  // of each dp: the length of the list of terms that it is the sum of
  double error_magnitude = 0;     // of the terms of the error in its one-pass form
};

// Normalisation::projection.
inline DoubleEvaluation evaluate_in_double(const aam_fit::Level& level, const aam_fit::Planes& planes,
                                           const std::vector<double>& p) {
  const auto n = static_cast<std::size_t>(level.samples()), m = static_cast<std::size_t>(level.modes);
  const auto at = [](const SharedArray<float>& a, std::size_t i) {
    return double{a[static_cast<std::int64_t>(i)]};
  };
  const std::vector<double> x = detail::aam_sample(level, planes, detail::aam_shape(level, p));
  DoubleEvaluation evaluation;
  double sum = 0, g0g0 = 0, dot = 0;
  for (const double v : x) sum += v;
  evaluation.beta = sum / static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i) {
    dot += (x[i] - evaluation.beta) * at(level.g0, i);
    g0g0 += at(level.g0, i) * at(level.g0, i);
  }
  evaluation.alpha = dot / g0g0;
  std::vector<double> r(n);
  double squares = 0, model = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double texture = at(level.g0, i);
    for (std::size_t k = 0; k < m; ++k) texture += at(level.Qg, k * n + i) * p[k];
    r[i] = (x[i] - evaluation.beta) / evaluation.alpha - texture;
    evaluation.error += r[i] * r[i];
    squares += (x[i] - double{level.sample_offset}) * (x[i] - double{level.sample_offset});
    model += texture * texture;
  }
  evaluation.error_magnitude = squares / (evaluation.alpha * evaluation.alpha) + model + g0g0;
  evaluation.step.assign(m + 4, 0.0);
  evaluation.magnitude.assign(m + 4, 0.0);
  for (std::size_t i = 0; i < m + 4; ++i)
    for (std::size_t k = 0; k < n; ++k) {
      const double R = at(level.R, i * n + k);
      evaluation.step[i] -= R * r[k];
      const double size = std::abs(x[k] - double{level.sample_offset}) / evaluation.alpha +
                          std::abs(evaluation.beta - double{level.sample_offset}) / evaluation.alpha +
                          std::abs(at(level.g0, k));
      evaluation.magnitude[i] += R * R * size * size;
    }
  for (double& v : evaluation.magnitude) v = std::sqrt(v);
  return evaluation;
}

struct DoubleFit {
  std::vector<double> parameters;
  std::vector<double> errors;
  double bound_px = 0;     // on what rounding moves a landmark of a float fit by
  double error_bound = 0;  // on the rounding of the error at given parameters
};

// Whole steps. The bounds: a float sum in lanes, warps and blocks adds a number no more than 64 times in a
// row (16 or so in a lane, 5 in a warp, some 40 over the blocks). Its partial sums walk at random, so
// rounding stays within 64 eps times six deviations of the walk, six lengths of the list of terms. Steps of a
// sound update do not let what the last one left grow, so that a fit is off by no more than the number of
// steps times that. Landmarks add the parameters' errors as independent ones, six deviations again; and every
// place that is sampled is off by 8 eps of a coordinate, which a step takes for a movement of that size.
inline DoubleFit fit_in_double(const aam_fit::Level& level, const aam_fit::Planes& planes,
                               const std::vector<float>& start, int iterations) {
  constexpr double eps = 0x1p-24;
  DoubleFit fit;
  fit.parameters.assign(start.begin(), start.end());
  std::vector<double> bound(start.size(), 0.0);
  for (int i = 0; i <= iterations; ++i) {
    const DoubleEvaluation evaluation = evaluate_in_double(level, planes, fit.parameters);
    fit.errors.push_back(evaluation.error);
    fit.error_bound = std::max(fit.error_bound, 64 * eps * evaluation.error_magnitude);
    if (i == iterations) break;
    for (std::size_t k = 0; k < fit.parameters.size(); ++k) {
      bound[k] = std::max(bound[k], iterations * 6 * 64 * eps * evaluation.magnitude[k]);
      fit.parameters[k] += evaluation.step[k];
    }
  }
  const auto m = static_cast<std::size_t>(level.modes);
  for (std::size_t i = 0; i < 2 * static_cast<std::size_t>(level.points); ++i) {
    const double s = std::abs(double{level.s0[static_cast<std::int64_t>(i)]});
    double sum = s * s * (bound[m] * bound[m] + bound[m + 1] * bound[m + 1]) + bound[m + 2] * bound[m + 2];
    for (std::size_t k = 0; k < m; ++k) {
      const double v = double{level.Qs[static_cast<std::int64_t>(i * m + k)]} * bound[k];
      sum += v * v;
    }
    fit.bound_px = std::max(fit.bound_px, std::sqrt(sum));
  }
  fit.bound_px += iterations * 8 * eps * std::max(planes.width, planes.height);
  return fit;
}

// The largest distance between the landmarks of two sets of parameters, px.
inline double landmark_distance(const aam_fit::Level& level, const std::vector<double>& p,
                                const std::vector<double>& q) {
  const std::vector<double> a = detail::aam_shape(level, p), b = detail::aam_shape(level, q);
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); i += 2)
    largest = std::max(largest, std::hypot(a[i] - b[i], a[i + 1] - b[i + 1]));
  return largest;
}

}  // namespace triptych::test
