#include <triptych/core/error.hpp>
#include <triptych/reduction/rows.hpp>
#include <triptych/reduction/transform_reduce_cpu.hpp>

#include <algorithm>
#include <vector>

#include "rows_check.hpp"

namespace triptych::reduction {

namespace {

// A row is divided into segments of this many columns. The segments of all rows, in memory order, are divided
// among the threads: the load is balanced for few long rows and for many short ones, and the bits do not
// depend on the threads.
constexpr std::int64_t segment_cols = 8192;
constexpr std::int64_t min_parallel_elements = 1 << 15;

template <class RowSource>
void reduce_rows(std::int64_t rows, std::int64_t cols, int threads, std::span<float> result,
                 RowSource&& row_source) {
  require(threads >= 0, "cannot reduce rows with ", threads, " threads; 0 means all usable cores");
  if (rows == 0) return;
  const std::int64_t segments = std::max<std::int64_t>(1, (cols + segment_cols - 1) / segment_cols);
  const bool serial = rows * cols < min_parallel_elements;
  std::vector<Slot<float>> slots(segments == 1 ? 0 : static_cast<std::size_t>(rows * segments));
  split_among_threads(rows * segments, serial ? 1 : threads, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t k = first; k < last; ++k) {
      const std::int64_t begin = k % segments * segment_cols;
      const float sum = detail::cpu::reduce_range(row_source(k / segments), begin,
                                                  std::min(cols, begin + segment_cols), Sum<float>{});
      if (segments == 1) {
        result[static_cast<std::size_t>(k)] = sum;
      } else {
        slots[static_cast<std::size_t>(k)].value = sum;
      }
    }
  });
  if (segments == 1) return;
  for (std::int64_t r = 0; r < rows; ++r) {
    result[static_cast<std::size_t>(r)] =
        combine_pairwise<Sum<float>>({slots.data() + r * segments, static_cast<std::size_t>(segments)}, {});
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
