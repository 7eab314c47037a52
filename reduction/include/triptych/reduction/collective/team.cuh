// The blocks that share a task: a cluster, whose shared memory all of them can read, or one block alone where
// there are no clusters. For .cu files.
#pragma once

#include <cooperative_groups.h>

namespace triptych::reduction {

// A kernel launched with Blocks blocks per cluster. More than one needs compute capability 9.0.
template <int Blocks>
struct BlockTeam {
  static __device__ int rank() { return static_cast<int>(blockIdx.x) % Blocks; }
  // A barrier of all threads of the team; what they wrote to shared memory before is visible after it.
  static __device__ void sync() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if constexpr (Blocks > 1) {
      cooperative_groups::this_cluster().sync();
      return;
    }
#endif
    __syncthreads();
  }
  // What `local`, in shared memory, is in the block of that rank. A block must not end while others read its
  // memory: sync() comes last.
  template <class T>
  static __device__ T* of([[maybe_unused]] T* local, [[maybe_unused]] int rank) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if constexpr (Blocks > 1) return cooperative_groups::this_cluster().map_shared_rank(local, rank);
#endif
    return local;
  }
};

}  // namespace triptych::reduction
