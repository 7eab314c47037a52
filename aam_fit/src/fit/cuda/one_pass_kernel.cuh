// The persistent kernel of the one-pass fit. A block owns `columns` samples for the whole fit and keeps its
// part of the stacked matrix; it samples the image there, multiplies, and sends its share of every row's sum
// to all blocks as flagged words. Every block waits for the words of all blocks and adds them in a fixed
// order, so that no barrier is needed. Every block solves and decides for itself: all have the same bits. A
// row of the grid is a fit of its own.
#pragma once

#include "fit/cuda/one_pass_cuda.hpp"
#include "fit/cuda/one_pass_fit.cuh"
#include "fit/cuda/one_pass_products.cuh"
#include "fit/cuda/one_pass_sample.cuh"
#include "fit/cuda/one_pass_solve.cuh"

namespace triptych::aam_fit {

// Without a line search the kernel is much smaller.
template <int RowsPerWarp, MatrixStorage storage, bool search>
__global__ void __launch_bounds__(one_pass_threads, 1)
    one_pass_kernel(const __grid_constant__ OnePassArguments g) {
  using Layout = OnePassLayout<RowsPerWarp, storage, search>;
  extern __shared__ __align__(128) unsigned char dynamic[];
  __shared__ OnePassShared<Layout> shared;
  static_assert(sizeof(shared) <= max_static_shared_bytes(search));
  const OnePassThread own{static_cast<int>(threadIdx.x)};
  OnePassFit<Layout> fit(g, shared, dynamic);
  load_matrix(fit, own);
  load_thread(fit, own);
  start(fit, own);
  bool still = false;
  for (;; fit.parity ^= 1) {
    const OnePassThread thread = own.anew();
    ++fit.tag;
    still = place_landmarks(fit, thread);
    sample_image(fit, thread);
    multiply_and_send(fit, own.anew());
    multiply_parameters(fit, own.anew());
    if constexpr (!search) write_last_error(fit, thread);
    const bool running = receive_and_solve(fit, own.anew(), still);
    ++fit.evaluated;
    if (!running) break;
    choose_trials(fit, own.anew());
  }
  if (fit.block == 0) write_result(fit, own, still);
}

template <int RowsPerWarp, bool search>
OnePassKernel one_pass_kernel_of(MatrixStorage storage) {
  switch (storage) {
    case MatrixStorage::shared_float:
      return one_pass_kernel<RowsPerWarp, MatrixStorage::shared_float, search>;
    case MatrixStorage::registers_float:
      if constexpr (RowsPerWarp == 8)
        return one_pass_kernel<RowsPerWarp, MatrixStorage::registers_float, search>;
      return nullptr;
    case MatrixStorage::shared_half:
      return one_pass_kernel<RowsPerWarp, MatrixStorage::shared_half, search>;
    case MatrixStorage::streamed_float:
      return one_pass_kernel<RowsPerWarp, MatrixStorage::streamed_float, search>;
    case MatrixStorage::streamed_half:
      return one_pass_kernel<RowsPerWarp, MatrixStorage::streamed_half, search>;
  }
  return nullptr;
}

template <int RowsPerWarp>
OnePassKernel one_pass_kernel_of(MatrixStorage storage, bool search) {
  return search ? one_pass_kernel_of<RowsPerWarp, true>(storage)
                : one_pass_kernel_of<RowsPerWarp, false>(storage);
}

}  // namespace triptych::aam_fit
