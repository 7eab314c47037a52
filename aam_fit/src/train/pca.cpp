// Principal components through the Gram matrix, and the products that training spends its time on.
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <future>
#include <memory>
#include <system_error>
#include <thread>

#include "train/pca.hpp"

namespace triptych::aam_fit {
namespace {

constexpr std::int64_t tile = 192;  // rows of a tile of the Gram matrix

// The least count of leading values that holds the share of their sum.
Eigen::Index kept(const Eigen::VectorXd& variances, const ModeSelection& selection) {
  // Below this share of the largest a variance is rounding: products of floats carry 2^-24 each.
  constexpr double least = 1e-6;
  const double sum = variances.sum();
  Eigen::Index usable = 0;
  while (usable < variances.size() && variances[usable] > 0 && variances[usable] >= least * variances[0])
    ++usable;
  if (selection.count > 0) return std::min<Eigen::Index>(selection.count, usable);
  Eigen::Index count = 0;
  for (double seen = 0; count < usable && seen < selection.share * sum; ++count) seen += variances[count];
  return count;
}

using EigenSolver = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>;

// Above 512 rows it takes more than a quarter of a second, and cannot be stopped: a thread runs it, which is
// left to itself after a stop.
EigenSolver eigenvectors_of(Eigen::MatrixXd matrix, const Execution& run) {
  if (matrix.rows() <= 512 || !run.stop.stop_possible()) return EigenSolver(matrix);
  const auto solve =
      std::make_shared<std::packaged_task<EigenSolver()>>([m = std::move(matrix)] { return EigenSolver(m); });
  std::future<EigenSolver> solved = solve->get_future();
  try {
    std::thread([solve] { (*solve)(); }).detach();
  } catch (const std::system_error&) {  // there is no thread left: without stops
    (*solve)();
  }
  while (solved.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready) run.check();
  return solved.get();
}

}  // namespace

Eigen::MatrixXf gram(const Rows& rows, const Execution& run) {
  const std::int64_t count = rows.rows(), tiles = (count + tile - 1) / tile;
  Eigen::MatrixXf products(count, count);
  run.each(tiles * (tiles + 1) / 2, [&](std::int64_t pair) {
    // Tile (i, j) with j <= i, numbered row by row.
    auto i = static_cast<std::int64_t>((std::sqrt(8.0 * static_cast<double>(pair) + 1) - 1) / 2);
    while (i * (i + 1) / 2 > pair) --i;
    while ((i + 1) * (i + 2) / 2 <= pair) ++i;
    const std::int64_t j = pair - i * (i + 1) / 2;
    const std::int64_t a = i * tile, b = j * tile, na = std::min(tile, count - a),
                       nb = std::min(tile, count - b);
    const Eigen::MatrixXf block = rows.middleRows(a, na) * rows.middleRows(b, nb).transpose();
    products.block(a, b, na, nb) = block;
    if (i != j) products.block(b, a, nb, na) = block.transpose();
  });
  return products;
}

Rows times(const Rows& rows, const Eigen::MatrixXf& matrix, const Execution& run) {
  Rows product(rows.rows(), matrix.cols());
  run.chunks(rows.rows(), 64, [&](std::int64_t first, std::int64_t last, std::int64_t) {
    product.middleRows(first, last - first).noalias() = rows.middleRows(first, last - first) * matrix;
  });
  return product;
}

Rows transposed_times(const Eigen::MatrixXf& matrix, const Rows& rows, const Execution& run) {
  Rows product(matrix.cols(), rows.cols());
  run.chunks(rows.cols(), 1024, [&](std::int64_t first, std::int64_t last, std::int64_t) {
    product.middleCols(first, last - first).noalias() =
        matrix.transpose() * rows.middleCols(first, last - first);
  });
  return product;
}

Pca pca(Rows examples, const ModeSelection& selection, const Execution& run) {
  Pca result;
  result.mean = examples.colwise().mean();
  examples.rowwise() -= result.mean.transpose();
  const EigenSolver solver = eigenvectors_of(gram(examples, run).cast<double>(), run);
  const Eigen::VectorXd values = solver.eigenvalues().reverse();  // ascending there
  const Eigen::Index count = kept(values, selection);
  Eigen::MatrixXf weights(examples.rows(), count);
  for (Eigen::Index k = 0; k < count; ++k)
    weights.col(k) =
        (solver.eigenvectors().col(examples.rows() - 1 - k) / std::sqrt(values[k])).cast<float>();
  result.modes = transposed_times(weights, examples, run);
  result.sigma = (values.head(count) / static_cast<double>(examples.rows())).cwiseSqrt();
  // Weak modes inherit rounding from strong ones: once through Gram-Schmidt, the strongest first.
  for (Eigen::Index k = 0; k < count; ++k) {
    run.check();
    auto mode = result.modes.row(k);
    if (k > 0) {
      const Eigen::VectorXf shares = result.modes.topRows(k) * mode.transpose();
      mode -= shares.transpose() * result.modes.topRows(k);
    }
    mode.normalize();
  }
  return result;
}

}  // namespace triptych::aam_fit
