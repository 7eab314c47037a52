// For .cu files: several 64-bit integer sums over tiles, in one launch.
//
// For a source whose elements lie in two dimensions, or that has too many sums for shuffles. The source sums
// a tile with a whole warp; sum_tiles_cuda combines the warps of a block and the blocks of a grid. A source S
// has
//   static constexpr int words;                            the number of sums
//   static constexpr int threads, blocks_per_multiprocessor;
//   __device__ Item item(int i) const;                     one of several equal ranges (a batch)
// and Item has
//   using Tile = ...;                                      trivial: the sums of a tile
//   using Prefetched = ...;                                data of a tile that was loaded early
//   __device__ Start start(int tile) const;                where a lane begins to read
//   __device__ void prefetch(Start start, Prefetched& prefetched) const;
//                                      issues the first loads of a tile
//   __device__ Tile sum_tile(Start start, Prefetched& prefetched, Start next, bool more) const;
//                                      called by all lanes of a warp; the same result in all lanes;
//                                      prefetches the next tile when more is true
//   __device__ std::uint64_t sum_of(const Tile& tile, int k) const;  sum k of the tile
// item and start run before the previous grid has ended: they must not read data that other kernels write.
// Sums wrap around modulo 2^64; any order gives the same bits.
#pragma once

#include <triptych/core/cuda.cuh>
#include <triptych/core/error.hpp>
#include <triptych/core/workspace.hpp>
#include <triptych/reduction/collective/grid.cuh>
#include <triptych/reduction/detail/kernel_arch.cuh>
#include <triptych/reduction/detail/single_pass.cuh>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace triptych::reduction {

namespace detail {

// Called by a warp: sums the tiles first, first + step, ... below end, at least one; start belongs to the
// first. Returns the last tile and adds the others to `sum`, which is in shared memory to save registers.
template <int words, class Item, class Start>
__device__ __forceinline__ typename Item::Tile add_up_tiles(const Item& item, Start start, int first,
                                                            int step, int end, std::uint64_t* sum) {
  const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
  for (int k = 0; lane == 0 && k < words; ++k) sum[k] = 0;
  typename Item::Prefetched prefetched;
  item.prefetch(start, prefetched);
  typename Item::Tile last;
  int tile = first;
#pragma unroll 1
  while (true) {
    tile += step;
    const bool more = tile < end;
    const auto next = item.start(tile);
    last = item.sum_tile(start, prefetched, next, more);
    if (!more) break;
#pragma unroll
    for (int k = 0; lane == 0 && k < words; ++k) sum[k] += item.sum_of(last, k);
    start = next;
  }
  return last;
}

// Warp w of the item owns the tiles w, w + warps, ... Then each of the first S::words warps of a block owns
// one sum: over the warps of the block and, in the last block of the item, over its blocks. With one tile per
// warp, the usual case, no warp holds all sums.
template <class S>
__global__ void __launch_bounds__(S::threads, S::blocks_per_multiprocessor)
    tile_sums_kernel(S source, int tiles, std::uint64_t* words, std::uint64_t* result) {
  constexpr int warps = S::threads / 32;
  static_assert(S::words <= warps);
  const auto item = source.item(static_cast<int>(blockIdx.y));
  using Item = std::remove_cvref_t<decltype(item)>;
  using Tile = typename Item::Tile;
  __shared__ Tile last_tile[warps];
  __shared__ std::uint64_t before[warps][S::words];
  const int warp = static_cast<int>(threadIdx.x / 32);
  const int lane = static_cast<int>(threadIdx.x % 32);
  const auto block = static_cast<int>(blockIdx.x);
  const auto blocks = static_cast<int>(gridDim.x);
  const int tile = block * warps + warp;
  const auto start = item.start(tile);
  wait_for_previous_grid();
  if (tile < tiles) {
    const Tile sums = add_up_tiles<S::words>(item, start, tile, blocks * warps, tiles, before[warp]);
    if (lane == 0) last_tile[warp] = sums;
  }
  let_next_grid_start();
  __syncthreads();
  if (warp >= S::words) return;
  const SumWords add;
  const int owned = static_cast<int>(blockIdx.y) * S::words + warp;
  std::uint64_t v = 0;
  if (lane < warps && block * warps + lane < tiles) {
    v = item.sum_of(last_tile[lane], warp) + before[lane][warp];
  }
  v = warp_reduce<32>(v, add);
  if (blocks > 1) {
    const CollectorExchange<std::uint64_t> exchange{
        words + std::int64_t{owned} * CollectorExchange<std::uint64_t>::words * blocks, blocks};
    if (lane == 0) exchange.send(block, v);
    if (block != blocks - 1) return;
    v = collect(exchange, add);
  }
  if (lane == 0) result[owned] = v;
}

}  // namespace detail

// Enqueues and returns: result[item * S::words + k] is valid after this work on the stream has finished. No
// synchronisation, no allocation once the workspace has been reserved; can be captured in a graph.
template <class S>
void sum_tiles_cuda(const S& source, int tiles, int items, std::uint64_t* result, int max_blocks,
                    Workspace& workspace, StreamRef stream) {
  constexpr auto kernel = detail::tile_sums_kernel<S>;
  constexpr int warps = S::threads / 32;
  // One wave, shared by the items: the blocks of a second wave would run on a nearly empty GPU. The fewest
  // blocks that keep the largest number of tiles per warp. Each block needs its own flagged words.
  constexpr int words_per_block = 2 * CollectorExchange<std::uint64_t>::words * S::words;
  constexpr int max_flagged_blocks = (Workspace::ticket_count - flagged_words_offset) / words_per_block;
  require(items >= 1 && items <= max_flagged_blocks, "cannot sum ", items, " ranges in one launch, at most ",
          max_flagged_blocks);
  const int wave = std::min(max_flagged_blocks, detail::multiprocessors() * S::blocks_per_multiprocessor);
  const int blocks_per_item = std::max(1, wave / items);
  const int tiles_per_warp = std::max(1, (tiles + blocks_per_item * warps - 1) / (blocks_per_item * warps));
  int blocks = std::max(1, (tiles + tiles_per_warp * warps - 1) / (tiles_per_warp * warps));
  if (max_blocks > 0) blocks = std::min(blocks, max_blocks);
  workspace.reserve(0, stream);
  auto* words = reinterpret_cast<std::uint64_t*>(workspace.tickets() + flagged_words_offset);
  LaunchShape shape{dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(items)), S::threads};
  shape.overlap = true;
  launch(kernel, shape, stream, source, tiles, words, result);
}

}  // namespace triptych::reduction
