#include <triptych/core/error.hpp>
#include <triptych/core/one_euro.hpp>

#include <cmath>
#include <numbers>

namespace triptych {

namespace {

void check_cutoff(double cutoff_hz, const char* name) {
  require(cutoff_hz > 0 && cutoff_hz <= OneEuro::max_cutoff_hz, "smoothing needs a cut-off frequency ", name,
          " above 0 and at most ", OneEuro::max_cutoff_hz, " Hz, not ", cutoff_hz);
}

}  // namespace

OneEuro::OneEuro(OneEuroOptions options) : options_(options) {
  check_cutoff(options.min_cutoff_hz, "min_cutoff_hz");
  check_cutoff(options.speed_cutoff_hz, "of the speed, speed_cutoff_hz,");
  require(options.beta >= 0 && options.beta <= max_beta, "smoothing needs a beta from 0 to ", max_beta,
          ", not ", options.beta);
}

double OneEuro::filter(double value, double seconds) {
  require(std::abs(value) <= max_value, "cannot smooth the value ", value);
  if (!value_) {
    value_ = value;
    speed_ = 0;
    return value;
  }
  require(seconds > 0 && seconds <= max_seconds,
          "the time since the last value must be above 0 s and at most ", max_seconds, " s, not ", seconds);
  // A first-order low-pass filter takes the share r / (r + 1) of a new value, with r = 2 pi f t. For the
  // speed d / t the division by t, which can be nearly 0, cancels.
  constexpr double two_pi = 2 * std::numbers::pi;
  const double step = value - *value_;
  const double speed_r = two_pi * options_.speed_cutoff_hz * seconds;
  speed_ = (speed_ + two_pi * options_.speed_cutoff_hz * step) / (speed_r + 1);
  const double r = two_pi * (options_.min_cutoff_hz + options_.beta * std::abs(speed_)) * seconds;
  *value_ += r / (r + 1) * step;
  return *value_;
}

void OneEuro::reset() noexcept {
  value_.reset();
  speed_ = 0;
}

}  // namespace triptych
