// A lane's share of the products of a warp's rows with the samples, for each kind of MatrixStorage.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

namespace triptych::aam_fit {

__device__ __forceinline__ float dot4(float4 a, float4 x, float sum) {
  return fmaf(a.w, x.w, fmaf(a.z, x.z, fmaf(a.y, x.y, fmaf(a.x, x.x, sum))));
}

// A lane's share of the products of a warp's rows with N vectors. rows: slot 0 of the block; stride: from
// slot to slot. Lane l owns the columns 4 l .. 4 l + 3 of every 128.
template <int RW, int N, bool streamed>
__device__ __forceinline__ void multiply_floats(float (&sum)[N][RW], const float* rows, std::int64_t stride,
                                                const float* x, int columns, int w, int lane) {
  const float* row = rows + w * RW * stride + lane * 4;
#pragma unroll(N == 1 ? 2 : 1)
  for (int u = 0; u < columns; u += 128) {
    float4 xs[N];
#pragma unroll
    for (int k = 0; k < N; ++k) xs[k] = *reinterpret_cast<const float4*>(x + k * columns + u + lane * 4);
#pragma unroll
    for (int i = 0; i < RW; ++i) {
      const auto* address = reinterpret_cast<const float4*>(row + i * stride + u);
      const float4 a = streamed ? __ldcg(address) : *address;
#pragma unroll
      for (int k = 0; k < N; ++k) sum[k][i] = dot4(a, xs[k], sum[k][i]);
    }
  }
}

// The same for 512 columns of which the first rows of each warp lie in registers.
template <int RW, int in_registers>
__device__ __forceinline__ void multiply_registers(float (&sum)[RW],
                                                   const float (&registers)[in_registers][16],
                                                   const float* rows, const float* x, int w, int lane) {
  constexpr int stored = RW - in_registers;
#pragma unroll
  for (int u = 0; u < 4; ++u) {
    const float4 xs = *reinterpret_cast<const float4*>(x + (u * 32 + lane) * 4);
#pragma unroll
    for (int i = 0; i < in_registers; ++i)
      sum[i] = dot4(make_float4(registers[i][u * 4], registers[i][u * 4 + 1], registers[i][u * 4 + 2],
                                registers[i][u * 4 + 3]),
                    xs, sum[i]);
#pragma unroll
    for (int i = 0; i < stored; ++i)
      sum[in_registers + i] =
          dot4(*reinterpret_cast<const float4*>(rows + (w * stored + i) * 512 + (u * 32 + lane) * 4), xs,
               sum[in_registers + i]);
  }
}

// As multiply_floats; lane l owns the columns 8 l .. 8 l + 7 of every 256.
template <int RW, int N, bool streamed>
__device__ __forceinline__ void multiply_halves(float (&sum)[N][RW], const __half* rows, std::int64_t stride,
                                                const float* x, int columns, int w, int lane) {
  const __half* row = rows + w * RW * stride + lane * 8;
#pragma unroll(N == 1 ? 2 : 1)
  for (int u = 0; u < columns; u += 256) {
    float4 low[N], high[N];
#pragma unroll
    for (int k = 0; k < N; ++k) {
      const auto* from = reinterpret_cast<const float4*>(x + k * columns + u + lane * 8);
      low[k] = from[0];
      high[k] = from[1];
    }
#pragma unroll
    for (int i = 0; i < RW; ++i) {
      const auto* address = reinterpret_cast<const uint4*>(row + i * stride + u);
      const uint4 bits = streamed ? __ldcg(address) : *address;
      const auto pair = [](unsigned two) { return __half22float2(*reinterpret_cast<const __half2*>(&two)); };
      const float2 a = pair(bits.x), b = pair(bits.y), c = pair(bits.z), d = pair(bits.w);
#pragma unroll
      for (int k = 0; k < N; ++k)
        sum[k][i] = dot4(make_float4(c.x, c.y, d.x, d.y), high[k],
                         dot4(make_float4(a.x, a.y, b.x, b.y), low[k], sum[k][i]));
    }
  }
}

__device__ __forceinline__ float2 sum_and_squares(const float* x, int columns, int lane) {
  float sum = 0.0f, squares = 0.0f;
  for (int u = lane * 4; u < columns; u += 128) {
    const float4 four = *reinterpret_cast<const float4*>(x + u);
    sum += (four.x + four.y) + (four.z + four.w);
    squares = dot4(four, four, squares);
  }
  return make_float2(sum, squares);
}

}  // namespace triptych::aam_fit
