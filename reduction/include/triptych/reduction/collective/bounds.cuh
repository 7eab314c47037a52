// Bounding boxes over the lanes of a warp and the threads of a block. For .cu files.
#pragma once

#include <triptych/reduction/collective/block.cuh>

#include <limits>

namespace triptych::reduction {

// An axis-aligned box. Trivial, so that it can be in shared memory.
template <int Dims>
struct Bounds {
  float low[Dims], high[Dims];

  // The empty box, for a lane without a point.
  __device__ static Bounds none() {
    Bounds bounds;
#pragma unroll
    for (int d = 0; d < Dims; ++d) {
      bounds.low[d] = std::numeric_limits<float>::infinity();
      bounds.high[d] = -std::numeric_limits<float>::infinity();
    }
    return bounds;
  }
  __device__ static Bounds around(const float (&point)[Dims]) {
    Bounds bounds;
#pragma unroll
    for (int d = 0; d < Dims; ++d) bounds.low[d] = bounds.high[d] = point[d];
    return bounds;
  }
  __device__ bool empty() const { return low[0] > high[0]; }
  // NaN in an empty box.
  __device__ float middle(int d) const { return 0.5f * (low[d] + high[d]); }
};

// The bounding box of the boxes of all lanes, valid in all lanes. NaNs are ignored.
template <int Dims>
__device__ __forceinline__ Bounds<Dims> warp_bounds(const Bounds<Dims>& bounds) {
  return warp_all_reduce(bounds, [](Bounds<Dims> a, const Bounds<Dims>& b) {
#pragma unroll
    for (int d = 0; d < Dims; ++d) {
      a.low[d] = fminf(a.low[d], b.low[d]);
      a.high[d] = fmaxf(a.high[d], b.high[d]);
    }
    return a;
  });
}

// The bounding box of the boxes of the warps (the same in all lanes of a warp), valid in all threads. One
// barrier.
template <int Threads, int Dims>
__device__ __forceinline__ Bounds<Dims> block_bounds(const Bounds<Dims>& of_this_warp,
                                                     Bounds<Dims> (&of_warp)[Threads / 32]) {
  return combine_warps<Threads>(of_this_warp, Bounds<Dims>::none(), of_warp,
                                [](const Bounds<Dims>& b) { return warp_bounds(b); });
}

}  // namespace triptych::reduction
