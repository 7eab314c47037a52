// Puts tiles in the order of their work, by one block: long ones first, so that none is left for the end. For
// .cu files.
#pragma once

#include <triptych/reduction/collective/warp.cuh>

#include <cstddef>

namespace triptych::capsule_likelihood {

constexpr int work_classes = 256;
constexpr std::size_t order_tiles_bytes = (work_classes + 2) * sizeof(unsigned);

// order[0]: how many tiles have work; then their numbers, sorted into classes of work. Leaves work at 0.
// shared: order_tiles_bytes, which no other code uses at that point. Called by all threads of a block of
// whole warps.
__device__ inline void order_tiles(unsigned* work, int tiles, int* order, unsigned* shared) {
  unsigned* count = shared;
  unsigned* most = shared + work_classes;
  const auto thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  __syncthreads();
  for (int i = thread; i < work_classes + 2; i += threads) shared[i] = 0;
  __syncthreads();
  unsigned own = 0;
  for (int tile = thread; tile < tiles; tile += threads) own = max(own, __ldcg(work + tile));
  if (own != 0) atomicMax(most, own);
  __syncthreads();
  const float scale = static_cast<float>(work_classes - 1) / fmaxf(static_cast<float>(*most), 1.0f);
  const auto class_of = [scale](unsigned w) {
    return work_classes - 1 - min(static_cast<int>(static_cast<float>(w) * scale), work_classes - 1);
  };
  for (int tile = thread; tile < tiles; tile += threads) {
    const unsigned w = __ldcg(work + tile);
    if (w != 0) atomicAdd(count + class_of(w), 1u);
  }
  __syncthreads();
  if (thread < 32) {  // where each class begins
    constexpr int of_lane = work_classes / 32;
    unsigned in_lane = 0;
    for (int i = 0; i < of_lane; ++i) in_lane += count[thread * of_lane + i];
    unsigned before = reduction::warp_inclusive_sum(in_lane);
    if (thread == 31) order[0] = static_cast<int>(before);
    before -= in_lane;
    for (int i = 0; i < of_lane; ++i) {
      const unsigned here = count[thread * of_lane + i];
      count[thread * of_lane + i] = before;
      before += here;
    }
  }
  __syncthreads();
  for (int tile = thread; tile < tiles; tile += threads) {
    const unsigned w = __ldcg(work + tile);
    if (w != 0) order[1 + atomicAdd(count + class_of(w), 1u)] = tile;
    work[tile] = 0;
  }
}

}  // namespace triptych::capsule_likelihood
