// The strategies single_pass and cluster: one launch, and an order of combination that depends on the indices
// alone. For .cu files. The launch bounds state the blocks per multiprocessor: without them the compiler
// saves registers and keeps only two loads in flight.
//
// The range is divided into tiles of Threads x Unroll packs, which are assigned to `blocks` logical blocks in
// turn. Their number depends on the size and not on the device, and a smaller grid loops over them: the bits
// are the same on every GPU and for every grid.
#pragma once

#include <triptych/core/cuda.cuh>
#include <triptych/reduction/collective/block.cuh>
#include <triptych/reduction/collective/grid.cuh>
#include <triptych/reduction/source.hpp>

#include <cooperative_groups.h>

namespace triptych::reduction::detail {

// Adapts a source without packs: a pack of one element.
template <class S>
struct SingleElements {
  static constexpr int pack_size = 1;
  using Pack = decltype(std::declval<S>()(0));
  S source;
  TRIPTYCH_HD bool aligned() const { return true; }
  __device__ Pack load(std::int64_t i) const { return source(i); }
  __device__ Pack load_aligned(std::int64_t i) const { return source(i); }
  __device__ Pack operator()(std::int64_t i) const { return source(i); }
  template <class M>
  __device__ typename M::Value fold(const Pack& pack, std::int64_t, M) const {
    return pack;
  }
};

template <class S>
__device__ __forceinline__ auto as_packed(const S& source) {
  if constexpr (PackedSource<S>) {
    return source;
  } else {
    return SingleElements<S>{source};
  }
}

// How a pack is loaded: from any address; from an aligned address; aligned, and evicted first from the L2
// cache.
enum class Load { any, aligned, aligned_once };

template <Load How, class S>
__device__ __forceinline__ typename S::Pack load_pack(const S& source, std::int64_t pack) {
  const std::int64_t first = pack * S::pack_size;
  if constexpr (How == Load::any) {
    return source.load(first);
  } else if constexpr (How == Load::aligned_once && requires { source.load_once(first); }) {
    return source.load_once(first);
  } else {
    return source.load_aligned(first);
  }
}

// Combines the Unroll packs first, first + Threads, ... (those below `packs` when Guarded) in a tree. All
// loads are in flight before the first use. A load past the end repeats the last pack, since a conditional
// load would cost registers.
template <int Threads, int Unroll, Load How, bool Guarded, class S, class M>
__device__ __forceinline__ typename M::Value fold_group(const S& source, std::int64_t first,
                                                        std::int64_t packs, M monoid) {
  typename S::Pack pack[Unroll];
#pragma unroll
  for (int u = 0; u < Unroll; ++u) {
    const std::int64_t p = first + u * Threads;
    pack[u] = load_pack<How>(source, !Guarded || p < packs ? p : packs - 1);
  }
  typename M::Value v[Unroll];
#pragma unroll
  for (int u = 0; u < Unroll; ++u) {
    const std::int64_t p = first + u * Threads;
    v[u] = source.fold(pack[u], p * S::pack_size, monoid);
    if (Guarded && p >= packs) v[u] = monoid.identity();
  }
  return combine_tree(v, monoid);
}

// Adds one full tile to the accumulators of a thread. With a cheap monoid each of the Unroll packs has its
// own accumulator, so that the additions are independent; with an expensive one the packs are combined in a
// tree first.
template <class M, int Unroll>
inline constexpr int accumulators = is_expensive<M> ? 1 : Unroll;

template <int Threads, int Unroll, Load How, class S, class M>
__device__ __forceinline__ void fold_tile(const S& source, std::int64_t first, std::int64_t packs, M monoid,
                                          typename M::Value (&sum)[accumulators<M, Unroll>]) {
  if constexpr (is_expensive<M>) {
    sum[0] = monoid(sum[0], fold_group<Threads, Unroll, How, false>(source, first, packs, monoid));
  } else {
    typename S::Pack pack[Unroll];
#pragma unroll
    for (int u = 0; u < Unroll; ++u) pack[u] = load_pack<How>(source, first + u * Threads);
#pragma unroll
    for (int u = 0; u < Unroll; ++u)
      sum[u] = monoid(sum[u], source.fold(pack[u], (first + u * Threads) * S::pack_size, monoid));
  }
}

// When a range larger than the L2 cache is read repeatedly, its end evicts its beginning, and the cache is of
// no use. So only the first tiles are loaded normally and the others by load_once. A range that
// fits the cache is still found there, and a range that is read once evicts less of other data.
inline constexpr std::int64_t cached_packs = std::int64_t{3} << 19;  // 25 MB

// Combines the elements that one thread of logical block `block` owns.
template <int Threads, int Unroll, Load How, class S, class M>
__device__ __forceinline__ typename M::Value fold_tiles(const S& source, std::int64_t n, int block,
                                                        int blocks, M monoid) {
  constexpr std::int64_t tile_packs = std::int64_t{Threads} * Unroll;
  constexpr bool may_be_large = How == Load::aligned && tile_packs >= 4096;
  const std::int64_t packs = n / S::pack_size;
  const std::int64_t full_tiles = packs / tile_packs;
  typename M::Value sum[accumulators<M, Unroll>];
#pragma unroll
  for (auto& v : sum) v = monoid.identity();
  std::int64_t tile = block;
  const std::int64_t cached = may_be_large ? min(full_tiles, cached_packs / tile_packs) : full_tiles;
  for (; tile < cached; tile += blocks)
    fold_tile<Threads, Unroll, How>(source, tile * tile_packs + threadIdx.x, packs, monoid, sum);
  if constexpr (may_be_large) {
    for (; tile < full_tiles; tile += blocks)
      fold_tile<Threads, Unroll, Load::aligned_once>(source, tile * tile_packs + threadIdx.x, packs, monoid,
                                                     sum);
  }
  if (tile == full_tiles) {  // this block owns the last tile, which is not full
    const std::int64_t first = tile * tile_packs + threadIdx.x;
    if (first < packs)
      sum[0] = monoid(sum[0], fold_group<Threads, Unroll, How, true>(source, first, packs, monoid));
    const std::int64_t rest = packs * S::pack_size + threadIdx.x;  // elements that do not fill a pack
    if (rest < n) sum[0] = monoid(sum[0], source(rest));
  }
  return combine_tree(sum, monoid);
}

// When a grid allows the next grid of the stream to start: a large one at once, so that the blocks of the
// next grid fill free multiprocessors; a small one after its loads; one that reads 8 to 64 MB at its end.
// These were the fastest in measurements (bench/results/h200/trials.md).
enum class NextGrid { at_once, after_loads, at_end };

template <int Threads, int Unroll>
inline constexpr NextGrid next_grid = Unroll == 8              ? NextGrid::at_once
                                      : Threads* Unroll > 2048 ? NextGrid::at_end
                                                               : NextGrid::after_loads;

// The value of one logical block, valid in thread 0.
template <int Threads, int Unroll, class S, class M>
__device__ __forceinline__ typename M::Value reduce_tiles(const S& any_source, std::int64_t n, int block,
                                                          int blocks, M monoid) {
  const auto source = as_packed(any_source);
  const auto v = source.aligned()
                     ? fold_tiles<Threads, Unroll, Load::aligned>(source, n, block, blocks, monoid)
                     : fold_tiles<Threads, Unroll, Load::any>(source, n, block, blocks, monoid);
  if constexpr (next_grid<Threads, Unroll> == NextGrid::after_loads) let_next_grid_start();
  return block_reduce<Threads>(v, monoid);
}

// Combines the elements that one thread of the only block owns. Simpler than fold_tiles: every group is
// guarded.
template <int Threads, int Unroll, Load How, class S, class M>
__device__ __forceinline__ typename M::Value fold_in_one_block(const S& source, int n, M monoid) {
  const int packs = n / S::pack_size;
  typename M::Value sum = monoid.identity();
  for (int first = threadIdx.x; first < packs; first += Threads * Unroll)
    sum = monoid(sum, fold_group<Threads, Unroll, How, true>(source, first, packs, monoid));
  const int rest = packs * S::pack_size + threadIdx.x;
  if (rest < n) sum = monoid(sum, source(rest));
  return sum;
}

// A short range in one block: no tiles, no exchange between blocks. Most of the time is the launch and one
// access to the L2 cache.
template <int Threads, int Unroll, class S, class M>
__global__ void __launch_bounds__(Threads, 1024 / Threads)
    one_block_kernel(S any_source, int n, M monoid, typename M::Value* result) {
  let_next_grid_start();
  wait_for_previous_grid();
  const auto source = as_packed(any_source);
  const auto v = source.aligned() ? fold_in_one_block<Threads, Unroll, Load::aligned>(source, n, monoid)
                                  : fold_in_one_block<Threads, Unroll, Load::any>(source, n, monoid);
  const auto total = block_reduce<Threads>(v, monoid);
  if (threadIdx.x == 0) *result = total;
}

// A block owns the logical blocks blockIdx.x, + gridDim.x, ... and sends their values. The first warp of the
// last block of the grid, which is the last to start, collects them. No block waits for the collector, so
// that a grid of any size makes progress.
template <int Threads, int Unroll, class S, class M>
__global__ void __launch_bounds__(Threads, 1024 / Threads)
    single_pass_kernel(S source, std::int64_t n, M monoid, CollectorExchange<typename M::Value> exchange,
                       typename M::Value* result) {
  if constexpr (next_grid<Threads, Unroll> == NextGrid::at_once) let_next_grid_start();
  wait_for_previous_grid();
  const int blocks = exchange.slots;
  for (int block = blockIdx.x; block < blocks; block += gridDim.x) {
    const auto v = reduce_tiles<Threads, Unroll>(source, n, block, blocks, monoid);
    if (threadIdx.x == 0) exchange.send(block, v);
    if (block + gridDim.x < blocks) __syncthreads();  // shared memory is reused
  }
  if (blockIdx.x != gridDim.x - 1 || threadIdx.x >= 32) return;
  const auto total = collect(exchange, monoid);
  if (threadIdx.x == 0) *result = total;
}

// The same, but the Blocks blocks of a cluster first combine their values in the shared memory of its first
// block, and each cluster sends one value. Needs compute capability 9.0.
template <int Threads, int Unroll, int Blocks, class S, class M>
__global__ void __launch_bounds__(Threads, 1024 / Threads)
    cluster_kernel(S source, std::int64_t n, M monoid, CollectorExchange<typename M::Value> exchange,
                   typename M::Value* result) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  using Value = typename M::Value;
  const auto cluster = cooperative_groups::this_cluster();
  cluster.barrier_arrive();  // overlaps with the loads; after it the shared memory of every block exists
  wait_for_previous_grid();
  __shared__ Value of_block[Blocks];
  const int rank = static_cast<int>(cluster.block_rank());
  const int clusters = exchange.slots;
  const int grid_clusters = gridDim.x / Blocks;
  bool first = true;
  for (int c = blockIdx.x / Blocks; c < clusters; c += grid_clusters) {
    const Value v = reduce_tiles<Threads, Unroll>(source, n, c * Blocks + rank, clusters * Blocks, monoid);
    if (first) cluster.barrier_wait();
    first = false;
    if (threadIdx.x == 0) cluster.map_shared_rank(of_block, 0)[rank] = v;
    cluster.sync();
    if (rank == 0 && threadIdx.x < 32) {
      const Value total = warp_reduce<Blocks>(of_block[threadIdx.x % Blocks], monoid);
      if (threadIdx.x == 0) {
        if (clusters == 1) {
          *result = total;
        } else {
          exchange.send(c, total);
        }
      }
    }
    if (c + grid_clusters < clusters) cluster.sync();  // of_block is reused
  }
  if (clusters == 1 || rank != 0 || blockIdx.x / Blocks != grid_clusters - 1 || threadIdx.x >= 32) return;
  const Value total = collect(exchange, monoid);
  if (threadIdx.x == 0) *result = total;
#endif
}

}  // namespace triptych::reduction::detail
