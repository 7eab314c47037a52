// The ladder: from one address for everything to shuffles, each rung a kernel that differs from the one
// before by one idea. For .cu files. What all share:
// - a block has ladder_threads threads; barriers are never inside a branch that diverges; every load is
// guarded;
// - the range is dealt to `blocks` logical blocks, a number that follows from the size alone, and a smaller
// grid loops over
//   them: the order of combining does not depend on the grid;
// - block values go to partial[block] for finish_kernel, except on the atomic rungs, where their order
// varies.
#pragma once

#include <triptych/reduction/collective/block.cuh>
#include <triptych/reduction/detail/atomic.cuh>
#include <triptych/reduction/source.hpp>

namespace triptych::reduction::detail {

inline constexpr int ladder_threads = 256;

template <class M>
__global__ void store_identity_kernel(M monoid, typename M::Value* result) {
  *result = monoid.identity();
}

// One block combines the partials in index order.
template <class M>
__global__ void __launch_bounds__(1024)
    finish_kernel(const typename M::Value* partial, int count, M monoid, typename M::Value* result) {
  typename M::Value v = monoid.identity();
  for (int k = threadIdx.x; k < count; k += 1024) v = monoid(v, partial[k]);
  v = block_reduce<1024>(v, monoid);
  if (threadIdx.x == 0) *result = v;
}

// A thread owns one element at a time and adds it to the one result.
template <class S, class M>
__global__ void __launch_bounds__(ladder_threads)
    global_atomic_kernel(S source, std::int64_t n, M monoid, typename M::Value* result, std::uint32_t* lock) {
  const std::int64_t stride = std::int64_t{gridDim.x} * ladder_threads;
  for (std::int64_t base = std::int64_t{blockIdx.x} * ladder_threads; base < n; base += stride) {
    const std::int64_t i = base + threadIdx.x;
    combine_globally(result, i < n ? source(i) : monoid.identity(), monoid, lock);
  }
}

// A block owns one sum in shared memory, which its threads add to; it adds that to the result once a tile.
template <class S, class M>
__global__ void __launch_bounds__(ladder_threads)
    shared_atomic_kernel(S source, std::int64_t n, M monoid, typename M::Value* result, std::uint32_t* lock) {
  __shared__ typename M::Value sum;
  const std::int64_t stride = std::int64_t{gridDim.x} * ladder_threads;
  for (std::int64_t base = std::int64_t{blockIdx.x} * ladder_threads; base < n; base += stride) {
    if (threadIdx.x == 0) sum = monoid.identity();
    __syncthreads();
    const std::int64_t i = base + threadIdx.x;
    combine_in_block<ladder_threads>(&sum, i < n ? source(i) : monoid.identity(), monoid);
    __syncthreads();
    if (threadIdx.x < 32) combine_globally(result, threadIdx.x == 0 ? sum : monoid.identity(), monoid, lock);
    __syncthreads();
  }
}

// Level by level, every 2 stride-th thread takes its neighbour's value: whole warps idle for one busy lane in
// each.
template <class M>
__device__ __forceinline__ void interleaved_tree(typename M::Value* of_thread, M monoid) {
  __syncthreads();
  for (int stride = 1; stride < ladder_threads; stride *= 2) {
    if (threadIdx.x % (2 * stride) == 0)
      of_thread[threadIdx.x] = monoid(of_thread[threadIdx.x], of_thread[threadIdx.x + stride]);
    __syncthreads();
  }
}

// The first `stride` threads take the values of the next `stride`: busy lanes are neighbours, in distinct
// banks.
template <class M>
__device__ __forceinline__ void sequential_tree(typename M::Value* of_thread, M monoid) {
  __syncthreads();
  for (int stride = ladder_threads / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride)
      of_thread[threadIdx.x] = monoid(of_thread[threadIdx.x], of_thread[threadIdx.x + stride]);
    __syncthreads();
  }
}

// A thread owns one element of each of its block's tiles; a tree in shared memory combines a tile.
template <bool Interleaved, class S, class M>
__global__ void __launch_bounds__(ladder_threads)
    tree_kernel(S source, std::int64_t n, M monoid, int blocks, typename M::Value* partial) {
  __shared__ typename M::Value of_thread[ladder_threads];
  const std::int64_t stride = std::int64_t{blocks} * ladder_threads;
  for (int block = blockIdx.x; block < blocks; block += gridDim.x) {
    typename M::Value total = monoid.identity();
    for (std::int64_t base = std::int64_t{block} * ladder_threads; base < n; base += stride) {
      const std::int64_t i = base + threadIdx.x;
      of_thread[threadIdx.x] = i < n ? source(i) : monoid.identity();
      if constexpr (Interleaved) {
        interleaved_tree(of_thread, monoid);
      } else {
        sequential_tree(of_thread, monoid);
      }
      if (threadIdx.x == 0) total = monoid(total, of_thread[0]);
      __syncthreads();
    }
    if (threadIdx.x == 0) partial[block] = total;
  }
}

// The element i, or i and i + ladder_threads when Loads is 2: both in flight, then combined.
template <int Loads, class S, class M>
__device__ __forceinline__ typename M::Value load_strided(const S& source, std::int64_t i, std::int64_t n,
                                                          M monoid) {
  static_assert(Loads == 1 || Loads == 2);
  const typename M::Value v = source(i);
  if constexpr (Loads == 1) {
    return v;
  } else {
    const std::int64_t second = i + ladder_threads;
    return monoid(v, second < n ? source(second) : monoid.identity());
  }
}

// add(v) for everything that a thread owns: Loads elements of each Loads * ladder_threads neighbours of its
// block, at grid stride.
template <int Loads, class S, class M, class Add>
__device__ __forceinline__ void for_each_strided(const S& source, std::int64_t n, int block, int blocks,
                                                 M monoid, const Add& add) {
  constexpr std::int64_t of_block = std::int64_t{Loads} * ladder_threads;
  for (std::int64_t i = block * of_block + threadIdx.x; i < n; i += blocks * of_block)
    add(load_strided<Loads>(source, i, n, monoid));
}

// A thread sums what it owns in its own word of shared memory.
template <int Loads, class S, class M>
__global__ void __launch_bounds__(ladder_threads)
    grid_stride_shared_kernel(S source, std::int64_t n, M monoid, int blocks, typename M::Value* partial) {
  __shared__ typename M::Value of_thread[ladder_threads];
  for (int block = blockIdx.x; block < blocks; block += gridDim.x) {
    of_thread[threadIdx.x] = monoid.identity();
    for_each_strided<Loads>(source, n, block, blocks, monoid, [&](const typename M::Value& v) {
      of_thread[threadIdx.x] = monoid(of_thread[threadIdx.x], v);
      asm volatile("" ::: "memory");  // the sum stays in shared memory: that is this rung
    });
    sequential_tree(of_thread, monoid);
    if (threadIdx.x == 0) partial[block] = of_thread[0];
    __syncthreads();
  }
}

// The sum of what a thread owns, in a register.
template <int Loads, class S, class M>
__device__ __forceinline__ typename M::Value fold_strided(const S& source, std::int64_t n, int block,
                                                          int blocks, M monoid) {
  typename M::Value sum = monoid.identity();
  for_each_strided<Loads>(source, n, block, blocks, monoid,
                          [&](const typename M::Value& v) { sum = monoid(sum, v); });
  return sum;
}

// Registers, two elements at a time, then the tree.
template <class S, class M>
__global__ void __launch_bounds__(ladder_threads)
    grid_stride_register_kernel(S source, std::int64_t n, M monoid, int blocks, typename M::Value* partial) {
  __shared__ typename M::Value of_thread[ladder_threads];
  for (int block = blockIdx.x; block < blocks; block += gridDim.x) {
    of_thread[threadIdx.x] = fold_strided<2>(source, n, block, blocks, monoid);
    sequential_tree(of_thread, monoid);
    if (threadIdx.x == 0) partial[block] = of_thread[0];
    __syncthreads();
  }
}

// Registers, two elements at a time, then one shared atomic a thread and one global atomic a block.
template <class S, class M>
__global__ void __launch_bounds__(ladder_threads)
    grid_stride_atomic_kernel(S source, std::int64_t n, M monoid, int blocks, typename M::Value* result,
                              std::uint32_t* lock) {
  __shared__ typename M::Value sum;
  for (int block = blockIdx.x; block < blocks; block += gridDim.x) {
    if (threadIdx.x == 0) sum = monoid.identity();
    __syncthreads();
    combine_in_block<ladder_threads>(&sum, fold_strided<2>(source, n, block, blocks, monoid), monoid);
    __syncthreads();
    if (threadIdx.x < 32) combine_globally(result, threadIdx.x == 0 ? sum : monoid.identity(), monoid, lock);
    __syncthreads();
  }
}

// Registers, then shuffles: one barrier.
template <class S, class M>
__global__ void __launch_bounds__(ladder_threads)
    warp_shuffle_kernel(S source, std::int64_t n, M monoid, int blocks, typename M::Value* partial) {
  for (int block = blockIdx.x; block < blocks; block += gridDim.x) {
    const auto v = block_reduce<ladder_threads>(fold_strided<1>(source, n, block, blocks, monoid), monoid);
    if (threadIdx.x == 0) partial[block] = v;
    __syncthreads();
  }
}

}  // namespace triptych::reduction::detail
