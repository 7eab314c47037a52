// Reductions of every row of a matrix, and the matrix-vector product built on them, for every shape: tens of
// rows with tens of thousands of columns, many short rows, square.
//
// A row is reduced by one lane, several lanes, a block or several blocks; a RowPlan says which. plan_rows()
// chooses by the shape; autotune.hpp by measuring, and automatic_row_plan() there by what was measured. Rows
// are summed in a fixed order for a given plan.
#pragma once

#include <triptych/core/matrix_view.hpp>
#include <triptych/core/span.hpp>
#include <triptych/core/stream.hpp>
#include <triptych/core/workspace.hpp>
#include <triptych/reduction/strategy.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace triptych::reduction {

// The threads that own a row: `lanes` of a warp (1, 4, 8 or 32) when block == 0, else `block` threads of each
// of `shares` blocks, which own `rows` rows together. The shares meet through a cluster or through memory.
struct RowPlan {
  int lanes = 32;
  int block = 0;
  int rows = 1;
  int shares = 1;
  bool cluster = false;
  friend bool operator==(const RowPlan&, const RowPlan&) = default;
};

int threads_per_row(const RowPlan& plan);
std::string to_string(const RowPlan& plan);
RowPlan parse_row_plan(const std::string& text);  // what to_string wrote; InvalidArgument otherwise

struct RowDevice {
  int multiprocessors = 132;
  bool clusters = true;  // compute capability 9.0 and up
};

// The plan for a shape, from the shape alone; and every plan worth measuring for it.
RowPlan plan_rows(std::int64_t rows, std::int64_t cols, const RowDevice& device);
std::vector<RowPlan> candidate_row_plans(std::int64_t rows, std::int64_t cols, const RowDevice& device);
RowDevice current_row_device();  // of the current CUDA device; Unavailable without one

// result[r] = sum of row r. InvalidArgument when result is not as long as the matrix has rows.
void row_sums_cpu(MatrixView<const float> matrix, std::span<float> result, int threads);
void row_sums_cuda(DeviceMatrixView<const float> matrix, DeviceSpan<float> result, const RowPlan& plan,
                   Workspace& workspace, StreamRef stream);

// y = A x. float products, float sums as a tree. The CUDA form enqueues and returns.
void multiply_cpu(MatrixView<const float> a, std::span<const float> x, std::span<float> y, int threads);
void multiply_cuda(DeviceMatrixView<const float> a, DeviceSpan<const float> x, DeviceSpan<float> y,
                   const RowPlan& plan, Workspace& workspace, StreamRef stream);

// Scratch that a plan needs for a shape.
std::size_t row_workspace_bytes(std::int64_t rows, const RowPlan& plan);

}  // namespace triptych::reduction
