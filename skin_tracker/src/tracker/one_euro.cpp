#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/one_euro.hpp>

#include <cmath>
#include <numbers>

namespace triptych::skin_tracker {

namespace {

// How much of a new value a first-order low-pass filter takes over.
double share_of_new(double cutoff_hz, double seconds) {
  const double r = 2 * std::numbers::pi * cutoff_hz * seconds;
  return r / (r + 1);
}

}  // namespace

OneEuro::OneEuro(OneEuroOptions options) : options_(options) {
  require(std::isfinite(options.min_cutoff_hz) && options.min_cutoff_hz > 0,
          "smoothing needs a cut-off frequency above 0 Hz, not ", options.min_cutoff_hz);
  require(std::isfinite(options.speed_cutoff_hz) && options.speed_cutoff_hz > 0,
          "smoothing needs a cut-off frequency of the speed above 0 Hz, not ", options.speed_cutoff_hz);
  require(std::isfinite(options.beta) && options.beta >= 0, "smoothing needs a beta of 0 or more, not ",
          options.beta);
}

double OneEuro::filter(double value, double seconds) {
  require(std::isfinite(value), "cannot smooth the value ", value);
  if (!value_) {
    value_ = value;
    speed_ = 0;
    return value;
  }
  require(std::isfinite(seconds) && seconds > 0, "the time since the last value must be above 0 s, not ",
          seconds);
  const double speed = (value - *value_) / seconds;
  speed_ += share_of_new(options_.speed_cutoff_hz, seconds) * (speed - speed_);
  const double cutoff_hz = options_.min_cutoff_hz + options_.beta * std::abs(speed_);
  *value_ += share_of_new(cutoff_hz, seconds) * (value - *value_);
  return *value_;
}

void OneEuro::reset() noexcept {
  value_.reset();
  speed_ = 0;
}

}  // namespace triptych::skin_tracker
