// For .cu files: reduces any source (source.hpp) with any monoid (monoid.hpp) by any strategy.
//
//   transform_reduce_cuda(source, n, monoid, result_on_device, options, workspace, stream);
//
// Enqueues and returns: no synchronisation, no allocation once the workspace is large enough, can be captured
// in a graph. Element i contributes source(i); *result_on_device is valid after this work on the stream has
// finished. The strategies that call CUB and Thrust are in transform_reduce_libraries.cuh, which compiles
// slowly.
#pragma once

#include <triptych/core/cuda.cuh>
#include <triptych/core/error.hpp>
#include <triptych/core/workspace.hpp>
#include <triptych/reduction/detail/automatic.hpp>
#include <triptych/reduction/detail/kernel_arch.cuh>
#include <triptych/reduction/detail/ladder.cuh>
#include <triptych/reduction/detail/shape.hpp>
#include <triptych/reduction/detail/single_pass.cuh>
#include <triptych/reduction/strategy.hpp>

#include <string>

namespace triptych::reduction {

namespace detail {

template <class S, class M>
struct Reduction {
  using Value = typename M::Value;

  S source;
  std::int64_t n;
  M monoid;
  Value* result;
  int max_blocks;
  Workspace& workspace;
  StreamRef stream;

  unsigned grid(int blocks) const {
    return static_cast<unsigned>(max_blocks > 0 ? std::min(blocks, max_blocks) : blocks);
  }

  Value* partials(int count) const {
    workspace.reserve(sizeof(Value) * static_cast<std::size_t>(count), stream);
    return reinterpret_cast<Value*>(workspace.scratch());
  }

  // The words after the tickets; zero between operations.
  CollectorExchange<Value> exchange(int slots) const {
    static_assert(sizeof(Value) <= 64, "an accumulator has at most 64 bytes");
    workspace.reserve(0, stream);
    return {reinterpret_cast<std::uint64_t*>(workspace.tickets() + flagged_words_offset), slots};
  }

  std::uint32_t* lock() const {
    workspace.reserve(0, stream);
    return workspace.tickets();
  }

  static constexpr std::int64_t pack_size() {
    if constexpr (PackedSource<S>) return S::pack_size;
    return 1;
  }

  template <auto Kernel, class... Arguments>
  void launch_overlapped(LaunchShape shape, Arguments... arguments) const {
    shape.overlap = true;
    launch(Kernel, shape, stream, arguments...);
  }

  template <int Threads, int Unroll>
  void tiles(int blocks) const {
    launch_overlapped<single_pass_kernel<Threads, Unroll, S, M>>({grid(blocks), Threads}, source, n, monoid,
                                                                 exchange(blocks), result);
  }

  void single_pass() const {
    const PassShape shape = pass_shape(n / pack_size());
    switch (shape.kind) {
      case PassKind::one_block_256:
        return launch_overlapped<one_block_kernel<256, 4, S, M>>({1, 256}, source, static_cast<int>(n),
                                                                 monoid, result);
      case PassKind::one_block_512:
        return launch_overlapped<one_block_kernel<512, 4, S, M>>({1, 512}, source, static_cast<int>(n),
                                                                 monoid, result);
      case PassKind::tiles_256x1:
        return tiles<256, 1>(shape.blocks);
      case PassKind::tiles_256x2:
        return tiles<256, 2>(shape.blocks);
      case PassKind::tiles_1024x2:
        return tiles<1024, 2>(shape.blocks);
      case PassKind::tiles_1024x4:
        return tiles<1024, 4>(shape.blocks);
      case PassKind::tiles_512x8:
        return tiles<512, 8>(shape.blocks);
    }
  }

  // Whether the kernel of the strategy cluster was compiled for the current device.
  static bool has_clusters() {
    return kernel_arch<cluster_kernel<cluster_threads, cluster_unroll, cluster_blocks, S, M>>() >= 90;
  }

  void cluster() const {
    constexpr auto kernel = cluster_kernel<cluster_threads, cluster_unroll, cluster_blocks, S, M>;
    if (!has_clusters())
      throw Unavailable(
          "the strategy cluster needs a GPU of compute capability 9.0 or higher and code compiled for it: "
          "use "
          "single_pass, or add 90 to TRIPTYCH_CUDA_ARCHITECTURES");
    const int clusters = cluster_count(n / pack_size());
    const int resident = max_blocks > 0 ? std::clamp(max_blocks / cluster_blocks, 1, clusters) : clusters;
    LaunchShape shape{static_cast<unsigned>(resident * cluster_blocks), cluster_threads};
    shape.cluster = cluster_blocks;
    launch_overlapped<kernel>(shape, source, n, monoid, exchange(clusters), result);
  }

  void clear_result() const { launch(store_identity_kernel<M>, {1, 1}, stream, monoid, result); }

  void finish(const Value* partial, int count) const {
    launch(finish_kernel<M>, {1, 1024}, stream, partial, count, monoid, result);
  }

  // A kernel whose blocks write partial values, and the kernel that combines them.
  template <class Kernel>
  void two_launches(Kernel kernel, int blocks) const {
    Value* partial = partials(blocks);
    launch(kernel, {grid(blocks), ladder_threads}, stream, source, n, monoid, blocks, partial);
    finish(partial, blocks);
  }

  void run(Strategy strategy) const {
    const int tiles = ladder_blocks(n, ladder_threads, max_partials);
    const int strided = ladder_blocks(n, ladder_threads, strided_blocks);
    const int strided_x2 = ladder_blocks(n, 2 * ladder_threads, strided_blocks);  // two per thread
    switch (strategy) {
      case Strategy::global_atomic:
        clear_result();
        return launch(global_atomic_kernel<S, M>, {grid(tiles), ladder_threads}, stream, source, n, monoid,
                      result, lock());
      case Strategy::shared_atomic:
        clear_result();
        return launch(shared_atomic_kernel<S, M>, {grid(tiles), ladder_threads}, stream, source, n, monoid,
                      result, lock());
      case Strategy::tree_interleaved:
        return two_launches(tree_kernel<true, S, M>, tiles);
      case Strategy::tree_sequential:
        return two_launches(tree_kernel<false, S, M>, tiles);
      case Strategy::grid_stride_shared:
        return two_launches(grid_stride_shared_kernel<1, S, M>, strided);
      case Strategy::grid_stride_shared_x2:
        return two_launches(grid_stride_shared_kernel<2, S, M>, strided_x2);
      case Strategy::grid_stride_register:
        return two_launches(grid_stride_register_kernel<S, M>, strided_x2);
      case Strategy::grid_stride_atomic: {
        const int few = std::min(strided_x2, strided_atomic_blocks(n));
        clear_result();
        return launch(grid_stride_atomic_kernel<S, M>, {grid(few), ladder_threads}, stream, source, n, monoid,
                      few, result, lock());
      }
      case Strategy::warp_shuffle:
        return two_launches(warp_shuffle_kernel<S, M>, strided);
      case Strategy::cluster:
        return cluster();
      default:
        return single_pass();
    }
  }
};

}  // namespace detail

// The default when the libraries are not included.
struct NoLibraries {
  static constexpr bool any = false;
  template <class S, class M>
  static void run(const detail::Reduction<S, M>&, Strategy strategy) {
    throw InvalidArgument(
        std::string(to_string(strategy)) +
        " is not compiled in here: include transform_reduce_libraries.cuh and pass WithLibraries{}");
  }
};

template <Monoid M, class S, class Libraries = NoLibraries>
requires Source<S, typename M::Value>
void transform_reduce_cuda(const S& source, std::int64_t n, M monoid, typename M::Value* result_on_device,
                           const Options& options, Workspace& workspace, StreamRef stream, Libraries = {}) {
  detail::check_reduce(n, result_on_device, options, M::exact);
  using Reduction = detail::Reduction<S, M>;
  const Reduction reduction{source, n, monoid, result_on_device, options.max_blocks, workspace, stream};
  const std::int64_t bytes = n * (16 / Reduction::pack_size());
  const Strategy strategy = detail::resolve(options, {.tuned = detail::tuned_operation<S, M>,
                                                      .bytes = bytes,
                                                      .exact = M::exact,
                                                      .libraries = Libraries::any,
                                                      .clusters = &Reduction::has_clusters});
  if (strategy == Strategy::cub_block || strategy == Strategy::cub_device || strategy == Strategy::thrust) {
    Libraries::run(reduction, strategy);
  } else {
    reduction.run(strategy);
  }
}

}  // namespace triptych::reduction
