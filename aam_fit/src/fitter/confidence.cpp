#include <algorithm>
#include <cmath>

#include "fitter/confidence.hpp"

namespace triptych::aam_fit {

namespace {

// By bench/accuracy/accuracy.py --only face_confidence, from unseen faces, in the wild, of IMM and procedural
// ones, and as many fits elsewhere.
struct Coefficients {
  double constant, correlation, deviation;
};
constexpr Coefficients coefficients{-6.2, 17.2, -1.4};

// Of models that were not calibrated: what those trained with default options on faces in the wild have.
constexpr Calibration typical{0.7, 0.15};

constexpr double max_deviation = 3;

}  // namespace

double correlation_of(const Level& level, double g0_squared, double squared_error) {
  if (!(g0_squared > 0) || !std::isfinite(squared_error)) return -1;
  const double relative = std::max(0.0, squared_error) / g0_squared;
  if (level.normalisation == Normalisation::length) return std::max(-1.0, 1 - relative / 2);
  // floored: below a correlation of one half, alpha is the floor
  if (level.normalisation == Normalisation::floored && relative > 3)
    return std::max(-1.0, (5 - relative) / 4);
  return 1 / std::sqrt(1 + relative);
}

double squared_error_at(const Level& level, double g0_squared, double correlation) {
  double relative = 1 / (correlation * correlation) - 1;
  if (level.normalisation == Normalisation::length) relative = 2 * (1 - correlation);
  if (level.normalisation == Normalisation::floored && correlation < 0.5) relative = 5 - 4 * correlation;
  return relative * g0_squared;
}

double deviation_of(const Level& level, std::span<const float> parameters) {
  double squares = 0;
  int counted = 0;
  const auto modes = std::min(static_cast<std::size_t>(level.modes), parameters.size());
  for (std::size_t k = 0; k < modes; ++k) {
    const auto sigma = double{level.sigma[static_cast<std::int64_t>(k)]};
    if (!(sigma > 0)) continue;
    const double deviation = double{parameters[k]} / sigma;
    squares += deviation * deviation;
    ++counted;
  }
  if (counted == 0) return 1;
  const double deviation = std::sqrt(squares / counted);
  return deviation < max_deviation ? deviation : max_deviation;
}

double confidence_of(const Calibration& calibration, double correlation, double deviation) {
  const Calibration& c = calibration.known() ? calibration : typical;
  // 0 on backgrounds, 1 on faces. The limits bound it for any calibration.
  const double place = std::clamp((correlation - c.background) / (c.face - c.background), -1.0, 2.0);
  return 1 / (1 + std::exp(-(coefficients.constant + coefficients.correlation * place +
                             coefficients.deviation * deviation)));
}

}  // namespace triptych::aam_fit
