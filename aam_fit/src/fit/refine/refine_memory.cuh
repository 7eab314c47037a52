// The blocks that refine a fit, and the memory of each.
#pragma once

#include <cooperative_groups.h>

#include "fit/refine/refine_cuda.hpp"
#include "fit/refine/refine_math.hpp"

namespace triptych::aam_fit {

constexpr int refine_threads = 384;  // of a block; with 512 more registers are spilled, and it is slower

// The blocks of a fit: a cluster, whose shared memory all of them can read, or one alone.
template <int Blocks>
struct RefineTeam {
  static __device__ int rank() { return static_cast<int>(blockIdx.x) % Blocks; }
  static __device__ void sync() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if constexpr (Blocks > 1) {
      cooperative_groups::this_cluster().sync();
      return;
    }
#endif
    __syncthreads();
  }
  // What `local` is in the block of that rank.
  template <class T>
  static __device__ const T* of([[maybe_unused]] T* local, [[maybe_unused]] int rank) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if constexpr (Blocks > 1) return cooperative_groups::this_cluster().map_shared_rank(local, rank);
#endif
    return local;
  }
};

// The memory of a block. Other blocks read moments, trace, weights_part, A and system; of the first one
// solution.
struct RefineMemory {
  double *moments, *trace, *solution, *start, *now, *model, *B, *weighted, *A, *system;
  float *Qs, *shape, *before, *weights_part, *weights, *texture, *fitted, *gx, *gy, *products;
  PatchSums* sums;
  std::int64_t bytes;
  __host__ __device__ RefineMemory(unsigned char* first, const RefineTask& g, int landmarks) {
    const std::int64_t q = g.modes + 4, samples = std::int64_t{landmarks} * (g.samples / g.points);
    unsigned char* at = first;
    const auto take = [&at](auto*& array, std::int64_t count) {
      array = reinterpret_cast<decltype(+array)>(at);
      at += count * static_cast<std::int64_t>(sizeof(*array));
    };
    take(moments, 3);
    take(trace, 1);
    take(solution, q + 1);  // and whether there is one
    take(start, q);
    take(now, q);
    take(model, 2 * std::int64_t{g.points});
    take(B, 2 * landmarks * q);
    take(weighted, 2 * landmarks * (q + 1));
    take(A, g.rows * q);
    take(system, (q + 1) * q);
    take(Qs, 2 * std::int64_t{g.points} * g.modes);
    take(shape, 2 * std::int64_t{g.points});
    take(before, 2 * std::int64_t{g.points});
    take(weights_part, g.rows);
    take(weights, g.rows);
    take(texture, samples);
    take(fitted, samples);
    take(gx, samples);
    take(gy, samples);
    take(products, 2 * std::int64_t{landmarks} * g.rows);
    take(sums, landmarks);
    bytes = (at - first + 15) / 16 * 16;
  }
};

__host__ __device__ constexpr int landmarks_of_block(int points, int blocks) {
  return (points + blocks - 1) / blocks;
}

}  // namespace triptych::aam_fit
