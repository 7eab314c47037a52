#include <algorithm>
#include <numeric>
#include <vector>

#include "train/cholesky.hpp"
#include "train/ridge.hpp"

namespace triptych::aam_fit {
namespace {

constexpr std::int64_t columns_at_a_time = 192;  // of the inverse, solved for by one thread

// Examples of one fold, in the order of folds.
struct Fold {
  Eigen::Index first, count;
};

std::vector<Fold> folds_in_order(std::span<const int> folds, std::span<const Eigen::Index> order) {
  std::vector<Fold> ranges;
  for (Eigen::Index i = 0; i < static_cast<Eigen::Index>(folds.size()); ++i) {
    const auto fold_at = [&](Eigen::Index k) {
      return folds[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])];
    };
    if (i == 0 || fold_at(i) != fold_at(i - 1)) ranges.push_back({i, 0});
    ++ranges.back().count;
  }
  return ranges;
}

// The inverse of a lower triangular matrix. What lies above its diagonal is not set.
Eigen::MatrixXf inverse_of_lower(const Eigen::MatrixXf& lower, const Execution& run) {
  const Eigen::Index size = lower.rows();
  Eigen::MatrixXf inverse(size, size);
  run.chunks(size, columns_at_a_time, [&](std::int64_t first, std::int64_t last, std::int64_t) {
    auto columns = inverse.block(first, first, size - first, last - first);
    columns.setIdentity();
    lower.bottomRightCorner(size - first, size - first).triangularView<Eigen::Lower>().solveInPlace(columns);
  });
  return inverse;
}

}  // namespace

RidgeSolution solve_ridge(const Eigen::MatrixXf& products, const Rows& targets, float ridge,
                          std::span<const int> folds, const Execution& run) {
  const Eigen::Index count = products.rows();
  std::vector<Eigen::Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  if (!folds.empty())
    std::stable_sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) {
      return folds[static_cast<std::size_t>(a)] < folds[static_cast<std::size_t>(b)];
    });

  Eigen::MatrixXf factor = products(order, order), solved = targets(order, Eigen::all);
  factor.diagonal().array() += ridge;
  cholesky_factorise(factor, run);
  cholesky_solve(factor, solved);
  RidgeSolution solution;
  solution.weights.resize(count, targets.cols());
  solution.weights(order, Eigen::all) = solved;
  if (folds.empty()) return solution;

  solution.predictions = targets;
  const Eigen::MatrixXf inverse = inverse_of_lower(factor, run);
  const std::vector<Fold> ranges = folds_in_order(folds, order);
  run.chunks(static_cast<std::int64_t>(ranges.size()), 1, [&](std::int64_t f, std::int64_t, std::int64_t) {
    const auto [first, size] = ranges[static_cast<std::size_t>(f)];
    const Eigen::Index below = count - first - size;
    // A_FF = T'T + B'B, with the triangle T of the inverse and what lies below it.
    const Eigen::MatrixXf triangle = inverse.block(first, first, size, size).triangularView<Eigen::Lower>();
    Eigen::MatrixXf block = Eigen::MatrixXf::Zero(size, size), missed = solved.middleRows(first, size);
    block.selfadjointView<Eigen::Lower>().rankUpdate(triangle.transpose());
    if (below > 0)  // Eigen divides by it
      block.selfadjointView<Eigen::Lower>().rankUpdate(
          inverse.block(first + size, first, below, size).transpose());
    solve_positive_definite(block, missed, Execution(1, run.stop));
    for (Eigen::Index i = 0; i < size; ++i)
      solution.predictions.row(order[static_cast<std::size_t>(first + i)]) -= missed.row(i);
  });
  return solution;
}

}  // namespace triptych::aam_fit
