// What the warps of a block combine through shared memory. For .cu files. Every function is called by all
// threads of a block of Threads threads, a multiple of 32.
//
// Functions that take `of_warp` exchange through that shared array, one value a warp, and put one barrier
// between writing and reading it. The caller uses another array, or a barrier, before it is written again.
#pragma once

#include <triptych/reduction/collective/warp.cuh>

namespace triptych::reduction {

// The block's values combined, valid in thread 0; Threads is a power of two. Order: each warp as
// warp_reduce<32>, then the warps' values as warp_reduce<Threads / 32>. One exchange through shared memory,
// which the caller guards with a barrier before the next call.
template <int Threads, class M>
__device__ __forceinline__ typename M::Value block_reduce(typename M::Value v, M monoid) {
  static_assert(Threads % 32 == 0 && (Threads & (Threads - 1)) == 0);
  constexpr int warps = Threads / 32;
  v = warp_reduce<32>(v, monoid);
  if constexpr (warps > 1) {
    __shared__ typename M::Value of_warp[warps];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    if (lane == 0) of_warp[warp] = v;
    __syncthreads();
    if (warp == 0) {
      v = of_warp[lane < warps ? lane : 0];
      v = warp_reduce<warps>(v, monoid);
    }
  }
  return v;
}

// The warps' values put into of_warp, then handed to combine(the value of warp `lane`), which every warp
// calls with all its lanes: identity where there is no such warp.
template <int Threads, class V, class Combine>
__device__ __forceinline__ V combine_warps(const V& of_this_warp, const V& identity,
                                           V (&of_warp)[Threads / 32], Combine combine) {
  static_assert(Threads % 32 == 0 && Threads <= 1024);
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  if (lane == 0) of_warp[warp] = of_this_warp;
  __syncthreads();
  if constexpr (Threads == 1024) {
    return combine(of_warp[lane]);
  } else {
    return combine(lane < Threads / 32 ? of_warp[lane] : identity);
  }
}

// The block's values combined, in all threads. Order: each warp as warp_all_reduce, then the warps' values,
// filled up to 32 by identities, the same way. One barrier.
template <int Threads, class M>
__device__ __forceinline__ typename M::Value block_all_reduce(typename M::Value v, M monoid,
                                                              typename M::Value (&of_warp)[Threads / 32]) {
  const auto all = [&](const auto& x) { return warp_all_reduce(x, monoid); };
  return combine_warps<Threads>(all(v), monoid.identity(), of_warp, all);
}

// Sums, extremes, in all threads. One barrier. block_max passes over NaNs; of NaNs alone the result is NaN or
// -infinity.
template <int Threads>
__device__ __forceinline__ std::uint64_t block_sum(std::uint64_t v, std::uint64_t (&of_warp)[Threads / 32]) {
  const auto sum = [](std::uint64_t x) { return warp_sum(x); };
  return combine_warps<Threads>(sum(v), std::uint64_t{0}, of_warp, sum);
}
template <int Threads>
__device__ __forceinline__ unsigned block_min(unsigned v, unsigned (&of_warp)[Threads / 32]) {
  const auto least = [](unsigned x) { return warp_min(x); };
  return combine_warps<Threads>(least(v), ~0u, of_warp, least);
}
template <int Threads>
__device__ __forceinline__ double block_max(double v, double (&of_warp)[Threads / 32]) {
  const auto highest = [](double x) { return warp_max(x); };
  return combine_warps<Threads>(highest(v), detail::lowest<double>(), of_warp, highest);
}

// How many threads have each of the classes 0 .. Classes - 1, in all threads; own: the thread's class, any
// other number when it has none. One barrier.
template <int Threads, int Classes>
__device__ __forceinline__ void block_counts(int own, unsigned (&of_warp)[Classes][Threads / 32],
                                             unsigned (&count)[Classes]) {
  static_assert(Threads % 32 == 0 && Threads <= 1024);
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
#pragma unroll
  for (int c = 0; c < Classes; ++c) {
    const unsigned votes = __ballot_sync(all_lanes, own == c);
    if (lane == 0) of_warp[c][warp] = static_cast<unsigned>(__popc(votes));
  }
  __syncthreads();
#pragma unroll
  for (int c = 0; c < Classes; ++c) count[c] = warp_sum(lane < Threads / 32 ? of_warp[c][lane] : 0u);
}

// The sum of floats or doubles in a fixed order, valid in thread 0: inside a warp as warp_sum, then the warps
// one after the other. One barrier.
template <int Threads, class T>
__device__ __forceinline__ T block_sum_in_order(T v, T (&of_warp)[Threads / 32]) {
  v = warp_sum(v);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = v;
  __syncthreads();
  T total = 0;
  if (threadIdx.x == 0)
    for (const T& part : of_warp) total += part;
  return total;
}

// The values of each of Columns columns combined in a fixed order: thread lane * Columns + column owns one,
// and lane i takes that of lane i + Rows / 2, then i + Rows / 4, ... i + 1, by combine(into, from). The
// result is valid in lane 0 of the column. A barrier for each step.
template <int Rows, int Columns, class V, class Combine>
__device__ __forceinline__ const V& block_combine_columns(const V& v, V (&shared)[Rows][Columns],
                                                          Combine combine) {
  static_assert((Rows & (Rows - 1)) == 0);
  const int column = static_cast<int>(threadIdx.x) % Columns, lane = static_cast<int>(threadIdx.x) / Columns;
  shared[lane][column] = v;
  for (int step = Rows / 2; step > 0; step /= 2) {
    __syncthreads();
    if (lane < step) combine(shared[lane][column], shared[lane + step][column]);
  }
  return shared[0][column];
}

// Count sums at once in the same order; sum k is valid in thread k. One barrier.
template <int Threads, int Count, class T>
__device__ __forceinline__ T block_sums_in_order(const T (&v)[Count], T (&of_warp)[Threads / 32][Count]) {
#pragma unroll
  for (int k = 0; k < Count; ++k) {
    const T sum = warp_sum(v[k]);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32][k] = sum;
  }
  __syncthreads();
  T total = 0;
  if (threadIdx.x < Count)
    for (const auto& part : of_warp) total += part[threadIdx.x];
  return total;
}

// The sum of the threads up to and including the own one; `total` becomes that of the block. One barrier.
template <int Threads, class T>
__device__ __forceinline__ T block_inclusive_sum(T v, T (&of_warp)[Threads / 32], T& total) {
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  v = warp_inclusive_sum(v);
  if (lane == 31) of_warp[warp] = v;
  __syncthreads();
  // Every warp scans the warps' sums for itself: cheaper than a second barrier.
  const T warps = warp_inclusive_sum(lane < Threads / 32 ? of_warp[lane] : T{0});
  const T before = broadcast(warps, warp == 0 ? 0 : warp - 1);
  total = broadcast(warps, 31);
  return warp == 0 ? v : before + v;
}

}  // namespace triptych::reduction
