// Fit::confidence: a logistic function of how well a fit's texture correlates with the model's and of how far
// its parameters are from the training faces'.
#pragma once

#include <triptych/aam_fit/fit.hpp>
#include <triptych/aam_fit/model.hpp>

#include <span>

namespace triptych::aam_fit {

// The correlation of a texture with g0, of which the squared residual is squared_error, by the level's
// normalisation; with texture parameters, that of the best texture they can make. -1 to 1; -1 when the error
// is not finite. g0_squared: |g0|^2.
double correlation_of(const Level& level, double g0_squared, double squared_error);
// The error at a correlation above 0: the way back.
double squared_error_at(const Level& level, double g0_squared, double correlation);

// Root mean square of the parameters c in their standard deviations, at most 3; 3 when one is not finite, 1
// without parameters that vary. parameters: c, and more behind it.
double deviation_of(const Level& level, std::span<const float> parameters);

// 0 to 1, finite for any number but NaN. Rises with the correlation, falls with the deviation.
double confidence_of(const Calibration& calibration, double correlation, double deviation);

}  // namespace triptych::aam_fit
