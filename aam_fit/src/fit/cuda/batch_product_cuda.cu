// The product of many faces' samples with the stacked matrix, on the tensor cores.
//
// A block owns 128 faces, 128 rows of the matrix and a share of the columns; its 8 warps own 32 faces and 64
// rows each. Tiles of 32 columns (16 where shared memory is
// small) come through shared memory, three on their way. Every float is split into
// two numbers of the tensor cores' format (tf32: 10 bits and a leading one), a = high + low, and high*high,
// high*low, low*high are added up: what is left out is below 2^-21 of a product. Matrices whose values are
// halves have no low part. Below compute capability 8.0 the same tiles are multiplied with plain fused
// multiply-adds.
#include <triptych/core/cuda.cuh>

#include <cuda_pipeline.h>

#include "fit/cuda/batch_cuda.hpp"

namespace triptych::aam_fit {

namespace {

constexpr int threads = 256, tile = 128, stages = 3;
// Rows of a stage lie so that the lanes of a fragment read 32 different banks.
constexpr int stride_of(int depth) { return depth + 4; }
constexpr int shared_bytes_of(int depth) { return stages * 2 * tile * stride_of(depth) * 4; }

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
__device__ __forceinline__ unsigned to_tf32(float x) {
  unsigned bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
  return bits;
}
__device__ __forceinline__ void split(float x, unsigned& high, unsigned& low) {
  high = to_tf32(x);
  low = to_tf32(x - __uint_as_float(high));
}
__device__ __forceinline__ void multiply_add(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#endif

// sum: the fragments of 2 x 8 tiles of 16 faces x 8 rows; x and rows: the warp's part of a stage.
template <bool exact_matrix, int depth>
__device__ __forceinline__ void multiply_stage(float (&sum)[2][8][4], const float* x, const float* rows,
                                               int lane) {
  constexpr int stride = stride_of(depth);
  const int group = lane >> 2, member = lane & 3;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#pragma unroll
  for (int k = 0; k < depth; k += 8) {
    unsigned a[2][4], a_low[2][4];
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int e = 0; e < 4; ++e)
        split(x[(i * 16 + group + (e & 1) * 8) * stride + k + member + (e >> 1) * 4], a[i][e], a_low[i][e]);
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      unsigned b[2], b_low[2];
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const float value = rows[(j * 8 + group) * stride + k + member + e * 4];
        if constexpr (exact_matrix) {
          b[e] = __float_as_uint(value);
          b_low[e] = 0;
        } else {
          split(value, b[e], b_low[e]);
        }
      }
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        multiply_add(sum[i][j], a_low[i], b);
        if constexpr (!exact_matrix) multiply_add(sum[i][j], a[i], b_low);
        multiply_add(sum[i][j], a[i], b);
      }
    }
  }
#else
  for (int k = 0; k < depth; ++k)
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 8; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e)
          sum[i][j][e] = fmaf(x[(i * 16 + group + (e >> 1) * 8) * stride + k],
                              rows[(j * 8 + member * 2 + (e & 1)) * stride + k], sum[i][j][e]);
#endif
}

template <bool exact_matrix, int depth>
__global__ void __launch_bounds__(threads) product_kernel(const BatchArguments g) {
  extern __shared__ __align__(16) float shared[];
  constexpr int stride = stride_of(depth), stage_floats = 2 * tile * stride;
  const int t = static_cast<int>(threadIdx.x), lane = t & 31, w = t >> 5;
  const int face0 = static_cast<int>(blockIdx.y) * tile, row0 = static_cast<int>(blockIdx.z) * tile;
  const int split_index = static_cast<int>(blockIdx.x);
  const std::int64_t first = split_index * g.columns, last = min(first + g.columns, g.level.padded);
  const bool runs = t < tile && face0 + t < g.faces && g.states[face0 + t].fit.running;
  if (__syncthreads_or(runs) == 0) return;

  const auto fetch = [&](int stage, std::int64_t column) {
    float* to = shared + stage * stage_floats;
    // 2 x 128 rows of 8 packs of 16 bytes
#pragma unroll
    for (int i = t; i < 2 * tile * (depth / 4); i += threads) {
      const int row = i / (depth / 4), pack = i % (depth / 4);
      const bool is_x = row < tile;
      const int index = is_x ? face0 + row : row0 + row - tile;
      const bool there = index < (is_x ? g.faces : g.rows);
      const float* from = (is_x ? g.x : g.level.matrix) +
                          static_cast<std::int64_t>(there ? index : 0) * g.level.padded + column + pack * 4;
      __pipeline_memcpy_async(to + row * stride + pack * 4, from, 16, there ? 0 : 16);
    }
  };
  float sum[2][8][4] = {};
  const int steps = static_cast<int>((last - first) / depth);
#pragma unroll
  for (int s = 0; s < stages - 1; ++s) {
    if (s < steps) fetch(s, first + s * depth);
    __pipeline_commit();
  }
  const int warp_face = w / 2 * 32, warp_row = w % 2 * 64;
  for (int s = 0; s < steps; ++s) {
    __pipeline_wait_prior(stages - 2);
    __syncthreads();
    if (s + stages - 1 < steps)
      fetch((s + stages - 1) % stages, first + static_cast<std::int64_t>(s + stages - 1) * depth);
    __pipeline_commit();
    const float* stage = shared + s % stages * stage_floats;
    multiply_stage<exact_matrix, depth>(sum, stage + warp_face * stride, stage + (tile + warp_row) * stride,
                                        lane);
  }
  const int group = lane >> 2, member = lane & 3;
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 8; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int face = face0 + warp_face + i * 16 + group + (e >> 1) * 8;
        const int row = row0 + warp_row + j * 8 + member * 2 + (e & 1);
        if (face < g.faces && row < g.rows)
          g.parts[(static_cast<std::int64_t>(split_index) * g.faces + face) * g.rows + row] = sum[i][j][e];
      }
}

}  // namespace

int prepare_batch_product() {
  int device = 0, shared = 0;
  TRIPTYCH_CUDA_CHECK(cudaGetDevice(&device));
  TRIPTYCH_CUDA_CHECK(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  const int depth = shared >= shared_bytes_of(32) ? 32 : 16;
  const auto allow = [&](auto kernel) {
    TRIPTYCH_CUDA_CHECK(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes_of(depth)));
  };
  if (depth == 32) {
    allow(product_kernel<false, 32>);
    allow(product_kernel<true, 32>);
  } else {
    allow(product_kernel<false, 16>);
    allow(product_kernel<true, 16>);
  }
  return depth;
}

void launch_batch_product(const BatchArguments& g, bool exact_matrix, int depth, StreamRef stream) {
  const LaunchShape shape{
      dim3(static_cast<unsigned>(g.splits), static_cast<unsigned>((g.faces + tile - 1) / tile),
           static_cast<unsigned>((g.rows + tile - 1) / tile)),
      threads, static_cast<std::size_t>(shared_bytes_of(depth))};
  if (depth == 32)
    launch(exact_matrix ? product_kernel<true, 32> : product_kernel<false, 32>, shape, stream, g);
  else
    launch(exact_matrix ? product_kernel<true, 16> : product_kernel<false, 16>, shape, stream, g);
}

}  // namespace triptych::aam_fit
