// The Cholesky factorisation of a large matrix, which can be stopped.
#pragma once

#include <Eigen/Core>

#include "train/execution.hpp"

namespace triptych::aam_fit {

// Solves a x = b for a symmetric positive definite matrix, of which the lower triangle is read and becomes
// its factor; b becomes x. The bits of Eigen::LLT, on the calling thread.
void solve_positive_definite(Eigen::MatrixXf& a, Eigen::MatrixXf& b, const Execution& run);

}  // namespace triptych::aam_fit
