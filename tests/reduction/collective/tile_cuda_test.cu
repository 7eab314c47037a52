// Sums over tiles whose values are known: any number of tiles and items.
#include <triptych/core/buffer.hpp>
#include <triptych/core/stream.hpp>
#include <triptych/reduction/collective/tile.cuh>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "reduction/collective/numbered_tiles.cuh"
#include "testing/gpu.hpp"

namespace triptych::reduction {
namespace {

using test::expected;
using test::Numbers;

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
      for (int repeat = 0; repeat < 2;
           ++repeat) {  // the second call must not read flagged words of the first
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

struct OneChanged : Numbers {
  __device__ Item item(int i) const { return {i == 1 ? i + 1 : i}; }
};

TEST_F(TileSumsCuda, AChangedItemChangesItsSumsAlone) {
  Stream stream;
  Workspace workspace;
  constexpr int items = 3, tiles = 127;
  DeviceBuffer<std::uint64_t> sums(items * Numbers::words);
  sum_tiles_cuda(OneChanged{}, tiles, items, sums.data(), 0, workspace, stream);
  std::vector<std::uint64_t> host(static_cast<std::size_t>(sums.size()));
  copy_to_host(DeviceSpan<const std::uint64_t>(sums.span()), std::span(host), stream);
  stream.synchronize();
  for (int i = 0; i < items; ++i) {
    for (int k = 0; k < Numbers::words; ++k)
      EXPECT_EQ(host[static_cast<std::size_t>(i * Numbers::words + k)] == expected(0, tiles, i, k), i != 1);
  }
}

}  // namespace
}  // namespace triptych::reduction
