// For .cu files: the strategies cub_block, cub_device and thrust for transform_reduce_cuda; pass
// WithLibraries{} as its last argument. thrust::reduce returns its result to the host: this strategy
// synchronises the stream and cannot be captured.
#pragma once

#include <triptych/reduction/transform_reduce.cuh>

#include <cub/block/block_reduce.cuh>
#include <cub/device/device_reduce.cuh>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>

namespace triptych::reduction {

namespace detail {

// warp_shuffle with the block reduction of CUB.
template <class S, class M>
__global__ void __launch_bounds__(ladder_threads)
    cub_block_kernel(S source, std::int64_t n, M monoid, int blocks, typename M::Value* partial) {
  using BlockReduce = cub::BlockReduce<typename M::Value, ladder_threads>;
  __shared__ typename BlockReduce::TempStorage storage;
  for (int block = blockIdx.x; block < blocks; block += gridDim.x) {
    const auto v = BlockReduce(storage).Reduce(fold_strided<1>(source, n, block, blocks, monoid), monoid);
    if (threadIdx.x == 0) partial[block] = v;
    __syncthreads();
  }
}

template <class S>
struct CallSource {
  S source;
  TRIPTYCH_HD auto operator()(std::int64_t i) const { return source(i); }
};

// A pointer to the array where elements are not transformed, so that the libraries can use wide loads; else
// an iterator that calls the source.
template <class S>
auto input_iterator(const S& source) {
  return thrust::make_transform_iterator(thrust::make_counting_iterator(std::int64_t{0}),
                                         CallSource<S>{source});
}
template <class T>
const T* input_iterator(const MappedArray<T, Convert<T>>& source) {
  return source.data;
}

// Gives Thrust the memory of the workspace, so that Thrust allocates nothing once it is large enough. The
// memory is zeroed because Thrust copies values to the host with their padding, which no kernel writes.
struct WorkspaceAllocator {
  using value_type = char;
  Workspace& workspace;
  StreamRef stream;
  char* allocate(std::ptrdiff_t bytes) {
    workspace.reserve(static_cast<std::size_t>(bytes), stream);
    TRIPTYCH_CUDA_CHECK(
        cudaMemsetAsync(workspace.scratch(), 0, static_cast<std::size_t>(bytes), to_cuda(stream)));
    return reinterpret_cast<char*>(workspace.scratch());
  }
  void deallocate(char*, std::size_t) {}
};

template <class V>
__global__ void store_value_kernel(V value, V* result) {
  *result = value;
}

}  // namespace detail

struct WithLibraries {
  static constexpr bool any = true;
  template <class S, class M>
  static void run(const detail::Reduction<S, M>& r, Strategy strategy) {
    if (strategy == Strategy::cub_block) {
      const int blocks = detail::ladder_blocks(r.n, detail::ladder_threads, 1024);
      return r.two_launches(detail::cub_block_kernel<S, M>, blocks);
    }
    const auto input = detail::input_iterator(r.source);
    if (strategy == Strategy::cub_device) {
      const auto reduce = [&](void* temporary, std::size_t& bytes) {
        return cub::DeviceReduce::Reduce(temporary, bytes, input, r.result, r.n, r.monoid,
                                         r.monoid.identity(), to_cuda(r.stream));
      };
      std::size_t bytes = 0;
      TRIPTYCH_CUDA_CHECK(reduce(nullptr, bytes));
      r.workspace.reserve(bytes, r.stream);
      TRIPTYCH_CUDA_CHECK(reduce(r.workspace.scratch(), bytes));
      return;
    }
    if (r.stream.is_capturing())
      throw InvalidArgument(
          "thrust::reduce returns its result to the host and cannot be captured in a graph: use cub_device");
    detail::WorkspaceAllocator allocator{r.workspace, r.stream};
    const auto value = thrust::reduce(thrust::cuda::par(allocator).on(to_cuda(r.stream)), input, input + r.n,
                                      r.monoid.identity(), r.monoid);
    launch(detail::store_value_kernel<typename M::Value>, {1, 1}, r.stream, value, r.result);
  }
};

}  // namespace triptych::reduction
