// Stacks the rows of a level, rounds them where they are stored as halves, and solves what one pass adds up.
#include <triptych/core/error.hpp>
#include <triptych/core/parallel.hpp>
#include <triptych/reduction/collective/chunks.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "fit/fit_checks.hpp"
#include "fit/fit_math.hpp"
#include "fit/stacked_level.hpp"

namespace triptych::aam_fit {

namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MatrixRows = Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>, 0,
                              Eigen::OuterStride<>>;

// Rounds a row to halves. Its largest value comes to lie in [2^14, 2^15), so that what is 2^28 times as small
// is still a normal half.
float round_row(float* row, std::uint16_t* halves, std::int64_t count) {
  float largest = 0;
  for (std::int64_t i = 0; i < count; ++i) largest = std::max(largest, std::abs(row[i]));
  if (largest == 0) {
    std::fill_n(halves, count, std::uint16_t{0});
    return 1;
  }
  const int exponent = std::clamp(std::ilogb(largest) - 14, -126, 126);
  const float scale = std::ldexp(1.0f, exponent), inverse = std::ldexp(1.0f, -exponent);
  for (std::int64_t i = 0; i < count; ++i) {
    const Eigen::half half(row[i] * inverse);
    halves[i] = Eigen::numext::bit_cast<std::uint16_t>(half);
    row[i] = static_cast<float>(half) * scale;
  }
  return scale;
}

// The products of all rows with Qg, g0 and ones: rows x (modes + 2). Blocks are added in their order, so that
// the bits do not depend on the threads.
Matrix products(const StackedLevel& s, int threads) {
  constexpr std::int64_t block = 1024, max_parts = 32;
  const std::int64_t n = s.samples, blocks = (n + block - 1) / block;
  const std::int64_t chunk = std::max<std::int64_t>(1, (blocks + max_parts - 1) / max_parts) * block;
  std::vector<Matrix> parts(static_cast<std::size_t>(reduction::chunk_count(n, chunk)),
                            Matrix::Zero(s.rows(), s.modes + 2));
  reduction::fold_chunks(
      std::span(parts), n, chunk, threads,
      [&](Matrix& sum, std::int64_t begin, std::int64_t end) {
        for (std::int64_t first = begin; first < end; first += block) {
          const std::int64_t count = std::min(block, end - first);
          const Matrix rows =
              MatrixRows(s.matrix.data() + first, s.rows(), count, Eigen::OuterStride<>(n)).cast<double>();
          sum.leftCols(s.modes + 1).noalias() += rows * rows.bottomRows(s.modes + 1).transpose();
          sum.col(s.modes + 1) += rows.rowwise().sum();
        }
      },
      [&](const Matrix& part) {
        if (&part != parts.data()) parts[0] += part;
      });
  return parts[0];
}

// out(i, row i of a (count x m) times c), four rows at a time: their sums do not wait for each other.
template <class Out>
void multiply(const std::vector<double>& a, int count, int m, const float* c, Out out) {
  const double* row = a.data();
  int i = 0;
  for (; i + 4 <= count; i += 4, row += 4 * m) {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (int k = 0; k < m; ++k) {
      const double v = double{c[k]};
      s0 += row[k] * v;
      s1 += row[m + k] * v;
      s2 += row[2 * m + k] * v;
      s3 += row[3 * m + k] * v;
    }
    out(i, s0);
    out(i + 1, s1);
    out(i + 2, s2);
    out(i + 3, s3);
  }
  for (; i < count; ++i, row += m) {
    double sum = 0;
    for (int k = 0; k < m; ++k) sum += row[k] * double{c[k]};
    out(i, sum);
  }
}

}  // namespace

StackedLevel stack(const Level& level, Storage storage, int threads) {
  check_storage(storage);
  StackedLevel s;
  s.modes = level.modes;
  s.samples = level.samples();
  require(s.samples > 0, "a level without samples cannot be fitted");
  require(level.Qg.size() == s.modes * s.samples && level.R.size() == s.steps() * s.samples,
          "the matrices of a level of ", s.modes, " modes and ", s.samples, " samples have other sizes");
  s.matrix.reserve(static_cast<std::size_t>(s.rows() * s.samples));
  s.matrix.insert(s.matrix.end(), level.R.begin(), level.R.end());
  s.matrix.insert(s.matrix.end(), level.Qg.begin(), level.Qg.end());
  s.matrix.insert(s.matrix.end(), level.g0.begin(), level.g0.end());
  s.scale.assign(static_cast<std::size_t>(s.rows()), 1.0f);
  if (storage == Storage::float16) {
    s.halves.resize(s.matrix.size());
    parallel_for(0, s.rows(), threads, [&](std::int64_t row) {
      s.scale[static_cast<std::size_t>(row)] =
          round_row(s.matrix.data() + row * s.samples, s.halves.data() + row * s.samples, s.samples);
    });
  }

  const Matrix p = products(s, threads);
  const int m = s.modes, steps = s.steps();
  const auto block = [&](int row, int rows, int column, int columns) {
    std::vector<double> values;
    values.reserve(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
    for (int i = 0; i < rows; ++i)
      for (int k = 0; k < columns; ++k) values.push_back(p(row + i, column + k));
    return values;
  };
  s.RQg = block(0, steps, 0, m);
  s.Rg0 = block(0, steps, m, 1);
  s.R1 = block(0, steps, m + 1, 1);
  s.G = block(steps, m, 0, m);
  s.z0 = block(steps, m, m, 1);
  s.z1 = block(steps, m, m + 1, 1);
  s.g0g0 = p(steps + m, m);
  s.sum_g0 = p(steps + m, m + 1);
  s.normalisation = level.normalisation;
  require(s.g0g0 > 0, "a level whose mean texture is zero cannot be fitted");
  return s;
}

PassSolution solve_pass(const StackedLevel& level, const double* sums, double S1, double S2, const float* c,
                        double* step) {
  const int m = level.modes, steps = level.steps();
  const auto n = static_cast<double>(level.samples);
  PassSolution s;
  s.beta = S1 / n;
  const double spread = S2 - n * s.beta * s.beta, dot = sums[steps + m] - s.beta * level.sum_g0;
  s.alpha = texture_alpha(level.normalisation, dot, spread, level.g0g0);
  if (!has_contrast(s.alpha, spread, S2, level.g0g0)) {
    s.alpha = std::min(s.alpha, 0.0);
    s.error = std::numeric_limits<double>::infinity();
    return s;
  }
  double quadratic = 0, texture = 0, mean = 0;
  multiply(level.G, m, m, c, [&](int i, double g) {
    const auto at = static_cast<std::size_t>(i);
    quadratic += g * double{c[i]};
    texture += (sums[steps + i] - s.beta * level.z1[at]) * double{c[i]};
    mean += level.z0[at] * double{c[i]};
  });
  // |(x - beta) / alpha - g0 - Qg'c|^2, term by term.
  s.error = spread / (s.alpha * s.alpha) + level.g0g0 + quadratic - 2 * (dot + texture) / s.alpha + 2 * mean;
  if (step == nullptr) return s;
  multiply(level.RQg, steps, m, c, [&](int i, double known) {
    const auto at = static_cast<std::size_t>(i);
    step[i] = level.Rg0[at] + known - (sums[i] - s.beta * level.R1[at]) / s.alpha;
  });
  return s;
}

}  // namespace triptych::aam_fit
