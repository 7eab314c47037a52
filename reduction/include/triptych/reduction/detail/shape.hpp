// The grid of a range, from its size alone, so that the order of combination is the same on every device.
#pragma once

#include <algorithm>
#include <cstdint>

namespace triptych::reduction::detail {

// single_pass: threads per block x packs in flight per thread, and the number of blocks. The sizes at which
// the kernel changes are the crossing points of measured times on an H200 (bench/results). A pack is 16
// bytes.
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

// count / size, rounded up; count >= 0, size >= 1. The sum count + size - 1 could overflow.
constexpr std::int64_t divide_up(std::int64_t count, std::int64_t size) {
  return count / size + (count % size != 0);
}

constexpr PassShape pass_shape(std::int64_t packs) {
  const auto blocks = [packs](std::int64_t tile, std::int64_t max_blocks) {
    return static_cast<int>(std::clamp<std::int64_t>(divide_up(packs, tile), 1, max_blocks));
  };
  if (packs <= 1024) return {PassKind::one_block_256, 1};
  if (packs <= 4096) return {PassKind::one_block_512, 1};
  if (packs <= 32768) return {PassKind::tiles_256x1, blocks(256, 128)};
  if (packs <= 65536) return {PassKind::tiles_256x2, blocks(512, 128)};
  if (packs <= 524288) return {PassKind::tiles_1024x2, blocks(2048, 128)};
  if (packs <= 4194304) return {PassKind::tiles_1024x4, blocks(4096, 128)};
  return {PassKind::tiles_512x8, 256};
}

// cluster: clusters of 8 blocks of 512 threads with 2 packs in flight per thread.
inline constexpr int cluster_blocks = 8;
inline constexpr int cluster_threads = 512;
inline constexpr int cluster_unroll = 2;

constexpr int cluster_count(std::int64_t packs) {
  constexpr std::int64_t tile = std::int64_t{cluster_blocks} * cluster_threads * cluster_unroll;
  return static_cast<int>(std::clamp<std::int64_t>(divide_up(packs, tile), 1, 32));
}

// The strategies of ladder.cuh: one element per thread up to max_partials blocks; grid stride with at most
// strided_blocks. The shared atomics of grid_stride_atomic contend, so that fewer blocks are faster up to
// 2^22 elements.
inline constexpr int max_partials = 65536;
inline constexpr int strided_blocks = 1024;

constexpr int strided_atomic_blocks(std::int64_t n) { return n <= (1 << 22) ? 132 : strided_blocks; }

constexpr int ladder_blocks(std::int64_t n, int threads, int max_blocks) {
  return static_cast<int>(std::clamp<std::int64_t>(divide_up(n, threads), 1, max_blocks));
}

}  // namespace triptych::reduction::detail
