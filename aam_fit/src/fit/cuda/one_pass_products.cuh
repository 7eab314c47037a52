// The one-pass kernel's products: of the matrix with the samples, sent to all blocks, and of the parameters.
#pragma once

#include <triptych/reduction/collective/warp.cuh>

#include "fit/cuda/one_pass_fit.cuh"
#include "fit/cuda/one_pass_multiply.cuh"

namespace triptych::aam_fit {

// One pass over the block's part of the matrix for the trials first_trial .. first_trial + N - 1, and sends
// the sums of its rows.
template <int N, class L>
__device__ __forceinline__ void multiply_trials(const OnePassFit<L>& f, OnePassThread thread,
                                                int first_trial) {
  constexpr int rows_per_warp = L::rows_per_warp;
  const int lane = thread.lane(), w = thread.warp();
  float sum[N][rows_per_warp] = {};
  const float* x = f.samples + first_trial * f.columns;
  const std::int64_t stride = L::streamed ? f.padded : f.columns;
  if constexpr (L::in_registers) {
    multiply_registers(sum[0], f.rows, reinterpret_cast<const float*>(f.matrix), x, w, lane);
  } else if constexpr (L::halves) {
    const auto* rows = L::streamed ? reinterpret_cast<const __half*>(f.g.level.halves) + f.first_column
                                   : reinterpret_cast<const __half*>(f.matrix);
    multiply_halves<rows_per_warp, N, L::streamed>(sum, rows, stride, x, f.columns, w, lane);
  } else {
    const float* rows =
        L::streamed ? f.g.level.matrix + f.first_column : reinterpret_cast<const float*>(f.matrix);
    multiply_floats<rows_per_warp, N, L::streamed>(sum, rows, stride, x, f.columns, w, lane);
  }
#pragma unroll
  for (int k = 0; k < N; ++k) {
    const int j = first_trial + k;
    if (thread.in_last_warp()) {
      const float2 both = sum_and_squares(x + k * f.columns, f.columns, lane);
      sum[k][rows_per_warp - 3] = both.x;
      sum[k][rows_per_warp - 2] = both.y;
      sum[k][rows_per_warp - 1] =
          lane < one_pass_warps ? static_cast<float>(f.shared.outside[j][lane]) : 0.0f;
    }
    if (j >= f.count()) continue;
    const reduction::WarpRowSums<rows_per_warp> rows(sum[k]);
    const float3 three = make_float3(rows[lane * 3], rows[lane * 3 + 1], rows[lane * 3 + 2]);
    if (lane < L::words_per_warp) f.exchange(j).send(f.block, w * L::words_per_warp + lane, three, f.tag);
  }
}

template <class L>
__device__ __forceinline__ void multiply_and_send(const OnePassFit<L>& f, OnePassThread thread) {
  if constexpr (!L::search) {
    multiply_trials<1>(f, thread, 0);
  } else if (L::fused_trials == 1 || f.count() == 1) {
    for (int j = 0; j < f.count(); ++j) multiply_trials<1>(f, thread, j);
  } else {
    multiply_trials<L::fused_trials>(f, thread, 0);
  }
  __syncwarp();  // keeps what follows behind the stores: every block waits for them
}

// The products of the parameters alone, while the sums are on their way: R Qg' c, Qg Qg' c, c.Qg 1 and c.Qg
// g0.
template <class L>
__device__ __forceinline__ void multiply_parameters(const OnePassFit<L>& f, OnePassThread thread) {
  const int product_rows = 2 * f.g.level.modes + 6, quarter = thread.quarter();
  for (int j = 0; j < f.count(); ++j) {
    const float* p = f.shared.parameters[f.set][j];
    float* const products_of_c = f.shared.products_of_c[f.parity][j];
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < L::product_parts; ++k)
      sum = fmaf(k < L::shared_parts ? f.shared_products[k * one_pass_threads + thread.t]
                                     : f.products[k < L::shared_parts ? 0 : k - L::shared_parts],
                 p[quarter + 4 * k], sum);
    sum = reduction::group_sum<4>(sum);
    if (quarter == 0 && thread.product_row() < product_rows) products_of_c[thread.product_row()] = sum;
    if constexpr (L::product_rows > one_pass_threads / 4) {  // more rows than groups of four threads
      const int row = one_pass_threads / 4 + thread.product_row();
      if (row < product_rows) {
        float more = 0.0f;
        for (int k = 0; k < L::modes / 4; ++k)
          more = fmaf(f.g.level.products[row * L::modes + quarter + 4 * k], p[quarter + 4 * k], more);
        more = reduction::group_sum<4>(more, 0xFu << (thread.lane() & ~3));
        if (quarter == 0) products_of_c[row] = more;
      }
    }
  }
}

}  // namespace triptych::aam_fit
