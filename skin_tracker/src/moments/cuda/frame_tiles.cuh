// A region of a frame as tiles of 128 columns, each added up by one warp: the fast way.
//
// A lane owns 4 columns of its tile and goes down them in steps of 4 rows. What its pixels add up to, with
// places counted from the tile's own middle column and first row, fits 32 bits, and the 32 lanes are added up
// by one instruction for each 16-bit half of those that then could overflow: ten, where sums of 64 bits would
// take eighteen. The tile's place comes in last, in 64 bits. Compiles for the host too, where tests go
// through the same maths.
#pragma once

#include <bit>
#include <cstdint>

#include "moments/cuda/frame_pixels.cuh"

namespace triptych::skin_tracker {

namespace detail {

// The quotient by a fixed divisor, by one multiplication. With 2^(s-1) < d <= 2^s and m = ceil(2^(31+s) / d),
// which fits 32 bits, the quotient of n < 2^31 is (n m) >> (31 + s): m d = 2^(31+s) + e with 0 <= e < d <=
// 2^s, so that n m / 2^(31+s) exceeds n / d by (n e / 2^(31+s)) / d, less than 1 / d, and n / d is at least 1
// / d below the next whole number.
struct Divisor {
  std::uint32_t divisor = 1, factor = 0x80000000u;
  std::int32_t shift = 0;

  Divisor() = default;
  explicit Divisor(std::uint32_t d) : divisor(d) {
    shift = static_cast<int>(std::bit_width(d - 1));
    factor = static_cast<std::uint32_t>(((std::uint64_t{1} << (31 + shift)) + d - 1) / d);
  }
  // n / divisor for n below 2^31.
  TRIPTYCH_HD std::uint32_t quotient(std::uint32_t n) const {
#ifdef __CUDA_ARCH__
    return __umulhi(2 * n, factor) >> shift;
#else
    return static_cast<std::uint32_t>(std::uint64_t{2 * n} * factor >> 32) >> shift;
#endif
  }
};

}  // namespace detail

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

// The 32 lanes together. weight (2048 * 65535) and y (128 * 120 * 65535) stay below 2^31; of the others the
// lower 16 bits and the rest are added up each.
struct TileSums {
  TilePlace place;
  std::int32_t weight, y;
  std::int32_t x_low, x_high, xx_low, xx_high, xy_low, xy_high, yy_low, yy_high;
};

// Steps: so many times 4 rows make a tile.
template <class Layout, class Weights, int steps, Reading reading>
struct FrameTiles : FramePixels<Layout> {
  static_assert(steps == 1 || steps == 2 || steps == 4, "two steps take turns, a tile ends with the second");
  static constexpr int columns = 128;
  static constexpr int step_rows = 4;
  static constexpr int rows = steps * step_rows;
  static constexpr int lane_columns = 4;
  using Tile = TileSums;

  std::int32_t first_column = 0,
               first_row = 0;             // of the first tile: on a multiple of a lane's columns, of 2 rows
  std::int32_t whole_x = 0, whole_y = 0;  // tiles that begin from here on
  std::uint32_t whole_columns = 0, whole_rows = 0;  // and before these have all their pixels in the region
  std::int32_t tile_rows = 0;
  detail::Divisor tiles_a_row;
  Weights weights;

  template <Space space>
  FrameTiles(const BasicFrame<space>& frame, const Region& region, const Weights& pixel_weights)
      : FramePixels<Layout>(frame, region),
        first_column(region.x / lane_columns * lane_columns),
        first_row(region.y / 2 * 2),
        whole_x(region.x),
        whole_y(region.y),
        weights(pixel_weights) {
    if (this->is_empty()) return;
    tile_rows = (this->bottom - first_row + rows - 1) / rows;
    tiles_a_row =
        detail::Divisor(static_cast<std::uint32_t>((this->right - first_column + columns - 1) / columns));
    find_whole();
  }

  // After a change of aligned_loads.
  void find_whole() {
    const auto places = [this](int pixels, int of_tile) {
      return this->aligned_loads && pixels >= of_tile ? static_cast<std::uint32_t>(pixels - of_tile + 1) : 0;
    };
    whole_columns = places(this->right - this->left, columns);
    whole_rows = places(this->bottom - this->top, rows);
  }

  int tiles() const { return tile_rows * static_cast<int>(tiles_a_row.divisor); }

  TRIPTYCH_HD TilePlace place_of(int tile) const {
    const auto n = static_cast<std::uint32_t>(tile);
    const std::uint32_t row = tiles_a_row.quotient(n);
    return {first_column + static_cast<std::int32_t>((n - row * tiles_a_row.divisor) * columns),
            first_row + static_cast<std::int32_t>(row * rows)};
  }

  // What a lane has to know before it reads: its pixels of the first row, where the tile is whole.
  struct Start {
    TilePlace place;
    const std::uint8_t* pixels;
    bool whole;
  };
  TRIPTYCH_HD Start start_of(const TilePlace& place, int lane) const {
    const bool whole = static_cast<std::uint32_t>(place.x - whole_x) < whole_columns &&
                       static_cast<std::uint32_t>(place.y - whole_y) < whole_rows;
    return {place, this->pixels_at(place.x + lane_columns * lane, place.y), whole};
  }

  // What a lane reads for four rows.
  struct Step {
    std::uint32_t row[step_rows][Layout::words];
    std::uint32_t uv[step_rows / 2];
  };

  // Asks for the first step of a whole tile; the answer is not waited for. Formats of few bytes a pixel are
  // not bound by memory and gain nothing by it.
  static constexpr bool asks_ahead = Layout::words > 2;
  TRIPTYCH_HD void ask(const Start& start, int lane, Step& first) const {
    if (asks_ahead && start.whole)
      load_step(start.pixels, start.place.x + lane_columns * lane, start.place.y, first);
  }

  // What a lane's pixels add up to, the first step having been asked for; asks for that of the next tile, if
  // there is one more.
  TRIPTYCH_HD LaneSums of_lane(const Start& start, int lane, Step& first, const Start& next,
                               bool more) const {
    const TilePlace& place = start.place;
    const std::int32_t x = place.x + lane_columns * lane;
    const std::int32_t from_middle = lane_columns * lane - columns / 2;
    LaneSums sums;
    if (start.whole && steps == 1) {
      if (!asks_ahead) load_step(start.pixels, x, place.y, first);
      fold(first, from_middle, 0, sums);
      if (more) ask(next, lane, first);
    } else if (start.whole) {
      Step second;  // one is read while the other is added up
      if (!asks_ahead) load_step(start.pixels, x, place.y, first);
      TRIPTYCH_UNROLL
      for (int s = 0; s < steps; s += 2) {
        load_step_of(start, x, s + 1, second);
        fold(first, from_middle, s * step_rows, sums);
        if (s + 2 < steps) {
          load_step_of(start, x, s + 2, first);
        } else if (more) {
          ask(next, lane, first);
        }
        fold(second, from_middle, (s + 1) * step_rows, sums);
      }
    } else {
      for (int s = 0; s < steps; ++s) add_step(x, place, from_middle, s * step_rows, sums);
      if (more) ask(next, lane, first);
    }
    return sums;
  }

  // One of the six sums over a tile, in the order of Sums, with places counted from the frame's middle.
  TRIPTYCH_HD std::uint64_t sum_of(const TileSums& t, int which) const {
    const std::int64_t middle = t.place.x + columns / 2 - this->width / 2;
    const std::int64_t top_row = t.place.y - this->height / 2;
    const std::int64_t x = together(t.x_low, t.x_high);
    const std::int64_t sum_x = x + middle * t.weight;
    const std::int64_t sum_y = t.y + top_row * t.weight;
    std::int64_t sum = 0;
    switch (which) {
      case 0:
        sum = t.weight;
        break;
      case 1:
        sum = sum_x;
        break;
      case 2:
        sum = sum_y;
        break;
      case 3:
        sum = together(t.xx_low, t.xx_high) + middle * (x + sum_x);
        break;
      case 4:
        sum = together(t.xy_low, t.xy_high) + middle * t.y + top_row * sum_x;
        break;
      default:
        sum = together(t.yy_low, t.yy_high) + top_row * (t.y + sum_y);
    }
    return static_cast<std::uint64_t>(sum);
  }

#ifdef __CUDACC__
  using Ahead = Step;
  __device__ __forceinline__ Start start(int tile) const;
  __device__ __forceinline__ void ask(const Start& start, Ahead& ahead) const {
    ask(start, static_cast<int>(threadIdx.x % 32), ahead);
  }
  // By all lanes of a warp, the same in all.
  __device__ __forceinline__ TileSums add_up(const Start& start, Ahead& ahead, const Start& next,
                                             bool more) const;
#endif

 private:
  TRIPTYCH_HD static std::int64_t together(std::int32_t low, std::int32_t high) {
    return std::int64_t{high} * 65536 + low;
  }

  TRIPTYCH_HD void load_step(const std::uint8_t* pixels, std::int32_t x, std::int32_t y, Step& step) const {
    TRIPTYCH_UNROLL
    for (int r = 0; r < step_rows; ++r, pixels += this->pitch)
      detail::load_words<reading>(pixels, step.row[r]);
    TRIPTYCH_UNROLL
    for (int r = 0; r < step_rows / 2; ++r) step.uv[r] = this->template load_chroma<reading>(x, y + 2 * r);
  }

  TRIPTYCH_HD void load_step_of(const Start& start, std::int32_t x, int which, Step& step) const {
    const int row = which * step_rows;
    load_step(start.pixels + std::int64_t{row} * this->pitch, x, start.place.y + row, step);
  }

  TRIPTYCH_HD void weigh(const std::uint32_t (&row)[Layout::words], std::uint32_t uv,
                         std::uint32_t (&w)[lane_columns]) const {
    TRIPTYCH_UNROLL
    for (int k = 0; k < lane_columns; ++k) w[k] = weights.template of<Layout>(Layout::pixel(row, uv, k));
  }

  // A step of a tile that sticks out of the region, or of a frame whose loads are not aligned.
  TRIPTYCH_HD void add_step(std::int32_t x, const TilePlace& place, std::int32_t from_middle,
                            int first_row_of_step, LaneSums& sums) const {
    const std::int32_t y = place.y + first_row_of_step;
    if (y >= this->bottom) return;
    const bool whole = static_cast<std::uint32_t>(place.x - whole_x) < whole_columns && y >= this->top &&
                       y + step_rows <= this->bottom;
    if (whole) {
      Step step;
      load_step(this->pixels_at(x, y), x, y, step);
      fold(step, from_middle, first_row_of_step, sums);
    } else {
      std::uint32_t w[step_rows][lane_columns];
      TRIPTYCH_UNROLL
      for (int r = 0; r < step_rows; ++r) weigh_guarded(x, y + r, w[r]);
      fold(w, from_middle, first_row_of_step, sums);
    }
  }

  TRIPTYCH_HD void weigh_guarded(std::int32_t x, std::int32_t y, std::uint32_t (&w)[lane_columns]) const {
    std::uint32_t row[Layout::words] = {}, uv = 0;
    const bool row_counts = y >= this->top && y < this->bottom && x < this->right;
    if (row_counts) {
      this->template load_row_guarded<reading>(x, y, row);
      uv = this->template load_chroma_guarded<reading>(x, y);
    }
    weigh(row, uv, w);
    TRIPTYCH_UNROLL
    for (int k = 0; k < lane_columns; ++k) {
      if (!row_counts || x + k < this->left || x + k >= this->right) w[k] = 0;
    }
  }

  TRIPTYCH_HD void fold(const Step& step, std::int32_t from_middle, std::int32_t offset,
                        LaneSums& sums) const {
    std::uint32_t w[step_rows][lane_columns];
    TRIPTYCH_UNROLL
    for (int r = 0; r < step_rows; ++r) weigh(step.row[r], step.uv[r / 2], w[r]);
    fold(w, from_middle, offset, sums);
  }

  // Adds a step whose first row is the tile's row `offset`; the lane's first column lies `from_middle` right
  // of the tile's middle one. First down the columns, whose rows' places are constants, then along the four,
  // then the lane's and the step's own place.
  TRIPTYCH_HD static void fold(const std::uint32_t (&w)[step_rows][lane_columns], std::int32_t from_middle,
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
    const std::uint32_t xx = (c0[1] + 4 * c0[2] + 9 * c0[3]) + static_cast<std::uint32_t>(from_middle) *
                                                                   static_cast<std::uint32_t>(local_x + x);
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
};

#ifdef __CUDACC__

namespace detail {

__device__ __forceinline__ int sum_of_lanes(int v) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(~0u, v);
#else
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_xor_sync(~0u, v, offset);
  return v;
#endif
}

}  // namespace detail

template <class Layout, class Weights, int steps, Reading reading>
__device__ __forceinline__ auto FrameTiles<Layout, Weights, steps, reading>::start(int tile) const -> Start {
  return start_of(place_of(tile), static_cast<int>(threadIdx.x % 32));
}

template <class Layout, class Weights, int steps, Reading reading>
__device__ __forceinline__ TileSums FrameTiles<Layout, Weights, steps, reading>::add_up(const Start& start,
                                                                                        Ahead& ahead,
                                                                                        const Start& next,
                                                                                        bool more) const {
  const LaneSums lane = of_lane(start, static_cast<int>(threadIdx.x % 32), ahead, next, more);
  TileSums t;
  t.place = start.place;
  t.weight = detail::sum_of_lanes(static_cast<int>(lane.weight));
  t.y = detail::sum_of_lanes(lane.y);
  t.x_low = detail::sum_of_lanes(lane.x & 0xffff);
  t.x_high = detail::sum_of_lanes(lane.x >> 16);
  t.xx_low = detail::sum_of_lanes(static_cast<int>(lane.xx_low));
  t.xx_high = detail::sum_of_lanes(static_cast<int>(lane.xx_high));
  t.xy_low = detail::sum_of_lanes(lane.xy & 0xffff);
  t.xy_high = detail::sum_of_lanes(lane.xy >> 16);
  t.yy_low = detail::sum_of_lanes(lane.yy & 0xffff);
  t.yy_high = detail::sum_of_lanes(lane.yy >> 16);
  return t;
}

#endif

}  // namespace triptych::skin_tracker
