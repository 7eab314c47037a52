// The box around what the lanes of a warp, or the threads of a block, hold. For .cu files.
#pragma once

#include <triptych/reduction/collective/block.cuh>

#include <limits>

namespace triptych::reduction {

// A box along the axes. Trivial, so that it can lie in shared memory.
template <int Dims>
struct Bounds {
  float low[Dims], high[Dims];

  // Around nothing: what a lane without a point holds.
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

// The box around the boxes of all lanes, in all lanes. NaNs are passed over.
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

// The box around the warps' boxes, which are the same in all lanes of a warp; in all threads. One barrier.
template <int Threads, int Dims>
__device__ __forceinline__ Bounds<Dims> block_bounds(const Bounds<Dims>& of_this_warp,
                                                     Bounds<Dims> (&of_warp)[Threads / 32]) {
  return combine_warps<Threads>(of_this_warp, Bounds<Dims>::none(), of_warp,
                                [](const Bounds<Dims>& b) { return warp_bounds(b); });
}

}  // namespace triptych::reduction
