#include <Eigen/Cholesky>

#include <algorithm>

#include "train/cholesky.hpp"

namespace triptych::aam_fit {
namespace {

// Columns that are eliminated at a time: as many as Eigen's own factorisation takes.
Eigen::Index block_size(Eigen::Index size) {
  if (size < 32) return size;
  return std::clamp<Eigen::Index>(size / 8 / 16 * 16, 8, 128);
}

}  // namespace

void solve_positive_definite(Eigen::MatrixXf& a, Eigen::MatrixXf& b, const Execution& run) {
  using Small = Eigen::internal::llt_inplace<float, Eigen::Lower>;
  const Eigen::Index size = a.rows(), step = block_size(size);
  for (Eigen::Index k = 0; k < size; k += step) {
    run.check();
    const Eigen::Index width = std::min(step, size - k), below = size - k - width;
    auto diagonal = a.block(k, k, width, width);
    if (Small::unblocked(diagonal) >= 0) break;  // not positive: as Eigen leaves it
    if (below == 0) break;
    auto panel = a.block(k + width, k, below, width);
    diagonal.adjoint().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(panel);
    a.bottomRightCorner(below, below).selfadjointView<Eigen::Lower>().rankUpdate(panel, -1.0f);
  }
  run.check();
  a.triangularView<Eigen::Lower>().solveInPlace(b);
  a.adjoint().triangularView<Eigen::Upper>().solveInPlace(b);
}

}  // namespace triptych::aam_fit
