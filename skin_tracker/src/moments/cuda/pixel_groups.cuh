// The pixels of a frame as a source for the reduction module: groups of 4 columns x 2 rows, whose sums are
// added up in 32-bit integers first. Compiles for the host too, where tests go through the same maths.
#pragma once

#include <triptych/core/host_device.hpp>
#include <triptych/reduction/source.hpp>

#include <cstdint>

#include "moments/cuda/divisor.hpp"
#include "moments/cuda/frame_pixels.cuh"
#include "moments/cuda/moment_words.cuh"

namespace triptych::skin_tracker {

// A region of a frame, covered by groups that stand on multiples of 4 columns and 2 rows of the frame, so
// that alignment and chroma do not depend on the region; pixels outside of it have no weight. Element i is
// pixel i % 8 of group i / 8: columns 0 .. 3 of its upper, then of its lower row.
template <class Layout, class Weights>
struct PixelGroups : FramePixels<Layout> {
  static constexpr int pack_size = 8;
  struct Pack {
    std::uint32_t row[2][Layout::words];
    std::uint32_t chroma;
  };

  std::int32_t first_column = 0, first_row = 0;  // of the first group
  detail::Divisor groups_per_row;
  bool whole_groups = false;  // no group sticks out of the region
  Weights weights;

  template <Space space>
  PixelGroups(const BasicFrame<space>& frame, const PixelBox& region, const Weights& pixel_weights)
      : FramePixels<Layout>(frame, region),
        first_column(region.x / 4 * 4),
        first_row(region.y / 2 * 2),
        weights(pixel_weights) {
    if (!this->is_empty())
      groups_per_row = detail::Divisor(static_cast<std::uint32_t>((this->right - first_column + 3) / 4));
    whole_groups = this->left % 4 == 0 && this->right % 4 == 0 && this->top % 2 == 0 && this->bottom % 2 == 0;
  }

  // Pixels of the groups: what the reduction goes over.
  std::int64_t elements() const {
    return this->is_empty() ? 0
                            : std::int64_t{8} * groups_per_row.divisor * ((this->bottom - first_row + 1) / 2);
  }

  TRIPTYCH_HD bool aligned() const { return this->aligned_loads; }
  TRIPTYCH_HD Pack load_aligned(std::int64_t first) const { return load_group<Reading::kept>(first); }
  TRIPTYCH_HD Pack load_once(std::int64_t first) const { return load_group<Reading::once>(first); }
  TRIPTYCH_HD Pack load(std::int64_t first) const;

  template <class M>
  TRIPTYCH_HD MomentWords fold(const Pack& pack, std::int64_t first, M) const;
  TRIPTYCH_HD MomentWords operator()(std::int64_t i) const;

 private:
  struct Place {
    std::int32_t x, y;
  };

  // The upper left pixel of the group that begins with element `first`.
  TRIPTYCH_HD Place place_of(std::int64_t first) const {
    const auto group = static_cast<std::uint32_t>(first) / 8;
    const std::uint32_t row = groups_per_row.quotient(group);
    const std::uint32_t column = group - row * groups_per_row.divisor;
    return {first_column + static_cast<std::int32_t>(4 * column),
            first_row + static_cast<std::int32_t>(2 * row)};
  }

  template <Reading reading>
  TRIPTYCH_HD Pack load_group(std::int64_t first) const;
};

template <class Layout, class Weights>
template <Reading reading>
TRIPTYCH_HD inline auto PixelGroups<Layout, Weights>::load_group(std::int64_t first) const -> Pack {
  const Place p = place_of(first);
  Pack pack;
  this->template load_row<reading>(p.x, p.y, pack.row[0]);
  // the lower row of a frame of odd height is not there: its weights will be 0
  this->template load_row<reading>(p.x, p.y + 1 < this->height ? p.y + 1 : p.y, pack.row[1]);
  pack.chroma = this->template load_chroma<reading>(p.x, p.y);
  return pack;
}

template <class Layout, class Weights>
TRIPTYCH_HD inline auto PixelGroups<Layout, Weights>::load(std::int64_t first) const -> Pack {
  const Place p = place_of(first);
  Pack pack;
  this->template load_row_guarded<Reading::kept>(p.x, p.y, pack.row[0]);
  this->template load_row_guarded<Reading::kept>(p.x, p.y + 1 < this->height ? p.y + 1 : p.y, pack.row[1]);
  pack.chroma = this->template load_chroma_guarded<Reading::kept>(p.x, p.y);
  return pack;
}

// With u the weights of both rows added up by columns, v those of the lower row, (x, y) the upper left pixel:
// t = sum u_k, s1 = sum k u_k, s2 = sum k^2 u_k, t' and s1' the same of v; then
//   sum w x = t x + s1 =: X       sum w x^2 = x (X + s1) + s2        sum w x y = y X + (t' x + s1')
//   sum w y = t y + t' =: Y       sum w y^2 = y (Y + t') + t'
// 32 bits hold all factors: -4096 <= x <= 4092 and t <= 8 * 65535, so that X >= -2147450880 and
// X + s1 <= 524280 * 4092 + 2 * 12 * 65535 = 2146926600.
template <class Layout, class Weights>
template <class M>
TRIPTYCH_HD inline MomentWords PixelGroups<Layout, Weights>::fold(const Pack& pack, std::int64_t first,
                                                                  M) const {
  const Place p = place_of(first);
  std::uint32_t w[2][4];
  TRIPTYCH_UNROLL
  for (int r = 0; r < 2; ++r) {
    TRIPTYCH_UNROLL
    for (int k = 0; k < 4; ++k)
      w[r][k] = weights.template of<Layout>(Layout::pixel(pack.row[r], pack.chroma, k));
  }
  if (!whole_groups) {
    TRIPTYCH_UNROLL
    for (int r = 0; r < 2; ++r) {
      const bool row_counts = p.y + r >= this->top && p.y + r < this->bottom;
      TRIPTYCH_UNROLL
      for (int k = 0; k < 4; ++k)
        w[r][k] = row_counts && p.x + k >= this->left && p.x + k < this->right ? w[r][k] : 0;
    }
  }
  const std::int32_t x = p.x - this->width / 2;
  const std::int32_t y = p.y - this->height / 2;
  std::int32_t u[4], v[4];
  TRIPTYCH_UNROLL
  for (int k = 0; k < 4; ++k) {
    v[k] = static_cast<std::int32_t>(w[1][k]);
    u[k] = static_cast<std::int32_t>(w[0][k]) + v[k];
  }
  const std::int32_t t = u[0] + u[1] + u[2] + u[3];
  const std::int32_t s1 = (u[1] + u[3]) + 2 * (u[2] + u[3]);
  const std::int32_t s2 = u[1] + 4 * u[2] + 9 * u[3];
  const std::int32_t lower_t = v[0] + v[1] + v[2] + v[3];
  const std::int32_t lower_s1 = (v[1] + v[3]) + 2 * (v[2] + v[3]);
  const std::int32_t sum_x = t * x + s1;
  const std::int32_t sum_y = t * y + lower_t;
  const auto wide = [](std::int32_t a, std::int32_t b, std::int32_t c) {
    return static_cast<std::uint64_t>(std::int64_t{a} * b + c);
  };
  return {static_cast<std::uint64_t>(t),
          static_cast<std::uint64_t>(std::int64_t{sum_x}),
          static_cast<std::uint64_t>(std::int64_t{sum_y}),
          wide(x, sum_x + s1, s2),
          wide(y, sum_x, lower_t * x + lower_s1),
          wide(y, sum_y + lower_t, lower_t)};
}

template <class Layout, class Weights>
TRIPTYCH_HD inline MomentWords PixelGroups<Layout, Weights>::operator()(std::int64_t i) const {
  const Place p = place_of(i & ~std::int64_t{7});
  const std::int32_t column = p.x + static_cast<std::int32_t>(i & 3);
  const std::int32_t row = p.y + static_cast<std::int32_t>(i >> 2 & 1);
  if (column < this->left || column >= this->right || row < this->top || row >= this->bottom)
    return {0, 0, 0, 0, 0, 0};
  const std::uint8_t* bytes = this->row_of(this->data, row, this->pitch);
  std::uint32_t word;
  if (Layout::words == 4 && this->aligned_words) {
    std::uint32_t one[1];
    detail::load_words<Reading::kept>(bytes + 4 * column, one);
    word = one[0];
  } else {
    const std::uint8_t* uv =
        Layout::chroma ? this->row_of(this->chroma, row / 2, this->chroma_pitch) : nullptr;
    const PixelBytes pixel = read_pixel<Layout::format>(bytes, uv, column);
    word = static_cast<std::uint32_t>(pixel.v0 | pixel.v1 << 8 | pixel.v2 << 16);
  }
  const std::int64_t w = weights.template of<Layout>(word);
  const std::int64_t x = column - this->width / 2;
  const std::int64_t y = row - this->height / 2;
  const auto bits = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  return {bits(w), bits(w * x), bits(w * y), bits(w * x * x), bits(w * x * y), bits(w * y * y)};
}

}  // namespace triptych::skin_tracker
