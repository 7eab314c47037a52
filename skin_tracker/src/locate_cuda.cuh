// The pixels of a frame as a source for the reduction module: groups of 4 columns x 2 rows, whose sums are
// added up in 32-bit integers first. Compiles for the host too, where tests go through the same maths.
#pragma once

#include <triptych/core/error.hpp>
#include <triptych/core/host_device.hpp>
#include <triptych/reduction/source.hpp>

#include <bit>
#include <cstdint>
#include <limits>

#include "pixel_words.cuh"

namespace triptych::skin_tracker {

// Sums as words modulo 2^64: the same 48 bytes, but trivial, as an accumulator must be.
struct SumWords {
  std::uint64_t weight, x, y, xx, xy, yy;
  friend bool operator==(const SumWords&, const SumWords&) = default;
};
static_assert(sizeof(SumWords) == sizeof(Sums) && alignof(SumWords) == alignof(Sums));

inline Sums to_sums(const SumWords& words) { return std::bit_cast<Sums>(words); }

struct AddSums {
  using Value = SumWords;
  static constexpr bool exact = true;
  static constexpr bool expensive = true;  // 12 registers: one accumulator a thread is enough

  TRIPTYCH_HD SumWords identity() const { return {0, 0, 0, 0, 0, 0}; }
  TRIPTYCH_HD SumWords operator()(const SumWords& a, const SumWords& b) const {
    return {a.weight + b.weight, a.x + b.x, a.y + b.y, a.xx + b.xx, a.xy + b.xy, a.yy + b.yy};
  }

#ifdef __CUDACC__
  __device__ static void atomic(SumWords* address, const SumWords& v) {
    auto* word = reinterpret_cast<unsigned long long*>(address);
    atomicAdd(word, v.weight);
    atomicAdd(word + 1, v.x);
    atomicAdd(word + 2, v.y);
    atomicAdd(word + 3, v.xx);
    atomicAdd(word + 4, v.xy);
    atomicAdd(word + 5, v.yy);
  }

  // The first Lanes lanes added up, in lane 0: 18 sums of 32 bits by one instruction each, where shuffles
  // would take 60. Pieces of 22 bits leave room for 32 lanes. All 32 lanes must call.
  template <int Lanes>
  __device__ static SumWords warp_reduce(SumWords v) {
    auto* word = reinterpret_cast<std::uint64_t*>(&v);
#pragma unroll
    for (int k = 0; k < 6; ++k) {
      std::uint64_t w = word[k];
      if (Lanes < 32 && threadIdx.x % 32 >= Lanes) w = 0;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
      const std::uint64_t low = __reduce_add_sync(~0u, static_cast<unsigned>(w) & 0x3fffffu);
      const std::uint64_t middle = __reduce_add_sync(~0u, static_cast<unsigned>(w >> 22) & 0x3fffffu);
      const std::uint64_t high = __reduce_add_sync(~0u, static_cast<unsigned>(w >> 44));
      word[k] = low + (middle << 22) + (high << 44);
#else
#pragma unroll
      for (int offset = 16; offset > 0; offset /= 2) w += __shfl_down_sync(~0u, w, offset);
      word[k] = w;
#endif
    }
    return v;
  }
#endif
};

namespace detail {

// The quotient of i / 8 by a fixed divisor d, by one multiplication. With 2^(s-1) < d <= 2^s and
// m = ceil(2^(31+s) / d), which fits 32 bits, the quotient of g is (g m) >> (31 + s): m d = 2^(31+s) + e with
// 0 <= e < d <= 2^s, so that g m / 2^(31+s) exceeds g / d by (g e / 2^(31+s)) / d, less than 1 / d for
// g < 2^31, and g / d is at least 1 / d below the next whole number. With i = 8 g, 32 of the 34 + s places
// are shifted by taking the upper half of the product.
struct Eighths {
  std::uint32_t factor = 0;
  std::int32_t shift = 0;

  Eighths() = default;
  explicit Eighths(std::uint32_t divisor) {
    const auto s = static_cast<int>(std::bit_width(divisor - 1));
    const std::uint64_t power = std::uint64_t{1} << (31 + s);
    factor = static_cast<std::uint32_t>((power + divisor - 1) / divisor);
    shift = s + 2;
  }
  // (i / 8) / divisor; i is a multiple of 8 below 2^31.
  TRIPTYCH_HD std::uint32_t quotient(std::uint32_t i) const {
#ifdef __CUDA_ARCH__
    return __umulhi(i, factor) >> shift;
#else
    return static_cast<std::uint32_t>(std::uint64_t{i} * factor >> 32) >> shift;
#endif
  }
};

}  // namespace detail

// A region of a frame, covered by groups that stand on multiples of 4 columns and 2 rows of the frame, so
// that alignment and chroma do not depend on the region; pixels outside of it have no weight. Element i is
// pixel i % 8 of group i / 8: columns 0 .. 3 of its upper, then of its lower row.
template <class Layout, class Weights>
struct PixelGroups {
  static constexpr int pack_size = 8;
  struct Pack {
    std::uint32_t row[2][Layout::words];
    std::uint32_t chroma;
  };

  const std::uint8_t* data = nullptr;
  const std::uint8_t* chroma = nullptr;
  std::int32_t pitch = 0, chroma_pitch = 0;
  std::int32_t width = 0, height = 0;                     // of the frame
  std::int32_t left = 0, top = 0, right = 0, bottom = 0;  // of the region
  std::int32_t first_column = 0, first_row = 0;           // of the first group
  std::uint32_t groups_a_row = 1;
  detail::Eighths by_groups_a_row;
  bool whole_groups = false;  // no group sticks out of the region
  bool aligned_loads = false;
  bool aligned_words = false;  // pixels may be read by 32-bit loads
  Weights weights;

  // In device code the frame's pointers are its; on the host (tests) any.
  template <Space space>
  PixelGroups(const BasicFrame<space>& frame, const Region& region, const Weights& pixel_weights)
      : data(frame.data()),
        chroma(frame.chroma()),
        pitch(checked_pitch(frame.pitch_bytes())),
        chroma_pitch(checked_pitch(frame.chroma_pitch_bytes())),
        width(frame.width()),
        height(frame.height()),
        left(region.x),
        top(region.y),
        right(region.x + region.width),
        bottom(region.y + region.height),
        first_column(region.x / 4 * 4),
        first_row(region.y / 2 * 2),
        weights(pixel_weights) {
    groups_a_row = static_cast<std::uint32_t>((right - first_column + 3) / 4);
    if (groups_a_row == 0) groups_a_row = 1;
    by_groups_a_row = detail::Eighths(groups_a_row);
    whole_groups = left % 4 == 0 && right % 4 == 0 && top % 2 == 0 && bottom % 2 == 0;
    aligned_loads = width % 4 == 0 && is_aligned(Layout::alignment);
    aligned_words = is_aligned(4);
  }

  // Pixels of the groups: what the reduction goes over.
  std::int64_t elements() const {
    if (right == left || bottom == top) return 0;
    return std::int64_t{8} * groups_a_row * ((bottom - first_row + 1) / 2);
  }

  bool is_aligned(int bytes) const {
    const auto fits = [bytes](const std::uint8_t* plane, std::int32_t its_pitch) {
      return reinterpret_cast<std::uintptr_t>(plane) % static_cast<std::uintptr_t>(bytes) == 0 &&
             its_pitch % bytes == 0;
    };
    return fits(data, pitch) && fits(chroma, chroma_pitch);
  }

  TRIPTYCH_HD bool aligned() const { return aligned_loads; }
  TRIPTYCH_HD Pack load_aligned(std::int64_t first) const { return load_group<false>(first); }
  TRIPTYCH_HD Pack load_once(std::int64_t first) const { return load_group<true>(first); }
  TRIPTYCH_HD Pack load(std::int64_t first) const;

  template <class M>
  TRIPTYCH_HD SumWords fold(const Pack& pack, std::int64_t first, M) const;
  TRIPTYCH_HD SumWords operator()(std::int64_t i) const;

 private:
  struct Place {
    std::int32_t x, y;
  };

  static std::int32_t checked_pitch(std::int64_t bytes) {
    require(bytes <= std::numeric_limits<std::int32_t>::max(), "a pitch of ", bytes,
            " bytes is more than the GPU's sums take, 2^31 - 1");
    return static_cast<std::int32_t>(bytes);
  }

  // The upper left pixel of the group that begins with element `first`.
  TRIPTYCH_HD Place place_of(std::int64_t first) const {
    const auto i = static_cast<std::uint32_t>(first);
    const std::uint32_t row = by_groups_a_row.quotient(i);
    const std::uint32_t column = i / 8 - row * groups_a_row;
    return {first_column + static_cast<std::int32_t>(4 * column),
            first_row + static_cast<std::int32_t>(2 * row)};
  }

  // One multiplication of 32 bits by 32.
  TRIPTYCH_HD static const std::uint8_t* row_of(const std::uint8_t* plane, std::int32_t y,
                                                std::int32_t pitch_bytes) {
    return plane + std::uint64_t{static_cast<std::uint32_t>(y)} * static_cast<std::uint32_t>(pitch_bytes);
  }

  template <bool once>
  TRIPTYCH_HD Pack load_group(std::int64_t first) const;
  // `words` words of a row's bytes from `offset` on; bytes past the row repeat its last one.
  template <int words>
  TRIPTYCH_HD void load_guarded(const std::uint8_t* row, std::int32_t offset, std::int32_t row_bytes,
                                std::uint32_t (&word)[words]) const;
};

template <class Layout, class Weights>
template <bool once>
TRIPTYCH_HD inline auto PixelGroups<Layout, Weights>::load_group(std::int64_t first) const -> Pack {
  const Place p = place_of(first);
  const std::uint8_t* upper = row_of(data, p.y, pitch) + static_cast<std::uint32_t>(p.x * Layout::words);
  Pack pack;
  detail::load_words<once>(upper, pack.row[0]);
  // the lower row of a frame of odd height is not there: its weights will be 0
  const std::int32_t down = p.y + 1 < height ? pitch : 0;
  detail::load_words<once>(upper + down, pack.row[1]);
  pack.chroma = 0;
  if constexpr (Layout::chroma) {
    std::uint32_t word[1];
    detail::load_words<once>(row_of(chroma, p.y / 2, chroma_pitch) + static_cast<std::uint32_t>(p.x), word);
    pack.chroma = word[0];
  }
  return pack;
}

template <class Layout, class Weights>
template <int words>
TRIPTYCH_HD inline void PixelGroups<Layout, Weights>::load_guarded(const std::uint8_t* row,
                                                                   std::int32_t offset,
                                                                   std::int32_t row_bytes,
                                                                   std::uint32_t (&word)[words]) const {
  TRIPTYCH_UNROLL
  for (int k = 0; k < words; ++k) {
    const std::int32_t at = offset + 4 * k;
    if (aligned_words && at + 4 <= row_bytes) {
      std::uint32_t one[1];
      detail::load_words<false>(row + at, one);
      word[k] = one[0];
    } else {
      word[k] = 0;
      for (int b = 0; b < 4; ++b) {
        const std::int32_t byte = at + b < row_bytes ? at + b : row_bytes - 1;
        word[k] |= std::uint32_t{row[byte]} << 8 * b;
      }
    }
  }
}

template <class Layout, class Weights>
TRIPTYCH_HD inline auto PixelGroups<Layout, Weights>::load(std::int64_t first) const -> Pack {
  const Place p = place_of(first);
  Pack pack;
  const std::uint8_t* upper = row_of(data, p.y, pitch);
  const std::int32_t offset = p.x * Layout::words;
  load_guarded(upper, offset, width * Layout::words, pack.row[0]);
  load_guarded(p.y + 1 < height ? upper + pitch : upper, offset, width * Layout::words, pack.row[1]);
  pack.chroma = 0;
  if constexpr (Layout::chroma) {
    std::uint32_t word[1];
    load_guarded(row_of(chroma, p.y / 2, chroma_pitch), p.x, width, word);
    pack.chroma = word[0];
  }
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
TRIPTYCH_HD inline SumWords PixelGroups<Layout, Weights>::fold(const Pack& pack, std::int64_t first,
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
      const bool row_counts = p.y + r >= top && p.y + r < bottom;
      TRIPTYCH_UNROLL
      for (int k = 0; k < 4; ++k) w[r][k] = row_counts && p.x + k >= left && p.x + k < right ? w[r][k] : 0;
    }
  }
  const std::int32_t x = p.x - width / 2;
  const std::int32_t y = p.y - height / 2;
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
TRIPTYCH_HD inline SumWords PixelGroups<Layout, Weights>::operator()(std::int64_t i) const {
  const Place p = place_of(i & ~std::int64_t{7});
  const std::int32_t column = p.x + static_cast<std::int32_t>(i & 3);
  const std::int32_t row = p.y + static_cast<std::int32_t>(i >> 2 & 1);
  if (column < left || column >= right || row < top || row >= bottom) return {0, 0, 0, 0, 0, 0};
  const std::uint8_t* bytes = row_of(data, row, pitch);
  std::uint32_t word;
  if (Layout::words == 4 && aligned_words) {
    std::uint32_t one[1];
    detail::load_words<false>(bytes + 4 * column, one);
    word = one[0];
  } else {
    const std::uint8_t* uv = Layout::chroma ? row_of(chroma, row / 2, chroma_pitch) : nullptr;
    const PixelBytes pixel = read_pixel<Layout::format>(bytes, uv, column);
    word = static_cast<std::uint32_t>(pixel.v0 | pixel.v1 << 8 | pixel.v2 << 16);
  }
  const std::int64_t w = weights.template of<Layout>(word);
  const std::int64_t x = column - width / 2;
  const std::int64_t y = row - height / 2;
  const auto bits = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  return {bits(w), bits(w * x), bits(w * y), bits(w * x * x), bits(w * x * y), bits(w * y * y)};
}

}  // namespace triptych::skin_tracker
