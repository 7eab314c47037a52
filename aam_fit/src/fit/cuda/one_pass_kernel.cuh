// The persistent kernel of the one-pass fit. A block owns `columns` samples for the whole fit and keeps its
// part of the stacked matrix; it samples the image there, multiplies, and sends its share of every row's sum
// to all blocks as 16-byte words of three sums and a tag. Every block polls the words of all blocks and adds
// them in a fixed order, so that no barrier is needed, and solves and decides for itself: all come to the
// same bits.
#pragma once

#include <triptych/core/cuda.cuh>

#include <cuda_fp16.h>
#include <cuda_pipeline.h>

#include "fit/cuda/one_pass_cuda.hpp"
#include "fit/cuda/one_pass_parts.cuh"

namespace triptych::aam_fit {

// Threads: 512 in 16 warps; warp w owns the slots [w RW, w RW + RW). For the shape, four neighbouring threads
// own a landmark (x and y, two halves of the modes each); for the products with c, four threads a row.
// search: step sizes are tried; else whole steps are taken, which leaves far less to do and to fetch as code.
template <int RW, Keep keep, bool search>
__global__ void __launch_bounds__(one_pass_threads, 1) one_pass_kernel(const OnePassArguments g) {
  using L = OnePassLayout<RW>;
  constexpr int T = one_pass_threads, NT = search ? one_pass_group : 1, MC = L::modes, PW = MC + 4;
  constexpr int in_registers = keep == Keep::registers_float ? 2 : 0;
  constexpr bool halves = keep == Keep::shared_half || keep == Keep::streamed_half;
  constexpr bool streamed = keep == Keep::streamed_float || keep == Keep::streamed_half;
  constexpr int fused = keep == Keep::registers_float ? 1 : NT;  // trials for which the matrix is read once
  constexpr int stored = RW - in_registers;
  const int columns = keep == Keep::registers_float ? 512 : g.columns;

  extern __shared__ __align__(128) unsigned char dynamic[];
  float* const xs = reinterpret_cast<float*>(dynamic);  // NT x columns, then the matrix
  unsigned char* const kept = dynamic + static_cast<std::size_t>(NT) * columns * sizeof(float);
  __shared__ __align__(16) float4 sums[L::groups * L::words];
  __shared__ __align__(16) float params[2][NT][PW];
  __shared__ __align__(16) float points[2][NT][2 * most_one_pass_points];
  __shared__ float known[2][NT][2 * MC + 6];  // products with c
  __shared__ float v[2][L::slots];
  __shared__ float scales[L::slots], step[PW];
  __shared__ std::int32_t votes[NT][one_pass_warps];
  __shared__ __align__(8) unsigned char state_bytes[sizeof(FitState<double>)];
  auto& state = *reinterpret_cast<FitState<double>*>(state_bytes);
  __shared__ int accepted;

  const int t = static_cast<int>(threadIdx.x), lane = t & 31, w = t >> 5;
  const int b = static_cast<int>(blockIdx.x), blocks = static_cast<int>(gridDim.x);
  const int m = g.level.modes, q = m + 4;
  const std::int64_t padded = static_cast<std::int64_t>(columns) * blocks;
  const std::int64_t first = static_cast<std::int64_t>(b) * columns;
  std::uint32_t tag = *static_cast<volatile const std::uint32_t*>(g.epoch);

  // ---- what stays
  if constexpr (!streamed) {
    constexpr int bytes = halves ? 2 : 4;
    const int row_bytes = columns * bytes, packs = row_bytes / 16;
    const auto* source = halves ? reinterpret_cast<const unsigned char*>(g.level.halves)
                                : reinterpret_cast<const unsigned char*>(g.level.matrix);
    for (int row = w; row < one_pass_warps * stored; row += one_pass_warps) {
      const int slot = row / stored * RW + in_registers + row % stored;
      const unsigned char* from = source + (static_cast<std::int64_t>(slot) * padded + first) * bytes;
      for (int i = lane; i < packs; i += 32)
        __pipeline_memcpy_async(kept + static_cast<std::int64_t>(row) * row_bytes + i * 16, from + i * 16,
                                16);
    }
    __pipeline_commit();
  }
  float row_registers[in_registers > 0 ? in_registers : 1][16];
  if constexpr (in_registers > 0) {
#pragma unroll
    for (int i = 0; i < in_registers; ++i)
#pragma unroll
      for (int u = 0; u < 4; ++u) {
        const float4 a = *reinterpret_cast<const float4*>(
            g.level.matrix + static_cast<std::int64_t>(w * RW + i) * padded + first + (u * 32 + lane) * 4);
        row_registers[i][u * 4] = a.x, row_registers[i][u * 4 + 1] = a.y;
        row_registers[i][u * 4 + 2] = a.z, row_registers[i][u * 4 + 3] = a.w;
      }
  }
  SamplePlace place{{0, 0, 0}, no_channel, 0.0f, 0.0f};
  if (t < columns) place = g.level.places[first + t];
  const float* const my_plane =
      g.planes.data + (place.channel == no_channel ? 0 : place.channel * g.planes.plane);
  const int landmark = t >> 2, xy = t >> 1 & 1, half_of_modes = t & 1;
  const bool has_landmark = landmark < g.level.points;
  const float s0 = has_landmark && half_of_modes == 0 ? g.level.s0[landmark * 2 + xy] : 0.0f;
  float Qs[MC / 2];
#pragma unroll
  for (int k = 0; k < MC / 2; ++k)
    Qs[k] = has_landmark ? g.level.Qs[(landmark * 2 + xy) * MC + half_of_modes * (MC / 2) + k] : 0.0f;
  const int product_rows = 2 * m + 6, product_row = t >> 2, quarter = t & 3;
  // Most of these wait in shared memory, since registers are short; the rest is where there is room.
  constexpr int product_parts = MC / 4, shared_parts = shared_product_parts(RW, keep, search);
  float* const product_shared = reinterpret_cast<float*>(
      kept +
      (streamed ? 0 : static_cast<std::int64_t>(one_pass_warps) * stored * columns * (halves ? 2 : 4)));
  const float* const product_from =
      g.level.products + (product_row < product_rows ? product_row : 0) * MC + quarter;
  float product[product_parts > shared_parts ? product_parts - shared_parts : 1];
#pragma unroll
  for (int k = 0; k < product_parts; ++k) {
    if (k < shared_parts)
      product_shared[k * T + t] = product_from[4 * k];
    else
      product[k - shared_parts] = product_from[4 * k];
  }
  const float R1 = t < q ? g.level.R1[t] : 0.0f, Rg0 = t < q ? g.level.Rg0[t] : 0.0f;
  const int my_parameter = t < m ? t : MC + t - m;  // where parameter t lies (t < q)
  for (int i = t; i < 2 * NT * PW; i += T) (&params[0][0][0])[i] = 0.0f;
  for (int i = t; i < NT * columns; i += T) xs[i] = 0.0f;
  if (t < L::slots) scales[t] = halves ? g.level.scale[t] : 1.0f;
  if (t == 0) state = FitState<double>{};
  __syncthreads();
  if (t < q) params[0][0][my_parameter] = g.parameters[t];
  __pipeline_wait_prior(0);
  __syncthreads();

  // ---- the fit
  const float least_move2 = g.rules.least_move_px * g.rules.least_move_px;
  constexpr int outside_slot = L::slots - 1;
  const auto most_outside = static_cast<float>(g.rules.most_outside);
  TRIPTYCH_AAM_CLOCKS;
  int tries = 1;  // trials of this pass
  int at = 0;     // the set of parameters that holds them
  int current_set = 1, current = 0;
  bool last_still = false;
  int evaluated = 0;  // passes of always_step
  std::uint32_t parity = 0;
  const int thread = t;
  for (;; parity ^= 1) {
    // Everything that follows from the thread's number is found anew in every pass: kept from pass to pass,
    // as the compiler would, it would drive what has to stay out of the registers.
    int t = thread;
    asm volatile("" : "+r"(t));
    const int lane = t & 31, w = t >> 5, landmark = t >> 2, xy = t >> 1 & 1, half_of_modes = t & 1;
    const int product_row = t >> 2, quarter = t & 3, my_parameter = t < m ? t : MC + t - m;
    const bool has_landmark = landmark < g.level.points, shape_warp = w * 8 < g.level.points;
    ++tag;
    const int count = search ? tries : 1;
    // ---- landmarks
    bool moves = false;
    if (shape_warp) {
      for (int j = 0; j < count; ++j) {
        const float* p = params[at][j];
        float sum = s0, other = 0.0f;
        const auto* c = reinterpret_cast<const float2*>(p + half_of_modes * (MC / 2));
#pragma unroll
        for (int k = 0; k < MC / 2; k += 2) {
          const float2 pair = c[k / 2];
          sum = fmaf(Qs[k], pair.x, sum);
          other = fmaf(Qs[k + 1], pair.y, other);
        }
        sum += other;
        sum += __shfl_xor_sync(~0u, sum, 1);
        const float partner = __shfl_xor_sync(~0u, sum, 2);
        const float placed = xy != 0 ? posed_y(partner, sum, p + MC) : posed_x(sum, partner, p + MC);
        if (has_landmark && half_of_modes == 0) points[at][j][landmark * 2 + xy] = placed;
        if (j == 0) {
          const float d = has_landmark ? placed - points[current_set][current][landmark * 2 + xy] : 0.0f;
          float d2 = d * d;
          d2 += __shfl_xor_sync(~0u, d2, 2);
          moves = !(d2 <= least_move2);
        }
      }
    }
    const bool still = __syncthreads_or(moves) == 0;  // judge() looks at it for a whole step
    TRIPTYCH_AAM_MARK(0);
    // ---- samples
    for (int j = 0; j < count; ++j) {
      const float* corner = points[at][j];
      float x = 0.0f;
      bool beyond = false;
      if (place.channel != no_channel) {
        const Sampled s = sample_at(my_plane, g.planes, place, corner);
        x = s.value - g.level.kappa;
        beyond = s.outside && place.channel == 0;
      }
      if (t < columns) xs[j * columns + t] = x;
      int outside = __popc(__ballot_sync(~0u, beyond));
      for (int k = t + T; k < columns; k += T) {
        const SampledColumn more = sample_place(g.planes, g.level.kappa, g.level.places[first + k], corner);
        xs[j * columns + k] = more.x;
        outside += __popc(__ballot_sync(~0u, more.outside));
      }
      if (lane == 0) votes[j][w] = outside;
    }
    __syncthreads();
    TRIPTYCH_AAM_MARK(1);
    // ---- one pass over the matrix, and the block's sums on their way
    uint4* const out = g.words + static_cast<std::int64_t>(parity) * NT * blocks * L::words;
    const auto send = [&](const float(&sum)[RW], int j) {
      const float3 three = fold<RW>(sum, lane);
      if (lane < L::words_per_warp)
        store_word(
            out + (static_cast<std::int64_t>(j) * blocks + b) * L::words + w * L::words_per_warp + lane,
            make_uint4(__float_as_uint(three.x), __float_as_uint(three.y), __float_as_uint(three.z), tag));
    };
    const auto pass = [&](auto trials, int j0) {
      constexpr int N = decltype(trials)::value;
      float sum[N][RW] = {};
      const float* x = xs + j0 * columns;
      if constexpr (keep == Keep::registers_float) {
        multiply_registers<RW, in_registers>(sum[0], row_registers, reinterpret_cast<const float*>(kept), x,
                                             w, lane);
      } else if constexpr (halves) {
        const auto* rows = streamed ? reinterpret_cast<const __half*>(g.level.halves) + first
                                    : reinterpret_cast<const __half*>(kept);
        multiply_halves<RW, N, streamed>(sum, rows, streamed ? padded : columns, x, columns, w, lane);
      } else {
        const float* rows = streamed ? g.level.matrix + first : reinterpret_cast<const float*>(kept);
        multiply_floats<RW, N, streamed>(sum, rows, streamed ? padded : columns, x, columns, w, lane);
      }
#pragma unroll
      for (int k = 0; k < N; ++k) {
        if (w == one_pass_warps - 1) {
          const float2 both = sum_and_squares(x + k * columns, columns, lane);
          sum[k][RW - 3] = both.x;
          sum[k][RW - 2] = both.y;
          sum[k][RW - 1] = lane < one_pass_warps ? static_cast<float>(votes[j0 + k][lane]) : 0.0f;
        }
        if (j0 + k < count) send(sum[k], j0 + k);
      }
    };
    if constexpr (!search) {
      pass(Trials<1>{}, 0);
    } else if (fused == 1 || count == 1) {
      for (int j = 0; j < count; ++j) pass(Trials<1>{}, j);
    } else {
      pass(Trials<fused>{}, 0);
    }
    TRIPTYCH_AAM_MARK(2);
    // ---- what the parameters alone say, while the sums travel
    for (int j = 0; j < count; ++j) {
      const float* p = params[at][j];
      float sum = 0.0f;
#pragma unroll
      for (int k = 0; k < product_parts; ++k)
        sum = fmaf(
            k < shared_parts ? product_shared[k * T + t] : product[k < shared_parts ? 0 : k - shared_parts],
            p[quarter + 4 * k], sum);
      sum += __shfl_xor_sync(~0u, sum, 1);
      sum += __shfl_xor_sync(~0u, sum, 2);
      if (quarter == 0 && product_row < product_rows) known[parity][j][product_row] = sum;
      if constexpr (2 * MC + 6 > T / 4) {  // more rows than groups of four threads
        const int row = T / 4 + product_row;
        if (row < product_rows) {
          float more = 0.0f;
          for (int k = 0; k < MC / 4; ++k)
            more = fmaf(g.level.products[row * MC + quarter + 4 * k], p[quarter + 4 * k], more);
          const unsigned four = 0xFu << (lane & ~3);
          more += __shfl_xor_sync(four, more, 1);
          more += __shfl_xor_sync(four, more, 2);
          if (quarter == 0) known[parity][j][row] = more;
        }
      }
    }
    if (!search && evaluated > 0 && b == 0 && w == one_pass_warps - 1) {
      const double e = pass_error(v[parity ^ 1], known[parity ^ 1][0], params[at ^ 1][0], L::slots,
                                  pass_gain(v[parity ^ 1], L::slots, g.level), g.level, lane);
      if (lane == 0) g.errors[evaluated - 1] = static_cast<float>(e);
    }
    TRIPTYCH_AAM_MARK(3);
    // ---- everybody's sums, trial by trial, until one is taken
    const float* const sum = v[parity];
    bool running = true;
    for (int j = 0; j < count; ++j) {
      receive<RW>(out + static_cast<std::int64_t>(j) * blocks * L::words, blocks, tag, sums, scales,
                  v[parity], t);
      TRIPTYCH_AAM_MARK(4);
      const PassGain gain = pass_gain(sum, L::slots, g.level);
      float* const next = params[at ^ 1][0];
      const float* const here = params[at][j];
      const float dp = t < q ? Rg0 + known[parity][j][t] - (sum[t] - gain.beta * R1) * gain.per_alpha : 0.0f;
      if (!search) {  // every thread sees for itself; judge() is asked at the end
        if (t < q) next[my_parameter] = here[my_parameter] + dp;
        running = gain.contrast && sum[outside_slot] <= most_outside && evaluated < g.rules.most_iterations;
        current_set = at;
        break;
      }
      if (w == one_pass_warps - 1) {
        const double e = pass_error(sum, known[parity][j], here, L::slots, gain, g.level, lane);
        if (lane == 0) {
          accepted = judge_pass(state, g.rules, e, gain, sum[outside_slot], still) ? 1 : 0;
          if (b == 0 && accepted != 0) g.errors[state.iterations] = static_cast<float>(e);
        }
      }
      __syncthreads();
      running = state.running;
      if (accepted != 0) {
        current_set = at;
        current = j;
        if (t < q) {
          step[t] = dp;
          next[my_parameter] = here[my_parameter] + dp;
        }
        break;
      }
      if (!running) break;
    }
    ++evaluated;
    last_still = still;
    if (!running) break;
    if (current_set == at) {  // taken
      at ^= 1;
      tries = 1;
    } else {
      const int tried = state.trial;
      tries = min(g.group, g.rules.steps - tried);
      if (t < q)
        for (int j = 0; j < tries; ++j)
          params[at][j][my_parameter] = fmaf(1.0f / static_cast<float>(1 << (tried + j)), step[t],
                                             params[current_set][current][my_parameter]);
    }
    __syncthreads();
    TRIPTYCH_AAM_MARK(5);
  }
  TRIPTYCH_AAM_REPORT;
  // ---- the result
  if (b != 0) return;
  if (!search && w == one_pass_warps - 1) {
    const PassGain gain = pass_gain(v[parity], L::slots, g.level);
    const double e =
        pass_error(v[parity], known[parity][0], params[current_set][0], L::slots, gain, g.level, lane);
    if (lane == 0) {
      g.errors[evaluated - 1] = static_cast<float>(e);
      state.evaluations = evaluated - 1;
      state.iterations = max(evaluated - 2, 0);
      judge_pass(state, g.rules, e, gain, v[parity][outside_slot], last_still);
    }
  }
  if (t < q) g.parameters[t] = params[current_set][current][my_parameter];
  if (w == one_pass_warps - 1 && lane == 0) {
    *g.result = {static_cast<float>(state.error), state.iterations, state.evaluations,
                 static_cast<std::int32_t>(state.status)};
    *g.epoch = tag;
  }
}

}  // namespace triptych::aam_fit
