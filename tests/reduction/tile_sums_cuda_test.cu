// Sums over tiles whose values are known: any number of tiles and items, and ranges that the host watches.
#include <triptych/reduction/tile_sums.cuh>

#include <gtest/gtest.h>
#include <triptych/core/buffer.hpp>
#include <triptych/core/stream.hpp>

#include <cstdint>
#include <vector>

#include "support/gpu.hpp"

namespace triptych::reduction {
namespace {

// Tile t of item i is worth (t + 1) (k + 3) + i for sum k, with a large part that crosses 32 bits.
constexpr std::uint64_t large = (std::uint64_t{1} << 41) + 12345;

struct Numbers {
  static constexpr int words = 3;
  static constexpr int threads = 128;
  static constexpr int blocks_a_multiprocessor = 2;

  struct Item {
    struct Tile {
      int number;
    };
    struct Ahead {};
    int index;

    __device__ int start(int tile) const { return tile; }
    __device__ void ask(int, Ahead&) const {}
    __device__ Tile add_up(int start, Ahead&, int, bool) const { return {start}; }
    __device__ std::uint64_t sum_of(const Tile& tile, int k) const {
      return static_cast<std::uint64_t>(tile.number + 1) * static_cast<std::uint64_t>(k + 3) * large +
             static_cast<std::uint64_t>(index);
    }
  };
  __device__ Item item(int i) const { return {i}; }
};

// Of the tiles [first, end).
std::uint64_t expected(int first, int end, int item, int k) {
  std::uint64_t sum = 0;
  for (int t = first; t < end; ++t)
    sum += static_cast<std::uint64_t>(t + 1) * static_cast<std::uint64_t>(k + 3) * large +
           static_cast<std::uint64_t>(item);
  return sum;
}

class TileSumsCuda : public testing::Test {
 protected:
  void SetUp() override { TRIPTYCH_REQUIRE_CUDA_OR_SKIP(); }
};

TEST_F(TileSumsCuda, AnyNumberOfTilesAndItems) {
  Stream stream;
  Workspace workspace;
  for (const int items : {1, 2, 7}) {
    for (const int tiles : {1, 3, 4, 5, 127, 1056, 1057, 5003}) {
      SCOPED_TRACE(testing::Message() << tiles << " tiles, " << items << " items");
      DeviceBuffer<std::uint64_t> sums(std::int64_t{items} * Numbers::words);
      for (int repeat = 0; repeat < 2; ++repeat) {  // the mail of one call is not that of the next
        sum_tiles_cuda(Numbers{}, tiles, items, sums.data(), repeat == 0 ? 0 : 3, workspace, stream);
        std::vector<std::uint64_t> host(static_cast<std::size_t>(sums.size()));
        copy_to_host(DeviceSpan<const std::uint64_t>(sums.span()), std::span(host), stream);
        stream.synchronize();
        for (int i = 0; i < items; ++i) {
          for (int k = 0; k < Numbers::words; ++k)
            EXPECT_EQ(host[static_cast<std::size_t>(i * Numbers::words + k)], expected(0, tiles, i, k));
        }
      }
    }
  }
}

TEST_F(TileSumsCuda, RangesComeWithTheCallsNumber) {
  constexpr int stride = 8;
  Stream stream;
  const std::vector<std::uint32_t> none(2);
  DeviceBuffer<std::uint32_t> taken(2);
  copy_to_device(std::span<const std::uint32_t>(none), taken.span(), stream);
  std::uint32_t number = 0xfffffffe;  // the number may wrap around
  for (const int ranges : {1, 2, 5, 40}) {
    for (const int tiles_a_range : {1, 3, 4, 5, 11}) {
      SCOPED_TRACE(testing::Message() << ranges << " ranges of " << tiles_a_range);
      PinnedBuffer<std::uint64_t> letters(std::int64_t{ranges} * stride);
      PinnedBuffer<std::uint32_t> over(std::int64_t{ranges} * over_stride);
      std::fill_n(letters.data(), letters.size(), 0x5555);
      std::fill_n(over.data(), over.size(), number);  // of the call before this one
      ++number;
      sum_tile_ranges_cuda(Numbers{}, tiles_a_range, ranges,
                           {number, over.data(), taken.data(), letters.data(), stride, 3}, stream);
      stream.synchronize();
      for (int r = 0; r < ranges; ++r) {
        const std::uint64_t* const letter = letters.data() + r * stride;
        for (int k = 0; k < Numbers::words; ++k) {
          EXPECT_EQ(letter[2 * k] >> 32, number);
          EXPECT_EQ(letter[2 * k + 1] >> 32, number);
          EXPECT_EQ((letter[2 * k] & 0xffffffffu) | letter[2 * k + 1] << 32,
                    expected(r * tiles_a_range, (r + 1) * tiles_a_range, 0, k));
        }
        EXPECT_EQ(letter[6], 0x5555u);  // nothing else is written
        EXPECT_EQ(letter[7], 0x5555u);
      }
    }
  }
}

}  // namespace
}  // namespace triptych::reduction
