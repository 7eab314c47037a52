// row_sums_cuda and multiply_cuda: a plan becomes a launch.
#include <triptych/core/cuda.cuh>
#include <triptych/core/error.hpp>
#include <triptych/reduction/detail/kernel_arch.cuh>
#include <triptych/reduction/detail/rows.cuh>
#include <triptych/reduction/rows.hpp>

#include <algorithm>

#include "row_plan.hpp"
#include "row_sources.cuh"
#include "rows_check.hpp"

namespace triptych::reduction {

namespace {

using Total = Sum<float>;

constexpr int short_row_threads = 256;

template <class S>
struct RowLaunch {
  S source;
  std::int64_t rows;
  std::int64_t cols;
  float* result;
  const RowPlan& plan;
  Workspace& workspace;
  StreamRef stream;

  template <auto Kernel, class... Arguments>
  void start(LaunchShape shape, Arguments... arguments) const {
    shape.overlap = true;
    launch(Kernel, shape, stream, source, rows, cols, Total{}, arguments...);
  }

  template <int Lanes>
  void by_lanes() const {
    constexpr int rows_per_block = short_row_threads / Lanes;
    const auto blocks = std::min<std::int64_t>((rows + rows_per_block - 1) / rows_per_block, 1 << 20);
    start<detail::short_rows_kernel<short_row_threads, Lanes, 4, S, Total>>(
        {static_cast<unsigned>(blocks), short_row_threads}, result);
  }

  template <int Threads, int Rows, int Unroll>
  void by_blocks() const {
    const std::int64_t groups = (rows + Rows - 1) / Rows;
    LaunchShape shape{static_cast<unsigned>(groups * plan.shares), Threads};
    if (plan.cluster) {
      constexpr auto kernel = detail::cluster_rows_kernel<Threads, Rows, Unroll, S, Total>;
      if (detail::kernel_arch<kernel>() < 90)
        throw Unavailable(
            "a row plan with clusters needs a GPU of compute capability 9.0 or higher: use plan_rows()");
      shape.cluster = static_cast<unsigned>(plan.shares);
      return start<kernel>(shape, plan.shares, result);
    }
    workspace.reserve(row_workspace_bytes(rows, plan), stream);
    start<detail::long_rows_kernel<Threads, Rows, Unroll, S, Total>>(
        shape, plan.shares, reinterpret_cast<float*>(workspace.scratch()), workspace.tickets(), result);
  }

  void run() const {
    if (rows == 0) return;
    switch (plan.block) {
      case 256:
        return plan.rows == 1 ? by_blocks<256, 1, 8>() : by_blocks<256, 2, 4>();
      case 512:
        return plan.rows == 1 ? by_blocks<512, 1, 4>() : by_blocks<512, 2, 4>();
      case 1024:
        return by_blocks<1024, 1, 4>();
      default:
        break;
    }
    switch (plan.lanes) {
      case 1:
        return by_lanes<1>();
      case 4:
        return by_lanes<4>();
      case 8:
        return by_lanes<8>();
      default:
        return by_lanes<32>();
    }
  }
};

}  // namespace

void row_sums_cuda(DeviceMatrixView<const float> matrix, DeviceSpan<float> result, const RowPlan& plan,
                   Workspace& workspace, StreamRef stream) {
  check_row_sums(matrix.rows(), result.size());
  check_plan(matrix.rows(), plan);
  RowLaunch<MatrixRows>{
      {matrix.data(), matrix.stride()}, matrix.rows(), matrix.cols(), result.data(), plan, workspace, stream}
      .run();
}

void multiply_cuda(DeviceMatrixView<const float> a, DeviceSpan<const float> x, DeviceSpan<float> y,
                   const RowPlan& plan, Workspace& workspace, StreamRef stream) {
  check_multiply(a.rows(), a.cols(), x.size(), y.size());
  check_plan(a.rows(), plan);
  RowLaunch<MatrixTimesVector>{
      {{a.data(), a.stride()}, x.data()}, a.rows(), a.cols(), y.data(), plan, workspace, stream}
      .run();
}

RowDevice current_row_device() {
  int device = 0;
  RowDevice properties;
  TRIPTYCH_CUDA_CHECK(cudaGetDevice(&device));
  TRIPTYCH_CUDA_CHECK(
      cudaDeviceGetAttribute(&properties.multiprocessors, cudaDevAttrMultiProcessorCount, device));
  properties.clusters =
      detail::kernel_arch<detail::cluster_rows_kernel<256, 1, 8, MatrixTimesVector, Total>>() >= 90;
  return properties;
}

}  // namespace triptych::reduction
