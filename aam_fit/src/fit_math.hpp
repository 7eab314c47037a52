// What a fit does after each evaluation of the error: the corrected algorithm 1 as a small machine, for host
// and device, so that every twin and form takes the same decisions from the same numbers.
#pragma once

#include <triptych/aam_fit/fit.hpp>
#include <triptych/core/host_device.hpp>

#include <cstdint>

namespace triptych::aam_fit {

struct FitRules {
  std::int32_t most_iterations = 0;
  std::int32_t steps = 1;
  bool always_step = false;
  double least_gain = 0, least_move_px = 0;
  double most_outside = 0;  // pixels of the frame
};

inline FitRules rules_of(const FitOptions& options, std::int64_t pixels) {
  return {options.most_iterations, options.steps < 1 ? 1 : options.steps,
          options.always_step,     options.least_gain,
          options.least_move_px,   options.most_outside * static_cast<double>(pixels)};
}

struct FitProgress {
  double error = 0;                         // at the parameters that were accepted last
  std::int32_t iterations = 0;              // steps taken
  std::int32_t evaluations = 0;             // of the error
  std::int32_t tried = 0;                   // step sizes that failed since the last accepted one
  FitStatus status = FitStatus::converged;  // why it stopped
  bool stopped = false;
};

// Is the texture there too unlike the model to be normalised? spread: |x - beta|^2. Its correlation with g0
// must reach a thousandth. False for NaN as well.
TRIPTYCH_INLINE_HD bool has_contrast(double alpha, double g0g0, double spread) {
  return alpha > 0 && alpha * alpha * g0g0 > 1e-6 * spread;
}

enum class Sight { good, outside, no_contrast };  // of one evaluation
TRIPTYCH_INLINE_HD Sight sight_of(const FitRules& rules, double outside_pixels, double alpha, double g0g0,
                                  double spread) {
  if (!(outside_pixels <= rules.most_outside)) return Sight::outside;
  return has_contrast(alpha, g0g0, spread) ? Sight::good : Sight::no_contrast;
}

TRIPTYCH_INLINE_HD void stop(FitProgress& fit, FitStatus why) {
  fit.status = why;
  fit.stopped = true;
}

TRIPTYCH_INLINE_HD FitStatus lost(Sight sight) {
  return sight == Sight::outside ? FitStatus::lost_outside : FitStatus::lost_contrast;
}

// Takes the error at the start, then at each trial p + 2^-tried dp. True: those parameters are the current
// ones now (and their dp the next step). A trial out of sight fails like one that raises the error; when the
// last step size fails, its reason is the fit's. Look at fit.stopped afterwards.
TRIPTYCH_INLINE_HD bool judge(FitProgress& fit, const FitRules& rules, double error, Sight sight) {
  const bool first = fit.evaluations++ == 0;
  if (first || rules.always_step) {
    fit.error = error;
    if (!first) ++fit.iterations;
    if (sight != Sight::good) {
      stop(fit, lost(sight));
    } else if (fit.iterations >= rules.most_iterations) {
      stop(fit, FitStatus::out_of_iterations);
    }
    return true;
  }
  if (sight != Sight::good || !(error < fit.error)) {
    if (++fit.tried >= rules.steps) stop(fit, sight != Sight::good ? lost(sight) : FitStatus::no_improvement);
    return false;
  }
  const bool little = fit.error - error < rules.least_gain * fit.error;
  fit.error = error;
  fit.tried = 0;
  if (++fit.iterations >= rules.most_iterations) stop(fit, FitStatus::out_of_iterations);
  if (little) stop(fit, FitStatus::converged);
  return true;
}

// Before the whole step is tried: false, and the fit has converged, when it would move no landmark by more
// than rules.least_move_px. Not asked with always_step.
TRIPTYCH_INLINE_HD bool worth_a_step(FitProgress& fit, const FitRules& rules, double largest_move_px) {
  if (largest_move_px > rules.least_move_px) return true;
  stop(fit, FitStatus::converged);
  return false;
}

}  // namespace triptych::aam_fit
