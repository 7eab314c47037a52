// Constants, shared memory and thread numbers of the one-pass kernel.
#pragma once

#include <triptych/reduction/collective/grid.cuh>

#include <cstdint>

#include "fit/cuda/one_pass_cuda.hpp"

namespace triptych::aam_fit {

constexpr int one_pass_threads = 32 * one_pass_warps;

// Warp w owns the slots [w rows_per_warp, (w + 1) rows_per_warp): rows of the matrix, then zeros; the last
// three slots are the sum of the samples, of their squares, and the number of those outside the image.
template <int RowsPerWarp, MatrixStorage storage, bool with_search>
struct OnePassLayout {
  static constexpr bool search = with_search;  // step sizes are tried; else whole steps are taken
  static constexpr bool in_registers = storage == MatrixStorage::registers_float;
  static constexpr bool halves =
      storage == MatrixStorage::shared_half || storage == MatrixStorage::streamed_half;
  static constexpr bool streamed =
      storage == MatrixStorage::streamed_float || storage == MatrixStorage::streamed_half;
  static constexpr int element_bytes = halves ? 2 : 4;

  static constexpr int rows_per_warp = RowsPerWarp;
  static constexpr int register_rows = in_registers ? 2 : 0;  // of a warp's rows
  static constexpr int stored_rows = rows_per_warp - register_rows;
  static constexpr int slots = one_pass_warps * rows_per_warp;
  static constexpr int sum_slot = slots - 3, squares_slot = slots - 2, outside_slot = slots - 1;
  static constexpr int modes = padded_modes(rows_per_warp);
  static constexpr int parameters = modes + 4;
  static constexpr int product_rows = 2 * modes + 6;
  static constexpr int product_parts = modes / 4;  // four threads share a row
  static constexpr int shared_parts = shared_product_parts(rows_per_warp, storage, search);
  static constexpr int trials = search ? one_pass_group : 1;
  static constexpr int fused_trials = in_registers ? 1 : trials;  // for which the matrix is read once
  static_assert(2 * modes + 5 <= sum_slot);

  static constexpr int words_per_warp = (rows_per_warp + 2) / 3;
  static constexpr int words = one_pass_warps * words_per_warp;
  using Exchange = reduction::AllToAllExchange<words, words == 16 ? 16 : words == 32 ? 12 : 10>;
};

// There are two sets of parameters: those of the trials, and those where the fit is. Sums and products
// alternate between two sets too, since a pass reads those of the pass before it.
template <class L>
struct OnePassShared {
  float4 shares[L::Exchange::share_count];
  alignas(16) float parameters[2][L::trials][L::parameters];
  alignas(16) float points[2][L::trials][2 * max_one_pass_points];
  float products_of_c[2][L::trials][L::product_rows];
  float sums[2][L::slots];
  float scales[L::slots];
  float step[L::search ? L::parameters : 1];
  std::int32_t outside[L::trials][one_pass_warps];
  alignas(8) unsigned char state_bytes[sizeof(FitState<double>)];
  int accepted;

  __device__ __forceinline__ FitState<double>& state() {
    return *reinterpret_cast<FitState<double>*>(state_bytes);
  }
};

// For the shape, four neighbouring threads own a landmark: x and y, two halves of the modes each. For the
// products with c, four threads own a row.
struct OnePassThread {
  int t;
  __device__ __forceinline__ int lane() const { return t & 31; }
  __device__ __forceinline__ int warp() const { return t >> 5; }
  __device__ __forceinline__ bool in_last_warp() const { return warp() == one_pass_warps - 1; }
  __device__ __forceinline__ int landmark() const { return t >> 2; }
  __device__ __forceinline__ int xy() const { return t >> 1 & 1; }
  __device__ __forceinline__ int half_of_modes() const { return t & 1; }
  __device__ __forceinline__ int product_row() const { return t >> 2; }
  __device__ __forceinline__ int quarter() const { return t & 3; }

  // The same thread, but the compiler cannot know: what follows from its number is computed anew. If the
  // compiler kept it from pass to pass, it would take registers that other values need.
  __device__ __forceinline__ OnePassThread anew() const {
    OnePassThread same = *this;
    asm volatile("" : "+r"(same.t));
    return same;
  }
};

}  // namespace triptych::aam_fit
