// The parts of the one-pass kernel: sampling, products of rows in their several keepings, sums within a warp
// and between blocks.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>
#include <cstdio>

#include "fit/cuda/one_pass_cuda.hpp"

namespace triptych::aam_fit {

constexpr int one_pass_threads = 32 * one_pass_warps;

// Compiled with TRIPTYCH_AAM_PROFILE, block 0 prints the cycles of each phase of the kernel.
#if defined(TRIPTYCH_AAM_PROFILE)
#define TRIPTYCH_AAM_CLOCKS long long clocks_[6] = {}, clock_ = clock64()
#define TRIPTYCH_AAM_MARK(i)          \
  do {                                \
    const long long now_ = clock64(); \
    clocks_[i] += now_ - clock_;      \
    clock_ = now_;                    \
  } while (false)
#define TRIPTYCH_AAM_REPORT                                                                               \
  do {                                                                                                    \
    if (b == 0 && t == 0)                                                                                 \
      printf(                                                                                             \
          "cycles a pass: landmarks %lld, samples %lld, matrix %lld, products %lld, sums %lld, solve "    \
          "%lld\n",                                                                                       \
          clocks_[0] / evaluated, clocks_[1] / evaluated, clocks_[2] / evaluated, clocks_[3] / evaluated, \
          clocks_[4] / evaluated, clocks_[5] / evaluated);                                                \
  } while (false)
#else
#define TRIPTYCH_AAM_CLOCKS static_cast<void>(0)
#define TRIPTYCH_AAM_MARK(i) static_cast<void>(0)
#define TRIPTYCH_AAM_REPORT static_cast<void>(0)
#endif

// RW: rows (slots) of a warp.
template <int RW>
struct OnePassLayout {
  static constexpr int slots = one_pass_warps * RW;
  static constexpr int modes = RW == 3 ? 20 : RW == 5 ? 36 : RW == 8 ? 60 : 64;
  static constexpr int words_per_warp = (RW + 2) / 3;
  static constexpr int words = one_pass_warps * words_per_warp;
  // threads that share a word's blocks when words are received
  static constexpr int groups = words == 16 ? 16 : words == 32 ? 12 : 10;
  static constexpr int folded = RW < 8 ? 4 : 8;  // rows added up together by fold()
  static_assert(2 * modes + 5 <= slots - 3);
};

template <int N>
struct Trials {
  static constexpr int value = N;
};

// 16 bytes that are read and written as one.
__device__ __forceinline__ uint4 load_word(const uint4* word) {
  unsigned long long low, high;
  asm volatile("{ .reg .b128 t; ld.relaxed.gpu.global.b128 t, [%2]; mov.b128 {%0, %1}, t; }"
               : "=l"(low), "=l"(high)
               : "l"(word)
               : "memory");
  return make_uint4(static_cast<unsigned>(low), static_cast<unsigned>(low >> 32), static_cast<unsigned>(high),
                    static_cast<unsigned>(high >> 32));
}
__device__ __forceinline__ void store_word(uint4* word, uint4 value) {
  const unsigned long long low = static_cast<unsigned long long>(value.y) << 32 | value.x;
  const unsigned long long high = static_cast<unsigned long long>(value.w) << 32 | value.z;
  asm volatile("{ .reg .b128 t; mov.b128 t, {%1, %2}; st.relaxed.gpu.global.b128 [%0], t; }" ::"l"(word),
               "l"(low), "l"(high)
               : "memory");
}

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
      const auto* place = reinterpret_cast<const float4*>(row + i * stride + u);
      const float4 a = streamed ? __ldcg(place) : *place;
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
      const auto* place = reinterpret_cast<const uint4*>(row + i * stride + u);
      const uint4 bits = streamed ? __ldcg(place) : *place;
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

// Adds up a warp's rows over its lanes. Lane l gets the rows 3 l, 3 l + 1, 3 l + 2 (zero beyond RW). The
// first `folded` rows are halved with the lanes: 2 + log2(32) shuffles or so for all of them instead of five
// each.
template <int RW>
__device__ __forceinline__ float3 fold(const float (&sum)[RW], int lane) {
  constexpr int F = OnePassLayout<RW>::folded;
  float rows[F];
#pragma unroll
  for (int i = 0; i < F; ++i) rows[i] = i < RW ? sum[i] : 0.0f;
#pragma unroll
  for (int k = F / 2, offset = 16; k >= 1; k >>= 1, offset >>= 1) {
    const bool upper = (lane & offset) != 0;
#pragma unroll
    for (int i = 0; i < k; ++i) {
      const float keep = upper ? rows[i + k] : rows[i], send = upper ? rows[i] : rows[i + k];
      rows[i] = keep + __shfl_xor_sync(~0u, send, offset);
    }
  }
#pragma unroll
  for (int offset = 16 / F; offset > 0; offset >>= 1) rows[0] += __shfl_xor_sync(~0u, rows[0], offset);
  float last = 0.0f;  // the one row beyond the folded ones
  if constexpr (RW > F) {
    static_assert(RW == F + 1);
    last = sum[F];
#pragma unroll
    for (int offset = 16; offset > 0; offset >>= 1) last += __shfl_xor_sync(~0u, last, offset);
  }
  const auto row = [&](int r) {
    const int from =
        F == 8 ? (r >> 2 & 1) * 16 + (r >> 1 & 1) * 8 + (r & 1) * 4 : (r >> 1 & 1) * 16 + (r & 1) * 8;
    const float value = __shfl_sync(~0u, rows[0], from);
    return r < F && r < RW ? value : r < RW ? last : 0.0f;
  };
  const float x = row(lane * 3), y = row(lane * 3 + 1), z = row(lane * 3 + 2);
  return make_float3(x, y, z);
}

// Waits for the words of all blocks that carry the tag and adds them into v (one value a slot), in an order
// that depends on the number of blocks alone. Ends with a barrier. sums: groups x words.
template <int RW>
__device__ __forceinline__ void receive(const uint4* in, int blocks, std::uint32_t tag, float4* sums,
                                        const float* scales, float* v, int t) {
  using L = OnePassLayout<RW>;
  const int word = t % L::words, group = t / L::words;
  if (group < L::groups) {
    float x = 0.0f, y = 0.0f, z = 0.0f;
    for (int first = group; first < blocks; first += 4 * L::groups) {
      uint4 got[4];
      bool complete;
      do {  // asking again only for what is missing was measured to be slower
        complete = true;
#pragma unroll
        for (int u = 0; u < 4; ++u) {
          const int i = first + u * L::groups;
          got[u] = i < blocks ? load_word(in + static_cast<std::int64_t>(i) * L::words + word)
                              : make_uint4(0, 0, 0, tag);
        }
#pragma unroll
        for (int u = 0; u < 4; ++u) complete = complete && got[u].w == tag;
      } while (!complete);
#pragma unroll
      for (int u = 0; u < 4; ++u) {
        x += __uint_as_float(got[u].x);
        y += __uint_as_float(got[u].y);
        z += __uint_as_float(got[u].z);
      }
    }
    sums[group * L::words + word] = make_float4(x, y, z, 0.0f);
  }
  __syncthreads();
  if (t < L::words) {
    float4 total = sums[t];
#pragma unroll
    for (int i = 1; i < L::groups; ++i) {
      const float4 more = sums[i * L::words + t];
      total.x += more.x;
      total.y += more.y;
      total.z += more.z;
    }
    const int in_warp = t % L::words_per_warp * 3, slot = t / L::words_per_warp * RW + in_warp;
    v[slot] = total.x * scales[slot];
    if (in_warp + 1 < RW) v[slot + 1] = total.y * scales[slot + 1];
    if (in_warp + 2 < RW) v[slot + 2] = total.z * scales[slot + 2];
  }
  __syncthreads();
}

// What the sums of one pass say of the texture, for every thread.
struct PassGain {
  float beta, spread, alpha, per_alpha;
  bool contrast;
};
__device__ __forceinline__ PassGain pass_gain(const float* v, int slots, const LevelOnDevice& level) {
  const float S1 = v[slots - 3], S2 = v[slots - 2], beta = S1 * level.per_sample_f;
  const float spread = S2 - S1 * beta, dot = v[2 * level.modes + 4] - beta * level.sum_g0_f;
  const float alpha = level.normalisation == Normalisation::projection
                          ? dot * level.per_g0g0_f
                          : texture_alpha(level.normalisation, dot, spread, level.g0g0_f);
  return {beta, spread, alpha, __fdividef(1.0f, alpha), has_contrast(alpha, spread, S2, level.g0g0_f)};
}

__device__ __forceinline__ bool judge_pass(FitState<double>& state, const FitRules& rules, double error,
                                           const PassGain& gain, float outside, bool still) {
  const Look<double> look{error, gain.contrast, static_cast<std::int64_t>(outside)};
  if (state.evaluations > 0) return judge(state, rules, look, still ? 0.0 : 1e30);
  begin(state, rules, look);
  return true;
}

// |r|^2 from the sums v of one pass at c and the products of c (`known`), by a whole warp; see README.md.
// Sums and products are floats; what is made of them is double, since large terms cancel, and without a
// division, which would be most of its time.
__device__ __forceinline__ double pass_error(const float* v, const float* known, const float* c, int slots,
                                             const PassGain& gain, const LevelOnDevice& level, int lane) {
  const int m = level.modes;
  float texture = 0.0f, quadratic = 0.0f;
  for (int k = lane; k < m; k += 32) {
    texture = fmaf(v[m + 4 + k], c[k], texture);
    quadratic = fmaf(known[m + 4 + k], c[k], quadratic);
  }
#pragma unroll
  for (int offset = 16; offset > 0; offset >>= 1) {
    texture += __shfl_xor_sync(~0u, texture, offset);
    quadratic += __shfl_xor_sync(~0u, quadratic, offset);
  }
  const double S1 = v[slots - 3], S2 = v[slots - 2], beta = S1 * level.per_sample, per_alpha = gain.per_alpha;
  const double spread = fma(-S1, beta, S2), dot = fma(-beta, level.sum_g0, static_cast<double>(v[2 * m + 4]));
  const double along = dot + fma(-beta, static_cast<double>(known[2 * m + 4]), static_cast<double>(texture));
  const double model = level.g0g0 + quadratic + 2.0 * known[2 * m + 5];
  return fma(per_alpha, fma(spread, per_alpha, -2.0 * along), model);
}

}  // namespace triptych::aam_fit
