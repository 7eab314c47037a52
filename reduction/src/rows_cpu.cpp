#include <triptych/core/error.hpp>
#include <triptych/reduction/rows.hpp>
#include <triptych/reduction/transform_reduce_cpu.hpp>

#include <algorithm>
#include <vector>

#include "rows_check.hpp"

namespace triptych::reduction {

namespace {

// A row is cut into pieces of this many columns, by the number of columns alone; the pieces of all rows, in
// the order in which they lie in memory, are dealt out to the threads. So few long rows and many short ones
// are both shared evenly, and the bits do not depend on the threads.
constexpr std::int64_t piece_cols = 8192;
constexpr std::int64_t worth_threads = 1 << 15;  // elements

template <class RowSource>
void reduce_rows(std::int64_t rows, std::int64_t cols, int threads, std::span<float> result,
                 RowSource&& row_source) {
  require(threads >= 0, "cannot reduce rows with ", threads, " threads; 0 means all there are");
  if (rows == 0) return;
  const std::int64_t pieces = std::max<std::int64_t>(1, (cols + piece_cols - 1) / piece_cols);
  const bool alone = rows * cols < worth_threads;
  std::vector<Slot<float>> slots(pieces == 1 ? 0 : static_cast<std::size_t>(rows * pieces));
  split_among_threads(rows * pieces, alone ? 1 : threads, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t k = first; k < last; ++k) {
      const std::int64_t begin = k % pieces * piece_cols;
      const float sum = detail::cpu::reduce_range(row_source(k / pieces), begin,
                                                  std::min(cols, begin + piece_cols), Sum<float>{});
      if (pieces == 1) {
        result[static_cast<std::size_t>(k)] = sum;
      } else {
        slots[static_cast<std::size_t>(k)].value = sum;
      }
    }
  });
  if (pieces == 1) return;
  for (std::int64_t r = 0; r < rows; ++r) {
    result[static_cast<std::size_t>(r)] =
        combine_pairwise<Sum<float>>({slots.data() + r * pieces, static_cast<std::size_t>(pieces)}, {});
  }
}

void check_data(const void* data, std::size_t size, const char* what) {
  require(data != nullptr || size == 0, "the ", what, " of ", size, " elements has no data (null pointer)");
}

}  // namespace

void row_sums_cpu(MatrixView<const float> matrix, std::span<float> result, int threads) {
  check_row_sums(matrix.rows(), static_cast<std::int64_t>(result.size()));
  check_data(result.data(), result.size(), "result");
  reduce_rows(matrix.rows(), matrix.cols(), threads, result, [&](std::int64_t r) {
    return MappedArray<float, Convert<float>>{matrix.data() + r * matrix.stride(), {}};
  });
}

void multiply_cpu(MatrixView<const float> a, std::span<const float> x, std::span<float> y, int threads) {
  check_multiply(a.rows(), a.cols(), static_cast<std::int64_t>(x.size()),
                 static_cast<std::int64_t>(y.size()));
  check_data(x.data(), x.size(), "vector");
  check_data(y.data(), y.size(), "result");
  reduce_rows(a.rows(), a.cols(), threads, y, [&](std::int64_t r) {
    return ProductOfArrays<float, float>{a.data() + r * a.stride(), x.data()};
  });
}

}  // namespace triptych::reduction
