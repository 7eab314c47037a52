// LevelFitter and fit_cpu: algorithm 1 over either form.
#include <triptych/core/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "fit/cpu/level_fitter.hpp"
#include "fit/fit_checks.hpp"
#include "model/check_level.hpp"

namespace triptych::aam_fit {

void check_level(const Level& level) {
  const std::int64_t n = level.samples(), pixels = level.pixels();
  require(pixels >= 1 && n >= pixels && n % pixels == 0, "a level of ", pixels, " pixels cannot have ", n,
          " samples");
  check_level(level, "this level", n, true);
}

LevelFitter::Impl::Impl(Level level, Storage storage, int threads, CpuPath path)
    : level_((check_level(level), std::move(level))),
      stacked_(stack(level_, storage, threads)),
      pass_(level_, stacked_, threads, path),
      paper_(level_),
      now_(static_cast<std::size_t>(parameter_count())),
      trial_(now_.size()),
      shape_(2 * static_cast<std::size_t>(pass_.padded_points())),
      trial_shape_(shape_.size()),
      step_(now_.size()),
      texture_determines_c_(level_.texture_determines_c &&
                            std::any_of(level_.Qg.begin(), level_.Qg.end(), [](float v) { return v != 0; })) {
  stacked_.matrix = {};
  stacked_.halves = {};
}

PassPlanes LevelFitter::Impl::checked(PlanesView planes) const {
  return pass_planes(planes, static_cast<int>(level_.samples() / level_.pixels()));
}

void LevelFitter::Impl::check_count(std::span<const float> parameters) const {
  require(parameters.size() == now_.size(), "a level of ", level_.modes, " modes has ", now_.size(),
          " parameters, not ", parameters.size());
}

aam_fit::Evaluation<double> LevelFitter::Impl::evaluate_at(const PassPlanes& planes, const float* parameters,
                                                           Form form) {
  if (form == Form::paper) {
    const auto found = paper_.evaluate(planes, parameters);
    solution_ = {found.error, found.alpha, found.beta - double{level_.sample_offset}};
    return {found.error, found.contrast, found.outside};
  }
  const float* xs = trial_shape_.data();
  sums_ = pass_.run(planes, xs, xs + pass_.padded_points());
  solution_ = solve_pass(stacked_, sums_.rows.data(), sums_.S1, sums_.S2, parameters, nullptr);
  return {solution_.error, solution_.alpha > 0, sums_.outside};
}

void LevelFitter::Impl::step(const float* parameters, Form form, double* dp) {
  if (form == Form::paper)
    paper_.step(dp);
  else
    solve_pass(stacked_, sums_.rows.data(), sums_.S1, sums_.S2, parameters, dp);
}

double LevelFitter::Impl::farthest(const float* a, const float* b) const {
  float most = 0;
  const int padded = pass_.padded_points();
  for (int i = 0; i < level_.points; ++i) {
    const float x = a[i] - b[i], y = a[padded + i] - b[padded + i];
    most = std::max(most, x * x + y * y);
  }
  return std::sqrt(double{most});
}

LevelFit LevelFitter::Impl::fit(PlanesView planes, std::span<const float> start, const FitOptions& options) {
  const PassPlanes in = checked(planes);
  check_count(start);
  check_options(options);
  const FitRules rules = fit_rules(options, level_.pixels());
  LevelFit result;
  result.errors.reserve(static_cast<std::size_t>(rules.max_iterations) + 1);
  const auto shape_into = [&](const std::vector<float>& parameters) {
    pass_.shape(parameters.data(), trial_shape_.data(), trial_shape_.data() + pass_.padded_points());
  };

  std::copy(start.begin(), start.end(), now_.begin());
  shape_into(now_);
  FitState<double> state;
  begin(state, rules, evaluate_at(in, now_.data(), options.form));
  std::swap(shape_, trial_shape_);
  result.errors.push_back(state.error);
  if (state.running) step(now_.data(), options.form, step_.data());
  while (state.running) {
    const double scale = trial_scale(state);
    for (std::size_t i = 0; i < now_.size(); ++i)
      trial_[i] = static_cast<float>(double{now_[i]} + scale * step_[i]);
    shape_into(trial_);
    const double move = farthest(trial_shape_.data(), shape_.data());
    if (!judge(state, rules, evaluate_at(in, trial_.data(), options.form), move)) continue;
    std::swap(now_, trial_);
    std::swap(shape_, trial_shape_);
    result.errors.push_back(state.error);
    if (state.running) step(now_.data(), options.form, step_.data());
  }
  result.parameters = now_;
  result.error = state.error;
  result.iterations = state.iterations;
  result.evaluations = state.evaluations;
  result.status = state.status;
  return result;
}

LevelFitter::Evaluation LevelFitter::Impl::evaluate(PlanesView planes, std::span<const float> parameters,
                                                    Form form) {
  check_options({.form = form});
  const PassPlanes in = checked(planes);
  check_count(parameters);
  pass_.shape(parameters.data(), trial_shape_.data(), trial_shape_.data() + pass_.padded_points());
  const aam_fit::Evaluation<double> found = evaluate_at(in, parameters.data(), form);
  Evaluation result;
  result.error = found.error;
  result.alpha = solution_.alpha;
  result.beta = solution_.beta + double{level_.sample_offset};
  result.outside = found.outside;
  result.step.assign(now_.size(), 0.0);
  if (found.contrast) step(parameters.data(), form, result.step.data());
  return result;
}

std::vector<float> LevelFitter::Impl::parameters_of(PlanesView planes, std::span<const Point> shape) {
  const PassPlanes in = checked(planes);
  require(static_cast<std::int64_t>(shape.size()) == level_.points, "a level of ", level_.points,
          " points has no parameters for a shape of ", shape.size());
  Shape mean;
  mean.reserve(shape.size());
  for (int i = 0; i < level_.points; ++i)
    mean.push_back({double{level_.s0[2 * i]}, double{level_.s0[2 * i + 1]}});
  const Similarity pose = align(mean, shape);
  const Shape upright = posed(inverse(pose), shape);
  // Without a texture part of c the image is not sampled.
  PassSolution found;
  if (texture_determines_c_) {
    const auto padded = static_cast<std::size_t>(pass_.padded_points());
    for (std::size_t i = 0; i < shape.size(); ++i) {
      trial_shape_[i] = static_cast<float>(shape[i].x);
      trial_shape_[padded + i] = static_cast<float>(shape[i].y);
    }
    sums_ = pass_.run(in, trial_shape_.data(), trial_shape_.data() + padded);
    std::fill(trial_.begin(), trial_.end(), 0.0f);
    found = solve_pass(stacked_, sums_.rows.data(), sums_.S1, sums_.S2, trial_.data(), nullptr);
  }

  std::vector<float> parameters(now_.size());
  for (int k = 0; k < level_.modes; ++k) {
    double c = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const float* Ks = level_.Ks.data() +
                        2 * (static_cast<std::int64_t>(k) * level_.points + static_cast<std::int64_t>(i));
      c += double{Ks[0]} * (upright[i].x - mean[i].x) + double{Ks[1]} * (upright[i].y - mean[i].y);
    }
    const auto at = static_cast<std::size_t>(k);
    // Qg (g - g0); nothing without contrast.
    if (found.alpha > 0)
      c += (sums_.rows[static_cast<std::size_t>(stacked_.steps()) + at] - found.beta * stacked_.z1[at]) /
               found.alpha -
           stacked_.z0[at];
    parameters[at] = static_cast<float>(c);
  }
  const std::array<double, 4> t{pose.sx, pose.sy, pose.tx, pose.ty};
  for (std::size_t i = 0; i < t.size(); ++i)
    parameters[static_cast<std::size_t>(level_.modes) + i] = static_cast<float>(t[i]);
  return parameters;
}

Shape LevelFitter::Impl::shape_of(std::span<const float> parameters) const {
  check_count(parameters);
  std::vector<float> found(2 * static_cast<std::size_t>(pass_.padded_points()));
  pass_.shape(parameters.data(), found.data(), found.data() + pass_.padded_points());
  Shape shape;
  shape.reserve(static_cast<std::size_t>(level_.points));
  for (int i = 0; i < level_.points; ++i)
    shape.push_back(
        {double{found[static_cast<std::size_t>(i)]},
         double{found[static_cast<std::size_t>(pass_.padded_points()) + static_cast<std::size_t>(i)]}});
  return shape;
}

LevelFitter::LevelFitter(Level level, Storage storage, int threads)
    : impl_(std::make_unique<Impl>(std::move(level), storage, threads)) {}
LevelFitter::LevelFitter(LevelFitter&&) noexcept = default;
LevelFitter& LevelFitter::operator=(LevelFitter&&) noexcept = default;
LevelFitter::~LevelFitter() = default;

const Level& LevelFitter::level() const { return impl_->level(); }
std::string LevelFitter::describe() const {
  return "one pass, " + to_string(pick_cpu_path(CpuPath::simd, available_pass_paths()));
}
std::vector<float> LevelFitter::parameters_of(PlanesView planes, std::span<const Point> shape) {
  return impl_->parameters_of(planes, shape);
}
Shape LevelFitter::shape_of(std::span<const float> parameters) const { return impl_->shape_of(parameters); }
LevelFitter::Evaluation LevelFitter::evaluate(PlanesView planes, std::span<const float> parameters,
                                              Form form) {
  return impl_->evaluate(planes, parameters, form);
}

LevelFit fit_cpu(LevelFitter& level, PlanesView planes, std::span<const float> start,
                 const FitOptions& options) {
  return level.impl_->fit(planes, start, options);
}

}  // namespace triptych::aam_fit
