// Ridge regression in its dual form, with the predictions of cross-validation.
#pragma once

#include <Eigen/Core>

#include <span>

#include "train/execution.hpp"
#include "train/pca.hpp"

namespace triptych::aam_fit {

struct RidgeSolution {
  Eigen::MatrixXf weights;  // (K + ridge I)^-1 targets: a row for each example
  Rows predictions;         // of each example's targets, by the regression without its fold
};

// products: K, the inner products of the examples. folds: the fold of each example, from 0; without any there
// are no predictions.
//
// With A = (K + ridge I)^-1 and w = A targets, the examples of a fold F miss their targets by A_FF^-1 w_F in
// the regression without them. One factorisation thus serves all folds.
RidgeSolution solve_ridge(const Eigen::MatrixXf& products, const Rows& targets, float ridge,
                          std::span<const int> folds, const Execution& run);

}  // namespace triptych::aam_fit
