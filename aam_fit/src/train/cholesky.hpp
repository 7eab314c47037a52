// The Cholesky factorisation of a large matrix, which can be stopped.
#pragma once

#include <Eigen/Core>

#include "train/execution.hpp"

namespace triptych::aam_fit {

// Factorises a symmetric positive definite matrix: its lower triangle, which alone is read, becomes L of
// a = L L'. The bits do not depend on the number of threads.
void cholesky_factorise(Eigen::MatrixXf& a, const Execution& run);

// b becomes x of L L' x = b.
void cholesky_solve(const Eigen::MatrixXf& factor, Eigen::MatrixXf& b);

// Solves a x = b: a becomes its factor, and b becomes x.
void solve_positive_definite(Eigen::MatrixXf& a, Eigen::MatrixXf& b, const Execution& run);

}  // namespace triptych::aam_fit
