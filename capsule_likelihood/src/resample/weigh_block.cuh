// One block weighs a run of samples: the highest likelihood, the exponent, the weights and their cumulative
// sums. All sums are integers, so that the bits are those of temper_cpu whatever the order.
#pragma once

#include <triptych/core/cuda.cuh>
#include <triptych/reduction/collective/block.cuh>

#include <cstdint>

#include "resample/resample_math.hpp"

namespace triptych::capsule_likelihood {

inline constexpr int weigh_threads = 1024;
inline constexpr int weigh_warps = weigh_threads / 32;

// Whether a log-likelihood takes part.
__device__ inline bool counts(double l) { return l >= -1e300; }

// The block's sums, given to every thread. set alternates between calls: one barrier for each.
__device__ inline WeightSums sum_over_block(const WeightSums& sums, int set) {
  __shared__ WeightSums of_warp[2][weigh_warps];
  const auto over_warp = [](const WeightSums& s) {
    return WeightSums{reduction::warp_sum(s.first), reduction::warp_sum(s.second)};
  };
  return reduction::combine_warps<weigh_threads>(over_warp(sums), WeightSums{}, of_warp[set], over_warp);
}

// -infinity when no sample takes part.
__device__ inline double highest_of_block(const double* l, int n) {
  __shared__ double of_warp[weigh_warps];
  double highest = -HUGE_VAL;
  for (int j = static_cast<int>(threadIdx.x); j < n; j += weigh_threads)
    if (l[j] > highest) highest = l[j];
  return reduction::block_max<weigh_threads>(highest, of_warp);
}

// The first sample that has the highest likelihood.
__device__ inline int best_of_block(const double* l, int n, double highest) {
  __shared__ unsigned of_warp[weigh_warps];
  auto best = static_cast<unsigned>(n);
  for (int j = static_cast<int>(threadIdx.x); j < n && best == static_cast<unsigned>(n); j += weigh_threads)
    if (l[j] == highest) best = static_cast<unsigned>(j);
  return static_cast<int>(reduction::block_min<weigh_threads>(best, of_warp));
}

// Inclusive cumulative sums of weight(j), j < n, written to sums; by all threads of the block.
template <class Weight>
__device__ void scan_block(int n, const Weight& weight, std::uint64_t* sums) {
  __shared__ std::uint64_t of_warp[2][weigh_warps];
  std::uint64_t before = 0;  // of the chunks that are done
  for (int begin = 0, set = 0; begin < n; begin += weigh_threads, set ^= 1) {
    const int j = begin + static_cast<int>(threadIdx.x);
    std::uint64_t of_chunk;
    const std::uint64_t sum = reduction::block_inclusive_sum<weigh_threads>(
        j < n ? std::uint64_t{weight(j)} : 0, of_warp[set], of_chunk);
    if (j < n) sums[j] = before + sum;
    before += of_chunk;
  }
}

// A thread keeps its first samples in registers, less the highest; those beyond are read again and again.
inline constexpr int held_samples = 4;
struct Held {
  float below[held_samples];
};

__device__ inline WeightSums sums_at(const Held& held, const double* l, int n, double highest, float beta,
                                     int set) {
  WeightSums sums;
#pragma unroll
  for (int i = 0; i < held_samples; ++i) sums.add(weight_of(held.below[i], beta));
  for (int j = held_samples * weigh_threads + static_cast<int>(threadIdx.x); j < n; j += weigh_threads)
    sums.add(weight_of(below_highest(l[j], highest), beta));
  return sum_over_block(sums, set);
}

// As temper_cpu, for l[0 .. n); every thread of a block of weigh_threads calls it and is given the result.
__device__ inline Tempering temper_block(const double* l, int n, double target, double max_loss) {
  Tempering tempering;
  tempering.highest = highest_of_block(l, n);
  int set = 0;
  if (!counts(tempering.highest)) {
    tempering.total = static_cast<std::uint64_t>(n) * whole_weight;
    tempering.effective_samples = n;
    return tempering;
  }
  tempering.best = best_of_block(l, n, tempering.highest);
  Held held;
#pragma unroll
  for (int i = 0; i < held_samples; ++i) {
    const int j = i * weigh_threads + static_cast<int>(threadIdx.x);
    held.below[i] = j < n ? below_highest(l[j], tempering.highest) : -HUGE_VALF;
  }
  const std::uint32_t most = max_beta_step(tempering.highest, max_loss);
  WeightSums sums = sums_at(held, l, n, tempering.highest, beta_of(most), set);
  std::uint32_t step = most;
  if (target > 0 && !reaches(sums, target)) {
    step = 0;
    for (std::uint32_t bit = 1u << (beta_bits - 1); bit > 0; bit >>= 1) {
      const std::uint32_t tried = step | bit;
      if (tried >= most) continue;
      set ^= 1;
      if (reaches(sums_at(held, l, n, tempering.highest, beta_of(tried), set), target)) step = tried;
    }
    set ^= 1;
    sums = sums_at(held, l, n, tempering.highest, beta_of(step), set);
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
