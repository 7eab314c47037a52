// A source of tiles whose sums are known.
#pragma once

#include <cstdint>

namespace triptych::test {

// Sum k of tile t of item i is (t + 1) (k + 3) + i, with a large part that exceeds 32 bits.
constexpr std::uint64_t large = (std::uint64_t{1} << 41) + 12345;

struct Numbers {
  static constexpr int words = 3;
  static constexpr int threads = 128;
  static constexpr int blocks_per_multiprocessor = 2;

  struct Item {
    struct Tile {
      int number;
    };
    struct Prefetched {};
    int index;

    __device__ int start(int tile) const { return tile; }
    __device__ void prefetch(int, Prefetched&) const {}
    __device__ Tile sum_tile(int start, Prefetched&, int, bool) const { return {start}; }
    __device__ std::uint64_t sum_of(const Tile& tile, int k) const {
      return static_cast<std::uint64_t>(tile.number + 1) * static_cast<std::uint64_t>(k + 3) * large +
             static_cast<std::uint64_t>(index);
    }
  };
  __device__ Item item(int i) const { return {i}; }
};

// Of the tiles [first, end).
inline std::uint64_t expected(int first, int end, int item, int k) {
  std::uint64_t sum = 0;
  for (int t = first; t < end; ++t)
    sum += static_cast<std::uint64_t>(t + 1) * static_cast<std::uint64_t>(k + 3) * large +
           static_cast<std::uint64_t>(item);
  return sum;
}

}  // namespace triptych::test
