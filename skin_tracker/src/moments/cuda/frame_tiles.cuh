// A region of a frame as tiles of 128 columns, one warp per tile: the fast source of moments. A lane owns 4
// columns of its tile and processes them in steps of 4 rows. Compiles for the host too.
#pragma once

#include <cstdint>

#include "moments/cuda/divisor.hpp"
#include "moments/cuda/frame_pixels.cuh"
#include "moments/cuda/tile_sums.cuh"

namespace triptych::skin_tracker {

// A tile has 4 * steps rows.
template <class Layout, class Weights, int steps, Reading reading>
struct FrameTiles : FramePixels<Layout> {
  static_assert(steps == 2 || steps == 4, "two steps take turns, a tile ends with the second");
  static constexpr int rows = steps * step_rows;
  using Tile = TileSums;

  std::int32_t first_column = 0,
               first_row = 0;             // of the first tile: on a multiple of a lane's columns, of 2 rows
  std::int32_t whole_x = 0, whole_y = 0;  // tiles that begin from here on
  std::uint32_t whole_columns = 0, whole_rows = 0;  // and before these have all their pixels in the region
  std::int32_t tile_rows = 0;
  detail::Divisor tiles_per_row;
  Weights weights;

  template <Space space>
  FrameTiles(const BasicFrame<space>& frame, const PixelBox& region, const Weights& pixel_weights)
      : FramePixels<Layout>(frame, region),
        first_column(region.x / lane_columns * lane_columns),
        first_row(region.y / 2 * 2),
        whole_x(region.x),
        whole_y(region.y),
        weights(pixel_weights) {
    if (this->is_empty()) return;
    tile_rows = (this->bottom - first_row + rows - 1) / rows;
    tiles_per_row = detail::Divisor(
        static_cast<std::uint32_t>((this->right - first_column + tile_columns - 1) / tile_columns));
    find_whole();
  }

  // After a change of aligned_loads.
  void find_whole() {
    const auto places = [this](int pixels, int of_tile) {
      return this->aligned_loads && pixels >= of_tile ? static_cast<std::uint32_t>(pixels - of_tile + 1) : 0;
    };
    whole_columns = places(this->right - this->left, tile_columns);
    whole_rows = places(this->bottom - this->top, rows);
  }

  int tiles() const { return tile_rows * static_cast<int>(tiles_per_row.divisor); }

  TRIPTYCH_HD TilePlace place_of(int tile) const {
    const auto n = static_cast<std::uint32_t>(tile);
    const std::uint32_t row = tiles_per_row.quotient(n);
    return {first_column + static_cast<std::int32_t>((n - row * tiles_per_row.divisor) * tile_columns),
            first_row + static_cast<std::int32_t>(row * rows)};
  }

  // Where a lane reads: its pixels of the first row, and whether the whole tile lies in the region.
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

  // The words of four rows of a lane.
  struct Step {
    std::uint32_t row[step_rows][Layout::words];
    std::uint32_t uv[step_rows / 2];
  };

  // Prefetches the first step of a whole tile into registers, without waiting for it. Formats of few bytes
  // per pixel are not limited by memory and do not gain from it.
  static constexpr bool prefetches = Layout::words > 2;
  TRIPTYCH_HD void prefetch(const Start& start, int lane, Step& first) const {
    if (prefetches && start.whole)
      load_step(start.pixels, start.place.x + lane_columns * lane, start.place.y, first);
  }

  // The sums of a lane's pixels, whose first step was prefetched; prefetches that of the next tile, if there
  // is one more.
  TRIPTYCH_HD LaneSums of_lane(const Start& start, int lane, Step& first, const Start& next,
                               bool more) const {
    const TilePlace& place = start.place;
    const std::int32_t x = place.x + lane_columns * lane;
    const std::int32_t from_middle = lane_columns * lane - tile_columns / 2;
    LaneSums sums;
    if (start.whole) {
      Step second;  // one is loaded while the other is summed
      if (!prefetches) load_step(start.pixels, x, place.y, first);
      TRIPTYCH_UNROLL
      for (int s = 0; s < steps; s += 2) {
        load_step_of(start, x, s + 1, second);
        fold(first, from_middle, s * step_rows, sums);
        if (s + 2 < steps) {
          load_step_of(start, x, s + 2, first);
        } else if (more) {
          prefetch(next, lane, first);
        }
        fold(second, from_middle, (s + 1) * step_rows, sums);
      }
    } else {
      for (int s = 0; s < steps; ++s) add_step(x, place, from_middle, s * step_rows, sums);
      if (more) prefetch(next, lane, first);
    }
    return sums;
  }

  TRIPTYCH_HD std::uint64_t sum_of(const TileSums& t, int which) const {
    return t.sum(which, this->width, this->height);
  }

#ifdef __CUDACC__
  using Prefetched = Step;
  __device__ __forceinline__ Start start(int tile) const {
    return start_of(place_of(tile), static_cast<int>(threadIdx.x % 32));
  }
  __device__ __forceinline__ void prefetch(const Start& start, Prefetched& prefetched) const {
    prefetch(start, static_cast<int>(threadIdx.x % 32), prefetched);
  }
  // By all lanes of a warp, the same in all.
  __device__ __forceinline__ TileSums sum_tile(const Start& start, Prefetched& prefetched, const Start& next,
                                               bool more) const {
    return add_lanes(start.place, of_lane(start, static_cast<int>(threadIdx.x % 32), prefetched, next, more));
  }
#endif

 private:
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

  TRIPTYCH_HD void weights_of_row(const std::uint32_t (&row)[Layout::words], std::uint32_t uv,
                                  std::uint32_t (&w)[lane_columns]) const {
    TRIPTYCH_UNROLL
    for (int k = 0; k < lane_columns; ++k) w[k] = weights.template of<Layout>(Layout::pixel(row, uv, k));
  }

  // A step of a tile that is partly outside the region, or of a frame whose loads are not aligned.
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
      for (int r = 0; r < step_rows; ++r) guarded_weights_of_row(x, y + r, w[r]);
      fold_step(w, from_middle, first_row_of_step, sums);
    }
  }

  TRIPTYCH_HD void guarded_weights_of_row(std::int32_t x, std::int32_t y,
                                          std::uint32_t (&w)[lane_columns]) const {
    std::uint32_t row[Layout::words] = {}, uv = 0;
    const bool row_counts = y >= this->top && y < this->bottom && x < this->right;
    if (row_counts) {
      this->template load_row_guarded<reading>(x, y, row);
      uv = this->template load_chroma_guarded<reading>(x, y);
    }
    weights_of_row(row, uv, w);
    TRIPTYCH_UNROLL
    for (int k = 0; k < lane_columns; ++k) {
      if (!row_counts || x + k < this->left || x + k >= this->right) w[k] = 0;
    }
  }

  TRIPTYCH_HD void fold(const Step& step, std::int32_t from_middle, std::int32_t offset,
                        LaneSums& sums) const {
    std::uint32_t w[step_rows][lane_columns];
    TRIPTYCH_UNROLL
    for (int r = 0; r < step_rows; ++r) weights_of_row(step.row[r], step.uv[r / 2], w[r]);
    fold_step(w, from_middle, offset, sums);
  }
};

}  // namespace triptych::skin_tracker
