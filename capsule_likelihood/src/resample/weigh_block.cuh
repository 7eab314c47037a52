// One block weighs a run of samples: the highest likelihood, the exponent, the weights and their cumulative
// sums. All sums are integers, so that the bits are those of temper_cpu whatever the order.
#pragma once

#include <triptych/core/cuda.cuh>

#include <cstdint>

#include "resample/resample_math.hpp"

namespace triptych::capsule_likelihood {

inline constexpr int weigh_threads = 1024;
inline constexpr int weigh_warps = weigh_threads / 32;

struct WeighShared {
  double highest[weigh_warps];
  std::uint64_t first[2][weigh_warps], second[2][weigh_warps];  // two sets: one barrier for each sum
  std::uint64_t scan[weigh_warps];
  unsigned best[weigh_warps];
};

// Whether a log-likelihood takes part.
__device__ inline bool counts(double l) { return l >= -1e300; }

// The sum over a warp, given to every lane.
__device__ inline std::uint64_t sum_over_warp(std::uint64_t x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  // In three parts, none of whose sums overflows.
  constexpr std::uint64_t part = (std::uint64_t{1} << 26) - 1;
  const std::uint64_t low = __reduce_add_sync(~0u, static_cast<unsigned>(x & part));
  const std::uint64_t middle = __reduce_add_sync(~0u, static_cast<unsigned>(x >> 26 & part));
  const std::uint64_t high = __reduce_add_sync(~0u, static_cast<unsigned>(x >> 52));
  return low + (middle << 26) + (high << 52);
#else
  for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(~0u, x, step);
  return x;
#endif
}

// The block's sums, given to every thread. set alternates between calls.
__device__ inline WeightSums sum_over_block(const WeightSums& sums, WeighShared& shared, int set) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::uint64_t first = sum_over_warp(sums.first), second = sum_over_warp(sums.second);
  if (lane == 0) {
    shared.first[set][warp] = first;
    shared.second[set][warp] = second;
  }
  __syncthreads();
  return {sum_over_warp(shared.first[set][lane]), sum_over_warp(shared.second[set][lane])};
}

// -infinity when no sample takes part.
__device__ inline double highest_of_block(const double* l, int n, WeighShared& shared) {
  double highest = -HUGE_VAL;
  for (int j = static_cast<int>(threadIdx.x); j < n; j += weigh_threads)
    if (l[j] > highest) highest = l[j];
  for (int step = 16; step > 0; step /= 2) highest = fmax(highest, __shfl_xor_sync(~0u, highest, step));
  if (threadIdx.x % 32 == 0) shared.highest[threadIdx.x / 32] = highest;
  __syncthreads();
  highest = shared.highest[threadIdx.x % 32];
  for (int step = 16; step > 0; step /= 2) highest = fmax(highest, __shfl_xor_sync(~0u, highest, step));
  return highest;
}

// The first sample that has the highest likelihood.
__device__ inline int best_of_block(const double* l, int n, double highest, WeighShared& shared) {
  auto best = static_cast<unsigned>(n);
  for (int j = static_cast<int>(threadIdx.x); j < n && best == static_cast<unsigned>(n); j += weigh_threads)
    if (l[j] == highest) best = static_cast<unsigned>(j);
  for (int step = 16; step > 0; step /= 2) best = min(best, __shfl_xor_sync(~0u, best, step));
  if (threadIdx.x % 32 == 0) shared.best[threadIdx.x / 32] = best;
  __syncthreads();
  best = shared.best[threadIdx.x % 32];
  for (int step = 16; step > 0; step /= 2) best = min(best, __shfl_xor_sync(~0u, best, step));
  return static_cast<int>(best);
}

// Inclusive cumulative sums of weight(j), j < n, written to sums; by all threads of the block.
template <class Weight>
__device__ void scan_block(int n, const Weight& weight, std::uint64_t* sums, WeighShared& shared) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  std::uint64_t before = 0;  // of the chunks that are done
  for (int begin = 0; begin < n; begin += weigh_threads) {
    const int j = begin + static_cast<int>(threadIdx.x);
    std::uint64_t x = j < n ? weight(j) : 0;
    for (unsigned step = 1; step < 32; step *= 2) {
      const std::uint64_t other = __shfl_up_sync(~0u, x, step);
      if (lane >= step) x += other;
    }
    if (lane == 31) shared.scan[warp] = x;
    __syncthreads();
    std::uint64_t warps = shared.scan[lane];  // every warp scans the warps' sums for itself
    for (unsigned step = 1; step < 32; step *= 2) {
      const std::uint64_t other = __shfl_up_sync(~0u, warps, step);
      if (lane >= step) warps += other;
    }
    const std::uint64_t preceding = __shfl_sync(~0u, warps, warp == 0 ? 0 : warp - 1);
    if (j < n) sums[j] = before + (warp == 0 ? 0 : preceding) + x;
    before += __shfl_sync(~0u, warps, 31);
    __syncthreads();  // scan is written again
  }
}

// A thread keeps its first samples in registers, less the highest; those beyond are read again and again.
inline constexpr int held_samples = 4;
struct Held {
  float below[held_samples];
};

__device__ inline WeightSums sums_at(const Held& held, const double* l, int n, double highest, float beta,
                                     WeighShared& shared, int set) {
  WeightSums sums;
#pragma unroll
  for (int i = 0; i < held_samples; ++i) sums.add(weight_of(held.below[i], beta));
  for (int j = held_samples * weigh_threads + static_cast<int>(threadIdx.x); j < n; j += weigh_threads)
    sums.add(weight_of(below_highest(l[j], highest), beta));
  return sum_over_block(sums, shared, set);
}

// As temper_cpu, for l[0 .. n); every thread of a block of weigh_threads calls it and is given the result.
__device__ inline Tempering temper_block(const double* l, int n, double target, WeighShared& shared) {
  Tempering tempering;
  tempering.highest = highest_of_block(l, n, shared);
  int set = 0;
  if (!counts(tempering.highest)) {
    tempering.total = static_cast<std::uint64_t>(n) * whole_weight;
    tempering.effective_samples = n;
    return tempering;
  }
  tempering.best = best_of_block(l, n, tempering.highest, shared);
  Held held;
#pragma unroll
  for (int i = 0; i < held_samples; ++i) {
    const int j = i * weigh_threads + static_cast<int>(threadIdx.x);
    held.below[i] = j < n ? below_highest(l[j], tempering.highest) : -HUGE_VALF;
  }
  WeightSums sums = sums_at(held, l, n, tempering.highest, 1.0f, shared, set);
  std::uint32_t step = beta_steps;
  if (target > 0 && !reaches(sums, target)) {
    step = 0;
    for (std::uint32_t bit = 1u << (beta_bits - 1); bit > 0; bit >>= 1) {
      const std::uint32_t tried = step | bit;
      if (tried >= beta_steps) continue;
      set ^= 1;
      if (reaches(sums_at(held, l, n, tempering.highest, beta_of(tried), shared, set), target)) step = tried;
    }
    set ^= 1;
    sums = sums_at(held, l, n, tempering.highest, beta_of(step), shared, set);
  }
  tempering.beta = static_cast<double>(beta_of(step));
  tempering.total = sums.first;
  tempering.effective_samples = effective_samples(sums);
  return tempering;
}

// The weight of one sample under a tempering.
__device__ inline std::uint32_t weight_under(const Tempering& tempering, double l) {
  return counts(tempering.highest)
             ? weight_of(below_highest(l, tempering.highest), static_cast<float>(tempering.beta))
             : whole_weight;
}

}  // namespace triptych::capsule_likelihood
