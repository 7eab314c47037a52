#include <triptych/core/matrix_view.hpp>

#include <gtest/gtest.h>

#include <numeric>
#include <type_traits>
#include <vector>

#include "testing/expect_error.hpp"

namespace triptych {
namespace {

static_assert(std::is_convertible_v<MatrixView<int>, MatrixView<const int>>);
static_assert(!std::is_convertible_v<MatrixView<const int>, MatrixView<int>>);
static_assert(!std::is_constructible_v<MatrixView<int>, DeviceMatrixView<int>>);
static_assert(!std::is_constructible_v<DeviceMatrixView<int>, MatrixView<int>>);
static_assert(std::is_same_v<decltype(MatrixView<int>().row(0)), std::span<int>>);
static_assert(std::is_same_v<decltype(DeviceMatrixView<int>().row(0)), DeviceSpan<int>>);
static_assert(std::is_trivially_copyable_v<DeviceMatrixView<int>>, "kernels take it by value");

TEST(MatrixView, FindsRowsAndElements) {
  std::vector<int> memory(20);
  std::iota(memory.begin(), memory.end(), 0);
  const MatrixView<int> matrix(memory.data(), 3, 5, 7);  // the last row may end before its stride does
  EXPECT_EQ(matrix.rows(), 3);
  EXPECT_EQ(matrix.cols(), 5);
  EXPECT_EQ(matrix.stride(), 7);
  EXPECT_FALSE(matrix.is_contiguous());
  EXPECT_EQ(matrix.row(2).size(), 5u);
  EXPECT_EQ(matrix.row(2)[4], 18);
  matrix(1, 3) = -1;
  EXPECT_EQ(memory[10], -1);
  const MatrixView<const int> constant = matrix;
  EXPECT_EQ(constant(1, 3), -1);
}

TEST(MatrixView, ContiguousByDefault) {
  std::vector<int> memory(15);
  const MatrixView<int> matrix(memory.data(), 3, 5);
  EXPECT_EQ(matrix.stride(), 5);
  EXPECT_TRUE(matrix.is_contiguous());
}

TEST(MatrixView, MayBeEmpty) {
  EXPECT_TRUE(MatrixView<int>().empty());
  EXPECT_TRUE(MatrixView<int>(nullptr, 0, 5).empty());
  EXPECT_TRUE(MatrixView<int>(nullptr, 5, 0).empty());
}

TEST(MatrixView, RejectsWhatCannotBe) {
  int memory[6];
  EXPECT_ERROR(MatrixView<int>(memory, -2, 3), InvalidArgument, "-2 rows and 3 columns");
  EXPECT_ERROR(MatrixView<int>(memory, 2, -3), InvalidArgument, "2 rows and -3 columns");
  EXPECT_ERROR(MatrixView<int>(memory, 2, 3, 2), InvalidArgument,
               "3 columns needs a stride of at least that, not 2");
  EXPECT_ERROR(MatrixView<int>(nullptr, 2, 3), InvalidArgument, "2 x 3 has no data");
  EXPECT_ERROR(MatrixView<int>(memory, 2, 3).row(2), InvalidArgument,
               "row 2 lies outside a matrix of 2 rows");
  EXPECT_ERROR(DeviceMatrixView<int>(memory, 2, 3).row(-1), InvalidArgument, "row -1 lies outside");
}

TEST(MatrixView, RejectsSizesThatOverflow) {
  int memory[6];
  EXPECT_ERROR(MatrixView<int>(memory, INT64_MAX, 3), InvalidArgument, "larger than the address space");
  EXPECT_ERROR(MatrixView<int>(memory, 2, 3, INT64_MAX / 4), InvalidArgument,
               "larger than the address space");
  EXPECT_ERROR(DeviceMatrixView<double>(nullptr, 1, INT64_MAX), InvalidArgument,
               "larger than the address space");
  EXPECT_NO_THROW(MatrixView<int>(nullptr, 0, INT64_MAX));
}

}  // namespace
}  // namespace triptych
