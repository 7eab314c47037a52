// The sums over a tile of 128 columns, 4 to each lane of a warp.
//
// What a lane's pixels add up to, with places counted from the tile's own middle column and first row, fits
// 32 bits, and the 32 lanes are added up by one instruction for each 16-bit half of those that then could
// overflow: ten, where sums of 64 bits would take eighteen. The tile's position is added last, in 64 bits.
// Compiles for the host too, where tests go through the same maths.
#pragma once

#include <triptych/core/host_device.hpp>
#ifdef __CUDACC__
#include <triptych/reduction/collective/warp.cuh>
#endif

#include <cstdint>

namespace triptych::skin_tracker {

inline constexpr int tile_columns = 128, lane_columns = 4, step_rows = 4;

// Where a tile begins.
struct TilePlace {
  std::int32_t x, y;
};

// What one lane's pixels of a tile add up to: x counts from the tile's column 64, y from its first row.
// Weights are at most 65535 and a tile has up to 16 rows, so that the largest magnitudes are, with 250 = 64 +
// 63 + 62 + 61 for the four outermost columns, 120 = 1 + ... + 15 and 1240 = 1 + 4 + ... + 225:
//   x 16 * 250 * 65535, y 4 * 120 * 65535, xy 120 * 250 * 65535, yy 4 * 1240 * 65535, all below 2^31.
// xx of one step is up to 4 * (64^2 + 63^2 + 62^2 + 61^2) * 65535 < 2^32: it is kept in two halves.
struct LaneSums {
  std::uint32_t weight = 0, xx_low = 0, xx_high = 0;
  std::int32_t x = 0, y = 0, xy = 0, yy = 0;
};

// Adds a step whose first row is the tile's row `offset`; the lane's first column lies `from_middle` right
// of the tile's middle one. First down the columns, whose rows' places are constants, then along the four,
// then the lane's and the step's own place.
TRIPTYCH_INLINE_HD void fold_step(const std::uint32_t (&w)[step_rows][lane_columns], std::int32_t from_middle,
                                  std::int32_t offset, LaneSums& sums) {
  std::uint32_t c0[lane_columns], c1[lane_columns], c2[lane_columns];
  TRIPTYCH_UNROLL
  for (int k = 0; k < lane_columns; ++k) {
    c0[k] = w[0][k] + w[1][k] + w[2][k] + w[3][k];
    c1[k] = w[1][k] + 2 * w[2][k] + 3 * w[3][k];
    c2[k] = w[1][k] + 4 * w[2][k] + 9 * w[3][k];
  }
  const std::uint32_t weight = c0[0] + c0[1] + c0[2] + c0[3];
  const auto local_x = static_cast<std::int32_t>(c0[1] + 2 * c0[2] + 3 * c0[3]);
  const std::int32_t x = local_x + from_middle * static_cast<std::int32_t>(weight);
  const std::uint32_t xx = (c0[1] + 4 * c0[2] + 9 * c0[3]) +
                           static_cast<std::uint32_t>(from_middle) * static_cast<std::uint32_t>(local_x + x);
  const auto local_y = static_cast<std::int32_t>(c1[0] + c1[1] + c1[2] + c1[3]);
  const std::int32_t y = local_y + offset * static_cast<std::int32_t>(weight);
  const std::int32_t xy = static_cast<std::int32_t>(c1[1] + 2 * c1[2] + 3 * c1[3]) + from_middle * local_y;
  const auto yy = static_cast<std::int32_t>(c2[0] + c2[1] + c2[2] + c2[3]);
  sums.weight += weight;
  sums.x += x;
  sums.xx_low += xx & 0xffffu;
  sums.xx_high += xx >> 16;
  sums.y += y;
  sums.xy += xy + offset * x;
  sums.yy += yy + offset * (local_y + y);
}
// Sums over the 32 lanes. weight (2048 * 65535) and y (128 * 120 * 65535) stay below 2^31; of the others the
// lower 16 bits and the rest are added up each.
struct TileSums {
  TilePlace place;
  std::int32_t weight, y;
  std::int32_t x_low, x_high, xx_low, xx_high, xy_low, xy_high, yy_low, yy_high;

  // One of the six sums over the tile, in the order of Moments, with places counted from the middle of a
  // frame of that size.
  TRIPTYCH_HD std::uint64_t sum(int which, std::int32_t width, std::int32_t height) const {
    const std::int64_t middle = place.x + tile_columns / 2 - width / 2;
    const std::int64_t top_row = place.y - height / 2;
    const std::int64_t x = wide_sum(x_low, x_high);
    const std::int64_t sum_x = x + middle * weight;
    const std::int64_t sum_y = y + top_row * weight;
    std::int64_t sum = 0;
    switch (which) {
      case 0:
        sum = weight;
        break;
      case 1:
        sum = sum_x;
        break;
      case 2:
        sum = sum_y;
        break;
      case 3:
        sum = wide_sum(xx_low, xx_high) + middle * (x + sum_x);
        break;
      case 4:
        sum = wide_sum(xy_low, xy_high) + middle * y + top_row * sum_x;
        break;
      default:
        sum = wide_sum(yy_low, yy_high) + top_row * (y + sum_y);
    }
    return static_cast<std::uint64_t>(sum);
  }

 private:
  TRIPTYCH_HD static std::int64_t wide_sum(std::int32_t low, std::int32_t high) {
    return std::int64_t{high} * 65536 + low;
  }
};

#ifdef __CUDACC__

// By all lanes of a warp, the same in all.
__device__ __forceinline__ TileSums add_lanes(const TilePlace& place, const LaneSums& lane) {
  using reduction::warp_sum;
  TileSums t;
  t.place = place;
  t.weight = warp_sum(static_cast<int>(lane.weight));
  t.y = warp_sum(lane.y);
  t.x_low = warp_sum(lane.x & 0xffff);
  t.x_high = warp_sum(lane.x >> 16);
  t.xx_low = warp_sum(static_cast<int>(lane.xx_low));
  t.xx_high = warp_sum(static_cast<int>(lane.xx_high));
  t.xy_low = warp_sum(lane.xy & 0xffff);
  t.xy_high = warp_sum(lane.xy >> 16);
  t.yy_low = warp_sum(lane.yy & 0xffff);
  t.yy_high = warp_sum(lane.yy >> 16);
  return t;
}

#endif

}  // namespace triptych::skin_tracker
