// The strategies from global_atomic to warp_shuffle: each kernel differs from the one before by one idea. For
// .cu files. Common to all:
// - A block has ladder_threads threads. No barrier is inside a divergent branch. Every load is guarded.
// - The range is divided among `blocks` logical blocks, whose number depends on the size alone. A smaller
// grid
//   loops over them, so that the order of combination does not depend on the grid.
// - Blocks write their values to partial[block] for finish_kernel. The atomic strategies add them to the
// result,
//   in varying order.
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

// The threads of a block add to one sum in shared memory; the block adds it to the result once per tile.
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

// In each step every thread whose number is a multiple of 2 stride combines with its neighbour: the active
// lanes are spread over all warps.
template <class M>
__device__ __forceinline__ void interleaved_tree(typename M::Value* of_thread, M monoid) {
  __syncthreads();
  for (int stride = 1; stride < ladder_threads; stride *= 2) {
    if (threadIdx.x % (2 * stride) == 0)
      of_thread[threadIdx.x] = monoid(of_thread[threadIdx.x], of_thread[threadIdx.x + stride]);
    __syncthreads();
  }
}

// In each step the first `stride` threads combine with the next `stride`: active lanes are contiguous and use
// distinct banks.
template <class M>
__device__ __forceinline__ void sequential_tree(typename M::Value* of_thread, M monoid) {
  __syncthreads();
  for (int stride = ladder_threads / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride)
      of_thread[threadIdx.x] = monoid(of_thread[threadIdx.x], of_thread[threadIdx.x + stride]);
    __syncthreads();
  }
}

// A thread owns one element of each tile of its block; a tree in shared memory combines a tile.
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

// Calls add(v) for the values that a thread owns: in each step Loads of the Loads * ladder_threads contiguous
// elements of its block, at grid stride.
template <int Loads, class S, class M, class Add>
__device__ __forceinline__ void for_each_strided(const S& source, std::int64_t n, int block, int blocks,
                                                 M monoid, const Add& add) {
  constexpr std::int64_t of_block = std::int64_t{Loads} * ladder_threads;
  for (std::int64_t i = block * of_block + threadIdx.x; i < n; i += blocks * of_block)
    add(load_strided<Loads>(source, i, n, monoid));
}

// A thread sums its values in its own word of shared memory.
template <int Loads, class S, class M>
__global__ void __launch_bounds__(ladder_threads)
    grid_stride_shared_kernel(S source, std::int64_t n, M monoid, int blocks, typename M::Value* partial) {
  __shared__ typename M::Value of_thread[ladder_threads];
  for (int block = blockIdx.x; block < blocks; block += gridDim.x) {
    of_thread[threadIdx.x] = monoid.identity();
    for_each_strided<Loads>(source, n, block, blocks, monoid, [&](const typename M::Value& v) {
      of_thread[threadIdx.x] = monoid(of_thread[threadIdx.x], v);
      asm volatile("" ::: "memory");  // keeps the sum in shared memory, the subject of this strategy
    });
    sequential_tree(of_thread, monoid);
    if (threadIdx.x == 0) partial[block] = of_thread[0];
    __syncthreads();
  }
}

// The sum of the values that a thread owns, in a register.
template <int Loads, class S, class M>
__device__ __forceinline__ typename M::Value fold_strided(const S& source, std::int64_t n, int block,
                                                          int blocks, M monoid) {
  typename M::Value sum = monoid.identity();
  for_each_strided<Loads>(source, n, block, blocks, monoid,
                          [&](const typename M::Value& v) { sum = monoid(sum, v); });
  return sum;
}

// Sums in registers, two loads per iteration, then the tree.
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

// Sums in registers, two loads per iteration, then one shared atomic per thread and one global atomic per
// block.
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

// Sums in registers, then shuffles: one barrier.
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
