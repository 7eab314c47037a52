// Principal components of a few long rows, through the matrix of their products with each other.
#pragma once

#include <Eigen/Core>

#include "train/execution.hpp"

namespace triptych::aam_fit {

using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// How much a PCA keeps: the least number of modes with this share of the variance, or a count when above 0.
struct ModeSelection {
  double share = 1;
  int count = 0;
};

struct Pca {
  Eigen::VectorXf mean;
  Rows modes;             // one a row, orthonormal, the strongest first
  Eigen::VectorXd sigma;  // standard deviation along each (over the number of rows)
};

// examples: one a row; not empty. Modes without variance, against the strongest, are never kept.
Pca pca(Rows examples, const ModeSelection& selection, const Execution& run);

// rows * rows' in tiles over the cores. Products are added in float, tile by tile in a fixed order: the same
// bits whatever the threads.
Eigen::MatrixXf gram(const Rows& rows, const Execution& run);

// rows * matrix, the rows shared out over the cores; the same for matrix' * rows, the columns shared out.
Rows times(const Rows& rows, const Eigen::MatrixXf& matrix, const Execution& run);
Rows transposed_times(const Eigen::MatrixXf& matrix, const Rows& rows, const Execution& run);

}  // namespace triptych::aam_fit
