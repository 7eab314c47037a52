// The mean of many shapes and how they differ from it once their poses are taken off.
#pragma once

#include <triptych/aam_fit/shape.hpp>

#include <Eigen/Core>

#include <span>
#include <vector>

#include "train/pca.hpp"

namespace triptych::aam_fit {

struct ShapeModel {
  Shape mean;             // centred, of face size 1, upright as the shapes are on average
  Eigen::MatrixXd modes;  // 2 points x modes, orthonormal, orthogonal to the mean's own poses
  Eigen::VectorXd sigma;  // standard deviations, in units of the face size
};

// Generalised Procrustes analysis, then PCA of what is left. Shapes have the same number of points, three or
// more, not all in one place.
ShapeModel make_shape_model(std::span<const Shape> shapes, const ModeSelection& selection);

// Interleaved.
Eigen::VectorXd flat(std::span<const Point> shape);
Shape unflat(const Eigen::VectorXd& coordinates);

// The landmark that each becomes in a mirror, found by laying the mean over its mirror image. Empty when the
// two differ by more than 6 % of the face size somewhere.
std::vector<int> find_mirror_points(std::span<const Point> mean);

}  // namespace triptych::aam_fit
