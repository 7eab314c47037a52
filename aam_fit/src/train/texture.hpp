// Textures as the fit compares them: without their mean, scaled against the mean texture.
#pragma once

#include <triptych/aam_fit/model.hpp>

#include <span>

#include "train/pca.hpp"

namespace triptych::aam_fit {

struct Scaling {
  double alpha = 0, beta = 0;
};

// texture becomes (texture - beta) / alpha, by the formulas of model.hpp (sums in double). When alpha is not
// positive, or positive by rounding alone (fit_math.hpp), it becomes all zeros and alpha is returned as 0.
Scaling normalise(std::span<float> texture, std::span<const float> g0, Normalisation kind);

// Normalises all rows against their own mean and returns that: of zero mean and unit norm. The two depend on
// each other and are found by alternation. InvalidArgument when the textures are all flat.
Eigen::VectorXf mean_texture(Rows& textures, Normalisation kind, const Execution& run);

}  // namespace triptych::aam_fit
