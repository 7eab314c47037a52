// The decisions of a fit after each evaluation (accept, halve the step, stop), for host and device. Both
// twins run this code: where their sums agree, they decide alike.
//
// A fit is: begin() with what was found at the start; then, while it runs, a trial at p + trial_scale() dp
// and judge() with what was found there. When judge() says accepted, the trial's parameters, shape and step
// become the fit's own; otherwise the next trial starts from the old ones.
#pragma once

#include <triptych/aam_fit/fit.hpp>
#include <triptych/core/host_device.hpp>

#include <cmath>
#include <cstdint>

namespace triptych::aam_fit {

// The gain by which a texture is divided. dot: (x - beta).g0; spread: sum (x - beta)^2.
template <class T>
TRIPTYCH_INLINE_HD T texture_alpha(Normalisation normalisation, T dot, T spread, T g0g0) {
  const T projection = dot / g0g0;
  if (normalisation == Normalisation::projection) return projection;
  const T length = spread > T(0) ? static_cast<T>(sqrt(spread / g0g0)) : T(0);
  if (normalisation == Normalisation::length) return length;
  return projection > length / 2 ? projection : length / 2;
}

// alpha is a failure when it is not positive, and also when it is positive by rounding alone: the texture is
// flat (its spread vanishes in the sum of squares S2 from which it was taken), or has nothing in common with
// g0 (their correlation is below 0.001). NaN is a failure.
template <class T>
TRIPTYCH_INLINE_HD bool has_contrast(T alpha, T spread, T S2, T g0g0) {
  return spread > T(0x1p-18) * S2 && alpha > T(0) && alpha * alpha * g0g0 > T(1e-6) * spread;
}

// FitOptions as numbers for a kernel.
struct FitRules {
  std::int32_t max_iterations, steps;
  std::int32_t always_step;  // 0 or 1
  std::int64_t max_outside_pixels;
  float min_relative_gain, min_move_px;
};

inline FitRules fit_rules(const FitOptions& options, std::int64_t pixels) {
  return {options.max_iterations,
          options.steps,
          options.always_step ? 1 : 0,
          static_cast<std::int64_t>(options.max_outside_fraction * static_cast<double>(pixels)),
          static_cast<float>(options.min_relative_gain),
          static_cast<float>(options.min_move_px)};
}

// The outcome of one evaluation of the image. T: float or double.
template <class T>
struct Evaluation {
  T error;
  bool contrast;  // has_contrast()
  std::int64_t outside;
};

template <class T>
struct FitState {
  T error = 0;
  T whole_move_px = 0;  // how far the whole step moves the landmark that it moves most
  std::int32_t iterations = 0, evaluations = 0;
  std::int32_t trial = 0;  // number of the step size that comes next: 2^-trial
  FitStatus status = FitStatus::converged;
  bool running = true;
};

// The share of dp that the next trial takes.
template <class T>
TRIPTYCH_INLINE_HD T trial_scale(const FitState<T>& state) {
  return T(1) / static_cast<T>(std::int64_t{1} << state.trial);
}

template <class T>
TRIPTYCH_INLINE_HD bool lost(FitState<T>& state, const FitRules& rules, const Evaluation<T>& evaluation) {
  if (evaluation.outside > rules.max_outside_pixels)
    state.status = FitStatus::lost_outside;
  else if (!evaluation.contrast)
    state.status = FitStatus::lost_contrast;
  else
    return false;
  return true;
}

template <class T>
TRIPTYCH_INLINE_HD void begin(FitState<T>& state, const FitRules& rules, const Evaluation<T>& evaluation) {
  state.evaluations = 1;
  state.error = evaluation.error;
  if (lost(state, rules, evaluation)) {
    state.running = false;
  } else if (rules.max_iterations == 0) {
    state.status = FitStatus::out_of_iterations;
    state.running = false;
  }
}

// move_px: the largest distance of a landmark of the trial's shape from where the fit has it; used for the
// whole step alone.
template <class T>
TRIPTYCH_INLINE_HD bool judge(FitState<T>& state, const FitRules& rules, const Evaluation<T>& evaluation,
                              T move_px) {
  ++state.evaluations;
  if (state.trial == 0) state.whole_move_px = move_px;
  const bool still = state.whole_move_px <= T(rules.min_move_px);
  if (rules.always_step != 0) {
    ++state.iterations;
    state.error = evaluation.error;
    if (lost(state, rules, evaluation)) {
      state.running = false;
    } else if (state.iterations == rules.max_iterations) {
      state.status = still ? FitStatus::converged : FitStatus::out_of_iterations;
      state.running = false;
    }
    return true;
  }
  const bool usable = evaluation.contrast && evaluation.outside <= rules.max_outside_pixels;
  if (!(usable && evaluation.error < state.error)) {
    if (++state.trial == rules.steps) {
      state.status = still ? FitStatus::converged : FitStatus::no_improvement;
      state.running = false;
    }
    return false;
  }
  const T gain = state.error - evaluation.error;
  ++state.iterations;
  if (still || gain < T(rules.min_relative_gain) * state.error) {
    state.status = FitStatus::converged;
    state.running = false;
  } else if (state.iterations == rules.max_iterations) {
    state.status = FitStatus::out_of_iterations;
    state.running = false;
  }
  state.error = evaluation.error;
  state.trial = 0;
  return true;
}

// Either, as the fit is at its start or under way; true: the trial (or the start) is where the fit is now.
// still: no landmark of the whole step moved far; used for that step alone.
template <class T>
TRIPTYCH_INLINE_HD bool begin_or_judge(FitState<T>& state, const FitRules& rules,
                                       const Evaluation<T>& evaluation, bool still) {
  if (state.evaluations == 0) {
    begin(state, rules, evaluation);
    return true;
  }
  return judge(state, rules, evaluation, still ? T(0) : T(1e30));
}

}  // namespace triptych::aam_fit
