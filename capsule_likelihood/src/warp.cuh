// What the kernels of the likelihood do with a whole warp. For .cu files.
#pragma once

#include <cstdint>

namespace triptych::capsule_likelihood {

constexpr unsigned whole_warp = ~0u;

// The sum over the lanes, in all lanes.
__device__ __forceinline__ unsigned warp_sum(unsigned v) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_add_sync(whole_warp, v);
#else
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_xor_sync(whole_warp, v, offset);
  return v;
#endif
}

// Of numbers below 2^48.
__device__ __forceinline__ unsigned long long warp_sum(unsigned long long v) {
  const unsigned low = warp_sum(static_cast<unsigned>(v) & 0xFFFFFFu);
  const unsigned high = warp_sum(static_cast<unsigned>(v >> 24));
  return low + (static_cast<unsigned long long>(high) << 24);
}

// A word that is the same in all lanes, in a way that tells the compiler so.
__device__ __forceinline__ unsigned same_in_warp(unsigned v) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_or_sync(whole_warp, v);
#else
  return __shfl_sync(whole_warp, v, 0);
#endif
}

}  // namespace triptych::capsule_likelihood
