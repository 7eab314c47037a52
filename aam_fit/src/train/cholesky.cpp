#include <Eigen/Cholesky>

#include <algorithm>

#include "train/cholesky.hpp"

namespace triptych::aam_fit {
namespace {

constexpr std::int64_t rows_at_a_time = 240;  // updated by one thread; whole blocks of Eigen's kernels

// Columns that are eliminated at a time: as many as Eigen's own factorisation takes.
Eigen::Index block_size(Eigen::Index size) {
  if (size < 32) return size;
  return std::clamp<Eigen::Index>(size / 8 / 16 * 16, 8, 128);
}

}  // namespace

void cholesky_factorise(Eigen::MatrixXf& a, const Execution& run) {
  using Small = Eigen::internal::llt_inplace<float, Eigen::Lower>;
  const Eigen::Index size = a.rows(), step = block_size(size);
  for (Eigen::Index k = 0; k < size; k += step) {
    run.check();
    const Eigen::Index width = std::min(step, size - k), next = k + width, below = size - next;
    auto diagonal = a.block(k, k, width, width);
    if (Small::unblocked(diagonal) >= 0) break;  // not positive: as Eigen leaves it
    const auto panel = [&](Eigen::Index row, Eigen::Index rows) {
      return a.block(next + row, k, rows, width);
    };
    run.chunks(below, rows_at_a_time, [&](std::int64_t first, std::int64_t last, std::int64_t) {
      auto rows = panel(first, last - first);
      diagonal.adjoint().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(rows);
    });
    run.chunks(below, rows_at_a_time, [&](std::int64_t first, std::int64_t last, std::int64_t) {
      const auto rows = panel(first, last - first);
      a.block(next + first, next + first, last - first, last - first)
          .selfadjointView<Eigen::Lower>()
          .rankUpdate(rows, -1.0f);
      a.block(next + last, next + first, below - last, last - first).noalias() -=
          panel(last, below - last) * rows.transpose();
    });
  }
  run.check();
}

void cholesky_solve(const Eigen::MatrixXf& factor, Eigen::MatrixXf& b) {
  factor.triangularView<Eigen::Lower>().solveInPlace(b);
  factor.adjoint().triangularView<Eigen::Upper>().solveInPlace(b);
}

void solve_positive_definite(Eigen::MatrixXf& a, Eigen::MatrixXf& b, const Execution& run) {
  cholesky_factorise(a, run);
  cholesky_solve(a, b);
}

}  // namespace triptych::aam_fit
