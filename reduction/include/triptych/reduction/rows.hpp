// Row sums of a matrix and matrix-vector products, for every shape: tens of rows with tens of thousands of
// columns, many short rows, square.
//
// A row is reduced by one lane, several lanes, a block or several blocks, as a RowPlan states. plan_rows()
// chooses a plan by the shape, tune_multiply_cuda() by measurement; automatic_row_plan() uses earlier
// measurements (autotune.hpp). A given plan sums a row in a fixed order.
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
// of `shares` blocks, which together own `rows` rows. The shares are combined through distributed shared
// memory (cluster) or through global memory.
struct RowPlan {
  int lanes = 32;
  int block = 0;
  int rows = 1;
  int shares = 1;
  bool cluster = false;
  friend bool operator==(const RowPlan&, const RowPlan&) = default;
};

int threads_per_row(const RowPlan& plan);  // InvalidArgument when there is no such plan
std::string to_string(const RowPlan& plan);
RowPlan parse_row_plan(const std::string& text);  // what to_string wrote; InvalidArgument otherwise

struct RowDevice {
  int multiprocessors = 132;
  bool clusters = true;  // compute capability 9.0 and up
};

// The plan for a shape, from the shape alone; and all plans that a tuner should measure for it.
// InvalidArgument when a size is negative or above 2^48, or the device has less than one multiprocessor.
RowPlan plan_rows(std::int64_t rows, std::int64_t cols, const RowDevice& device);
std::vector<RowPlan> candidate_row_plans(std::int64_t rows, std::int64_t cols, const RowDevice& device);
RowDevice current_row_device();  // of the current CUDA device; Unavailable without one

// result[r] = sum of row r. InvalidArgument when the size of result is not the number of rows.
void row_sums_cpu(MatrixView<const float> matrix, std::span<float> result, int threads);
void row_sums_cuda(DeviceMatrixView<const float> matrix, DeviceSpan<float> result, const RowPlan& plan,
                   Workspace& workspace, StreamRef stream);

// y = A x, with float products and float sums in a tree. The CUDA function enqueues and returns.
void multiply_cpu(MatrixView<const float> a, std::span<const float> x, std::span<float> y, int threads);
void multiply_cuda(DeviceMatrixView<const float> a, DeviceSpan<const float> x, DeviceSpan<float> y,
                   const RowPlan& plan, Workspace& workspace, StreamRef stream);

// Scratch bytes that a plan needs for that many rows. InvalidArgument when there is no such plan, or it
// cannot be used for that many rows.
std::size_t row_workspace_bytes(std::int64_t rows, const RowPlan& plan);

}  // namespace triptych::reduction
