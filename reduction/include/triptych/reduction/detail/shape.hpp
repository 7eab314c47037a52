// How large a grid a range gets, from its size alone, so that the order of combining is the same on every
// device.
#pragma once

#include <algorithm>
#include <cstdint>

namespace triptych::reduction::detail {

// single_pass: threads a block, packs in flight a thread, blocks. The steps are where the kernels' measured
// times cross on an H200 (bench/results); a pack is 16 bytes.
enum class PassKind {
  one_block_256,
  one_block_512,
  tiles_256x1,
  tiles_256x2,
  tiles_1024x2,
  tiles_1024x4,
  tiles_512x8
};

struct PassShape {
  PassKind kind;
  int blocks;
};

constexpr PassShape pass_shape(std::int64_t packs) {
  const auto deal = [packs](std::int64_t tile, std::int64_t most) {
    return static_cast<int>(std::clamp<std::int64_t>((packs + tile - 1) / tile, 1, most));
  };
  if (packs <= 1024) return {PassKind::one_block_256, 1};
  if (packs <= 4096) return {PassKind::one_block_512, 1};
  if (packs <= 32768) return {PassKind::tiles_256x1, deal(256, 128)};
  if (packs <= 65536) return {PassKind::tiles_256x2, deal(512, 128)};
  if (packs <= 524288) return {PassKind::tiles_1024x2, deal(2048, 128)};
  if (packs <= 4194304) return {PassKind::tiles_1024x4, deal(4096, 128)};
  return {PassKind::tiles_512x8, 256};
}

// cluster: the number of clusters of 8 blocks of 512 threads with 2 packs in flight.
inline constexpr int cluster_blocks = 8;
inline constexpr int cluster_threads = 512;
inline constexpr int cluster_unroll = 2;

constexpr int cluster_count(std::int64_t packs) {
  constexpr std::int64_t tile = std::int64_t{cluster_blocks} * cluster_threads * cluster_unroll;
  return static_cast<int>(std::clamp<std::int64_t>((packs + tile - 1) / tile, 1, 32));
}

// The rungs of the ladder: one element a thread up to max_partials blocks; grid stride with at most
// strided_blocks. Where each thread adds to one word of shared memory those additions queue up, and few
// blocks are faster until reading takes longer than that.
inline constexpr int max_partials = 65536;
inline constexpr int strided_blocks = 1024;

constexpr int strided_atomic_blocks(std::int64_t n) { return n <= (1 << 22) ? 132 : strided_blocks; }

constexpr int ladder_blocks(std::int64_t n, int threads, int most) {
  return static_cast<int>(std::clamp<std::int64_t>((n + threads - 1) / threads, 1, most));
}

}  // namespace triptych::reduction::detail
