// What a texture may do besides moving with the landmarks.
#pragma once

#include <Eigen/Core>

namespace triptych::aam_fit {

using TextureRows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The texture modes, an offset and a gain of the mean texture: orthonormal rows, without those that the ones
// before them span.
TextureRows texture_basis(const TextureRows& modes, const Eigen::RowVectorXf& g0);

}  // namespace triptych::aam_fit
