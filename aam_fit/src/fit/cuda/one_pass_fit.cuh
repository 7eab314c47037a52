// What a thread of the one-pass kernel holds for the whole fit, and how it is loaded.
#pragma once

#include <triptych/core/cuda.cuh>

#include <cuda_pipeline.h>

#include "fit/cuda/one_pass_layout.cuh"

namespace triptych::aam_fit {

template <class L>
struct OnePassFit {
  using Layout = L;
  const OnePassArguments& g;
  OnePassShared<L>& shared;
  // Dynamic shared memory: the samples of each trial, the block's part of the matrix, parts of the products.
  int columns;  // of the block
  float* samples;
  unsigned char* matrix;
  float* shared_products;
  int block, blocks;
  std::int64_t padded, first_column;

  // In registers.
  float rows[L::in_registers ? L::register_rows : 1][16];
  SampleWarp sample_warp;  // of the first sample of the thread
  const float* plane;      // of that sample's channel
  float s0, Qs[L::modes / 2];
  float products[L::product_parts > L::shared_parts ? L::product_parts - L::shared_parts : 1];
  float R1, Rg0;

  // Where the fit is.
  int tries = 1;                     // trials of this pass
  int set = 0;                       // of parameters, that holds them
  int current_set = 1, current = 0;  // parameters of the fit so far
  int evaluated = 0;                 // passes
  std::uint32_t parity = 0, tag;

  __device__ __forceinline__ OnePassFit(const OnePassArguments& arguments, OnePassShared<L>& memory,
                                        unsigned char* dynamic)
      : g(arguments),
        shared(memory),
        columns(L::in_registers ? 512 : arguments.columns),
        samples(reinterpret_cast<float*>(dynamic)),
        matrix(dynamic + static_cast<std::size_t>(L::trials) * columns * sizeof(float)),
        shared_products(reinterpret_cast<float*>(
            matrix + (L::streamed ? 0
                                  : static_cast<std::int64_t>(one_pass_warps) * L::stored_rows * columns *
                                        L::element_bytes))),
        block(static_cast<int>(blockIdx.x)),
        blocks(static_cast<int>(gridDim.x)),
        padded(static_cast<std::int64_t>(columns) * blocks),
        first_column(static_cast<std::int64_t>(block) * columns),
        tag(static_cast<volatile const std::uint32_t*>(arguments.epochs)[blockIdx.y]) {}

  __device__ __forceinline__ int number() const { return static_cast<int>(blockIdx.y); }  // of the fit
  __device__ __forceinline__ int count() const { return L::search ? tries : 1; }
  __device__ __forceinline__ int parameter_count() const { return g.level.modes + 4; }
  // Where parameter t lies: modes are padded, the pose follows.
  __device__ __forceinline__ int parameter(int t) const {
    return t < g.level.modes ? t : L::modes + t - g.level.modes;
  }
  __device__ __forceinline__ typename L::Exchange exchange(int trial) const {
    return {g.words + number() * g.words_of_fit +
                (static_cast<std::int64_t>(parity) * L::trials + trial) * blocks * L::words,
            blocks};
  }
  __device__ __forceinline__ float* parameters() const { return g.parameters + number() * parameter_count(); }
  __device__ __forceinline__ float& error(int iteration) const {
    return g.errors[number() * (1 + g.rules.max_iterations) + iteration];
  }
};

// Begins to copy the block's part of the matrix to where it stays.
template <class L>
__device__ __forceinline__ void load_matrix(OnePassFit<L>& f, OnePassThread thread) {
  const int lane = thread.lane(), w = thread.warp();
  if constexpr (!L::streamed) {
    const int row_bytes = f.columns * L::element_bytes, packs = row_bytes / 16;
    const auto* source = L::halves ? reinterpret_cast<const unsigned char*>(f.g.level.halves)
                                   : reinterpret_cast<const unsigned char*>(f.g.level.matrix);
    for (int row = w; row < one_pass_warps * L::stored_rows; row += one_pass_warps) {
      const int slot = row / L::stored_rows * L::rows_per_warp + L::register_rows + row % L::stored_rows;
      const unsigned char* from =
          source + (static_cast<std::int64_t>(slot) * f.padded + f.first_column) * L::element_bytes;
      for (int i = lane; i < packs; i += 32)
        __pipeline_memcpy_async(f.matrix + static_cast<std::int64_t>(row) * row_bytes + i * 16, from + i * 16,
                                16);
    }
    __pipeline_commit();
  }
#pragma unroll
  for (int i = 0; i < L::register_rows; ++i)
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      const float4 a = *reinterpret_cast<const float4*>(
          f.g.level.matrix + static_cast<std::int64_t>(w * L::rows_per_warp + i) * f.padded + f.first_column +
          (u * 32 + lane) * 4);
      f.rows[i][u * 4] = a.x, f.rows[i][u * 4 + 1] = a.y;
      f.rows[i][u * 4 + 2] = a.z, f.rows[i][u * 4 + 3] = a.w;
    }
}

// The thread's sample, its share of a landmark's modes and of a row of products, its element of R 1 and R g0.
template <class L>
__device__ __forceinline__ void load_thread(OnePassFit<L>& f, OnePassThread thread) {
  const auto& level = f.g.level;
  const int t = thread.t, m = level.modes;
  f.sample_warp = {{0, 0, 0}, no_channel, 0.0f, 0.0f};
  if (t < f.columns) f.sample_warp = level.sample_warps[f.first_column + t];
  f.plane = f.g.data[f.number()] +
            (f.sample_warp.channel == no_channel ? 0 : f.sample_warp.channel * f.g.planes.plane);
  const bool has_landmark = thread.landmark() < level.points;
  const int row = thread.landmark() * 2 + thread.xy();
  f.s0 = has_landmark && thread.half_of_modes() == 0 ? level.s0[row] : 0.0f;
#pragma unroll
  for (int k = 0; k < L::modes / 2; ++k)
    f.Qs[k] = has_landmark ? level.Qs[row * L::modes + thread.half_of_modes() * (L::modes / 2) + k] : 0.0f;
  // Most of the products are in shared memory, since registers are short.
  const int product_row = thread.product_row() < 2 * m + 6 ? thread.product_row() : 0;
  const float* const products = level.products + product_row * L::modes + thread.quarter();
#pragma unroll
  for (int k = 0; k < L::product_parts; ++k) {
    if (k < L::shared_parts)
      f.shared_products[k * one_pass_threads + t] = products[4 * k];
    else
      f.products[k - L::shared_parts] = products[4 * k];
  }
  f.R1 = t < m + 4 ? level.R1[t] : 0.0f;
  f.Rg0 = t < m + 4 ? level.Rg0[t] : 0.0f;
}

// The fit begins at the parameters given. Waits for all loads and ends with a barrier.
template <class L>
__device__ __forceinline__ void start(OnePassFit<L>& f, OnePassThread thread) {
  const int t = thread.t;
  float* const parameters = &f.shared.parameters[0][0][0];
  for (int i = t; i < 2 * L::trials * L::parameters; i += one_pass_threads) parameters[i] = 0.0f;
  for (int i = t; i < L::trials * f.columns; i += one_pass_threads) f.samples[i] = 0.0f;
  if (t < L::slots) f.shared.scales[t] = L::halves ? f.g.level.scale[t] : 1.0f;
  if (t == 0) f.shared.state() = FitState<double>{};
  __syncthreads();
  if (t < f.parameter_count()) parameters[f.parameter(t)] = f.parameters()[t];
  __pipeline_wait_prior(0);
  __syncthreads();
}

}  // namespace triptych::aam_fit
