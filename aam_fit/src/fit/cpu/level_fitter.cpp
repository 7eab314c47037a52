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
      tracks_{make_track()},
      running_{tracks_.data()},
      shapes_(1),
      texture_determines_c_(level_.texture_determines_c &&
                            std::any_of(level_.Qg.begin(), level_.Qg.end(), [](float v) { return v != 0; })) {
  stacked_.matrix = {};
  stacked_.halves = {};
}

LevelFitter::Impl::Track LevelFitter::Impl::make_track() const {
  const auto parameters = static_cast<std::size_t>(parameter_count());
  Track track;
  track.now.resize(parameters);
  track.trial.resize(parameters);
  track.step.resize(parameters);
  track.shape.resize(2 * static_cast<std::size_t>(pass_.padded_points()));
  track.trial_shape.resize(track.shape.size());
  return track;
}

PassPlanes LevelFitter::Impl::checked(PlanesView planes) const {
  return pass_planes(planes, static_cast<int>(level_.samples() / level_.pixels()));
}

void LevelFitter::Impl::check_count(std::span<const float> parameters) const {
  require(parameters.size() == static_cast<std::size_t>(parameter_count()), "a level of ", level_.modes,
          " modes has ", parameter_count(), " parameters, not ", parameters.size());
}

void LevelFitter::Impl::evaluate_trials(const PassPlanes& planes, Form form, std::span<Track* const> tracks) {
  if (form == Form::paper) {
    Track& track = *tracks.front();
    const auto found = paper_.evaluate(planes, track.trial.data());
    track.solution = {found.error, found.alpha, found.beta - double{level_.sample_offset}};
    track.found = {found.error, found.contrast, found.outside};
    return;
  }
  shapes_.clear();
  for (const Track* track : tracks) shapes_.push_back(track->trial_shape.data());
  const std::span<const OnePass::Result> sums = pass_.run(planes, shapes_);
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    Track& track = *tracks[i];
    track.sums = sums[i];
    track.solution =
        solve_pass(stacked_, sums[i].rows.data(), sums[i].S1, sums[i].S2, track.trial.data(), nullptr);
    track.found = {track.solution.error, track.solution.alpha > 0, sums[i].outside};
  }
}

void LevelFitter::Impl::step(const Track& track, const float* parameters, Form form, double* dp) {
  if (form == Form::paper)
    paper_.step(dp);
  else
    solve_pass(stacked_, track.sums.rows.data(), track.sums.S1, track.sums.S2, parameters, dp);
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

void LevelFitter::Impl::fit(PlanesView planes, std::span<const std::span<const float>> starts,
                            const FitOptions& options, std::span<LevelFit> fits) {
  const PassPlanes in = checked(planes);
  for (const std::span<const float> start : starts) check_count(start);
  check_options(options);
  while (tracks_.size() < starts.size()) tracks_.push_back(make_track());
  running_.reserve(tracks_.size());
  const std::size_t batch = options.form == Form::paper ? 1 : starts.size();
  for (std::size_t i = 0; i < starts.size(); i += batch)
    fit_batch(in, starts.subspan(i, batch), options, fits.subspan(i, batch));
}

void LevelFitter::Impl::fit_batch(const PassPlanes& planes, std::span<const std::span<const float>> starts,
                                  const FitOptions& options, std::span<LevelFit> fits) {
  const FitRules rules = fit_rules(options, level_.pixels());
  const auto shape_trial = [&](Track& track) {
    pass_.shape(track.trial.data(), track.trial_shape.data(),
                track.trial_shape.data() + pass_.padded_points());
  };
  for (std::size_t i = 0; i < fits.size(); ++i) {
    fits[i].errors.reserve(static_cast<std::size_t>(rules.max_iterations) + 1);
    tracks_[i].state = {};
    std::copy(starts[i].begin(), starts[i].end(), tracks_[i].trial.begin());
    shape_trial(tracks_[i]);
  }
  for (;;) {
    running_.clear();
    for (std::size_t i = 0; i < fits.size(); ++i)
      if (tracks_[i].state.running) running_.push_back(&tracks_[i]);
    if (running_.empty()) break;
    evaluate_trials(planes, options.form, running_);
    for (Track* track : running_) {
      FitState<double>& state = track->state;
      bool moves = true;
      if (state.evaluations == 0)
        begin(state, rules, track->found);
      else
        moves = judge(state, rules, track->found, farthest(track->trial_shape.data(), track->shape.data()));
      if (moves) {
        std::swap(track->now, track->trial);
        std::swap(track->shape, track->trial_shape);
        fits[static_cast<std::size_t>(track - tracks_.data())].errors.push_back(state.error);
        if (state.running) step(*track, track->now.data(), options.form, track->step.data());
      }
      if (!state.running) continue;
      const double scale = trial_scale(state);
      for (std::size_t i = 0; i < track->now.size(); ++i)
        track->trial[i] = static_cast<float>(double{track->now[i]} + scale * track->step[i]);
      shape_trial(*track);
    }
  }
  for (std::size_t i = 0; i < fits.size(); ++i) {
    const Track& track = tracks_[i];
    fits[i].parameters = track.now;
    fits[i].error = track.state.error;
    fits[i].iterations = track.state.iterations;
    fits[i].evaluations = track.state.evaluations;
    fits[i].status = track.state.status;
  }
}

LevelFitter::Evaluation LevelFitter::Impl::evaluate(PlanesView planes, std::span<const float> parameters,
                                                    Form form) {
  check_options({.form = form});
  const PassPlanes in = checked(planes);
  check_count(parameters);
  Track& track = tracks_.front();
  std::copy(parameters.begin(), parameters.end(), track.trial.begin());
  pass_.shape(parameters.data(), track.trial_shape.data(), track.trial_shape.data() + pass_.padded_points());
  Track* const one = &track;
  evaluate_trials(in, form, std::span(&one, 1));
  Evaluation result;
  result.error = track.found.error;
  result.alpha = track.solution.alpha;
  result.beta = track.solution.beta + double{level_.sample_offset};
  result.outside = track.found.outside;
  result.step.assign(parameters.size(), 0.0);
  if (track.found.contrast) step(track, parameters.data(), form, result.step.data());
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
  std::span<const double> rows;
  if (texture_determines_c_) {
    Track& track = tracks_.front();
    const auto padded = static_cast<std::size_t>(pass_.padded_points());
    for (std::size_t i = 0; i < shape.size(); ++i) {
      track.trial_shape[i] = static_cast<float>(shape[i].x);
      track.trial_shape[padded + i] = static_cast<float>(shape[i].y);
    }
    const OnePass::Result& sums = pass_.run(in, track.trial_shape.data());
    std::fill(track.trial.begin(), track.trial.end(), 0.0f);
    found = solve_pass(stacked_, sums.rows.data(), sums.S1, sums.S2, track.trial.data(), nullptr);
    rows = sums.rows;
  }

  std::vector<float> parameters(static_cast<std::size_t>(parameter_count()));
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
      c += (rows[static_cast<std::size_t>(stacked_.steps()) + at] - found.beta * stacked_.z1[at]) /
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
  LevelFit result;
  level.impl_->fit(planes, std::span(&start, 1), options, std::span(&result, 1));
  return result;
}

std::vector<LevelFit> fit_cpu(LevelFitter& level, PlanesView planes,
                              std::span<const std::span<const float>> starts, const FitOptions& options) {
  std::vector<LevelFit> fits(starts.size());
  level.impl_->fit(planes, starts, options, fits);
  return fits;
}

}  // namespace triptych::aam_fit
