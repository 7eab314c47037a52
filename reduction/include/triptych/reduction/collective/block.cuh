// Block collectives: reductions and scans over the warps of a block, through shared memory. For .cu files.
// All threads of a block of Threads threads, a multiple of 32, must call a function.
//
// Functions with the parameter `of_warp` exchange one value per warp through that shared array, with one
// barrier between the writes and the reads. Before the next call the caller must use another array or a
// barrier.
#pragma once

#include <triptych/reduction/collective/warp.cuh>

namespace triptych::reduction {

// Combines the values of the block; the result is valid in thread 0. Threads is a power of two. Order: each
// warp as warp_reduce<32>, then the values of the warps as warp_reduce<Threads / 32>. Before the next call
// the caller needs a barrier.
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

// Stores the value of each warp in of_warp. Then all lanes of every warp call combine(v), where v is the
// value of warp number `lane`, or identity when there is no such warp.
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

// Combines the values of the block; the result is valid in all threads. Order: each warp as warp_all_reduce,
// then the values of the warps, padded to 32 with identities, the same way. One barrier.
template <int Threads, class M>
__device__ __forceinline__ typename M::Value block_all_reduce(typename M::Value v, M monoid,
                                                              typename M::Value (&of_warp)[Threads / 32]) {
  const auto all = [&](const auto& x) { return warp_all_reduce(x, monoid); };
  return combine_warps<Threads>(all(v), monoid.identity(), of_warp, all);
}

// Sum, minimum and maximum, valid in all threads. One barrier. block_max ignores NaNs; the result of only
// NaNs is NaN or -infinity.
template <int Threads>
__device__ __forceinline__ std::uint64_t block_sum(std::uint64_t v, std::uint64_t (&of_warp)[Threads / 32]) {
  const auto sum = [](std::uint64_t x) { return warp_sum(x); };
  return combine_warps<Threads>(sum(v), std::uint64_t{0}, of_warp, sum);
}
template <int Threads>
__device__ __forceinline__ unsigned block_min(unsigned v, unsigned (&of_warp)[Threads / 32]) {
  const auto lowest = [](unsigned x) { return warp_min(x); };
  return combine_warps<Threads>(lowest(v), ~0u, of_warp, lowest);
}
template <int Threads>
__device__ __forceinline__ double block_max(double v, double (&of_warp)[Threads / 32]) {
  const auto highest = [](double x) { return warp_max(x); };
  return combine_warps<Threads>(highest(v), detail::lowest<double>(), of_warp, highest);
}

// Counts the threads of each class 0 .. Classes - 1; valid in all threads. own: the class of the thread, any
// other number for none. One barrier.
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

// The sum of floats or doubles in a fixed order, valid in thread 0: within a warp as warp_sum, then over the
// warps in sequence. One barrier.
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

// Combines the values of each of Columns columns in a fixed order. Thread lane * Columns + column owns one
// value; lane i combines with lane i + Rows / 2, then i + Rows / 4, ... i + 1, by combine(into, from). The
// result is valid in lane 0 of the column. One barrier per step.
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

// Count sums in the order of block_sum_in_order; sum k is valid in thread k. One barrier.
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

// The inclusive prefix sum over the threads; `total` becomes the sum of the block. One barrier.
template <int Threads, class T>
__device__ __forceinline__ T block_inclusive_sum(T v, T (&of_warp)[Threads / 32], T& total) {
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  v = warp_inclusive_sum(v);
  if (lane == 31) of_warp[warp] = v;
  __syncthreads();
  // Every warp scans the sums of the warps: cheaper than a second barrier.
  const T warps = warp_inclusive_sum(lane < Threads / 32 ? of_warp[lane] : T{0});
  const T before = broadcast(warps, warp == 0 ? 0 : warp - 1);
  total = broadcast(warps, 31);
  return warp == 0 ? v : before + v;
}

}  // namespace triptych::reduction
