// The moments of a chunk of rows: what the instruction sets share (row_moments.inl), and the plain path.
//
// A vector path takes `lanes` pixels a step and up to 64 steps a block. Lane l keeps three 32-bit running
// sums, a += w, b += a, c += b, so that after n steps a = sum w, b = sum m w and c = sum m (m + 1) / 2 w,
// where m = n for the first step and 1 for the last: two additions instead of two multiplications a pixel.
// 64 steps cannot overflow. The rows of a chunk are added up lane by lane in the same way, in 64 bits, where
// an intermediate overflow is harmless since the results fit. Lanes are combined only at the end of the
// chunk.
#pragma once

#include <triptych/core/cpu_path.hpp>
#include <triptych/core/simd/instruction_set.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "frame/pixel_math.hpp"
#include "moments/row_scheduler.hpp"

namespace triptych::skin_tracker::rows {

// The moments of the chunk's pixels about the frame's middle.
using ChunkMoments = Moments (*)(const Frame& frame, const PixelBox& chunk, const FixedFilter& filter,
                                 NextChunk next);

inline constexpr int block_steps = 64;
inline constexpr std::uint64_t max_in_block = block_steps * (block_steps + 1) * (block_steps + 2) / 6;
static_assert(max_in_block * fixed_one <= UINT32_MAX);

// A core is limited by memory latency and is fastest with many lines in flight. So two rows are read side by
// side, and with each cache line the same line of the two following rows is prefetched; at the end of the
// chunk those are the first rows of the next chunk. Shorter rows are prefetched this many bytes ahead.
inline constexpr int rows_at_once = 2;
inline constexpr int prefetch_bytes = 4096;

// `ahead` bytes on, which may lie outside the frame, into the second-level cache: the first level has fewer
// buffers for lines in flight.
TRIPTYCH_SIMD_INLINE void prefetch(const std::uint8_t* p, std::ptrdiff_t ahead) {
  constexpr int read = 0, second_cache = 2;
  __builtin_prefetch(
      reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(p) + static_cast<std::uintptr_t>(ahead)),
      read, second_cache);
}

constexpr bool has_chroma_plane(FrameFormat format) { return format == FrameFormat::nv12; }
constexpr bool is_yuv(FrameFormat format) { return channels_of(format) != Channels::rgb; }

// Rows that are read side by side, and the distance in bytes to the rows that are prefetched.
template <int rows>
struct RowsAtOnce {
  static constexpr std::make_integer_sequence<int, rows> indices{};
  const std::uint8_t* row[rows];
  const std::uint8_t* chroma[rows];
  std::ptrdiff_t ahead, chroma_ahead;

  // After `pixels` pixels of row r were read: prefetches those of the following row and advances.
  template <FrameFormat format, int pixels>
  TRIPTYCH_SIMD_INLINE void advance(int r) {
    prefetch(row[r], ahead);
    row[r] += pixels * bytes_per_pixel(format);
    if constexpr (has_chroma_plane(format)) {
      prefetch(chroma[r], chroma_ahead);
      chroma[r] += pixels;
    }
  }
};

// The coefficients in the order in which a pixel's bytes lie.
template <FrameFormat format>
TRIPTYCH_SIMD_INLINE FixedFilter in_memory_order(FixedFilter f) {
  if constexpr (format == FrameFormat::bgr || format == FrameFormat::bgra) {
    return {f.c2, f.c1, f.c0, f.offset, f.shift};
  } else {
    return f;
  }
}

// One block of columns over the rows so far. m counts steps, k rows, both from the end.
template <int lanes>
struct BlockSums {
  alignas(64) std::uint64_t w[lanes], wm[lanes], wmm[lanes];  // of w, m w, m (m + 1) / 2 w
  alignas(64) std::uint64_t wk[lanes], wkk[lanes], wmk[lanes];

  TRIPTYCH_SIMD_INLINE void add_row(const std::int32_t* a, const std::int32_t* b, const std::int32_t* c) {
    for (int l = 0; l < lanes; ++l) {
      w[l] += static_cast<std::uint32_t>(a[l]);
      wk[l] += w[l];
      wkk[l] += wk[l];
      wm[l] += static_cast<std::uint32_t>(b[l]);
      wmk[l] += wm[l];
      wmm[l] += static_cast<std::uint32_t>(c[l]);
    }
  }

  // The block ends before column x, the rows before row y, from the frame's middle. A pixel of lane l lies at
  // (x + l - lanes m, y - k). The lanes are added up from the last to the first with running sums, which
  // brings in l without a multiplication: after them a1 is the sum of a, a2 that of (l + 1) a, a3 that of (l
  // + 1) (l + 2) / 2 a.
  Moments moments(std::int64_t x, std::int64_t y) const {
    std::uint64_t w1 = 0, w2 = 0, w3 = 0, wm1 = 0, wm2 = 0, wmm1 = 0;
    std::uint64_t wk1 = 0, wk2 = 0, wkk1 = 0, wmk1 = 0;
    for (int l = lanes - 1; l >= 0; --l) {
      w1 += w[l];
      w2 += w1;
      w3 += w2;
      wm1 += wm[l];
      wm2 += wm1;
      wmm1 += wmm[l];
      wk1 += wk[l];
      wk2 += wk1;
      wkk1 += wkk[l];
      wmk1 += wmk[l];
    }
    constexpr std::uint64_t stride = lanes;
    const auto from = static_cast<std::uint64_t>(x - 1);  // x + l = from + (l + 1)
    const auto end = static_cast<std::uint64_t>(y);
    const std::uint64_t wx = from * w1 + w2;  // of w (x + l), and so on
    const std::uint64_t wxx = from * from * w1 + 2 * from * w2 + (2 * w3 - w2);
    const std::uint64_t wmx = from * wm1 + wm2;
    const std::uint64_t wkx = from * wk1 + wk2;
    const std::uint64_t sum_x = wx - stride * wm1;
    const std::uint64_t sum_y = end * w1 - wk1;
    const std::uint64_t sum_xx = wxx - 2 * stride * wmx + stride * stride * (2 * wmm1 - wm1);
    const std::uint64_t sum_xy = end * sum_x - (wkx - stride * wmk1);
    const std::uint64_t sum_yy = end * end * w1 - 2 * end * wk1 + (2 * wkk1 - wk1);
    return {w1,     static_cast<std::int64_t>(sum_x),  static_cast<std::int64_t>(sum_y),
            sum_xx, static_cast<std::int64_t>(sum_xy), sum_yy};
  }
};

// A copy of a row's last pixels, fewer than `lanes`, that a whole step can read.
template <FrameFormat format, int lanes>
struct Tail {
  alignas(64) std::uint8_t row[std::size_t{lanes} * bytes_per_pixel(format)] = {};
  alignas(64) std::uint8_t chroma[lanes] = {};

  TRIPTYCH_SIMD_INLINE Tail(const std::uint8_t* pixels, const std::uint8_t* uv, int count) {
    const int whole = is_yuv(format) ? (count + 1) & ~1 : count;  // U and V come for two pixels
    const int in_row = format == FrameFormat::nv12 ? count : whole * bytes_per_pixel(format);
    std::memcpy(row, pixels, static_cast<std::size_t>(in_row));
    if constexpr (has_chroma_plane(format)) std::memcpy(chroma, uv, static_cast<std::size_t>(whole));
  }
};

inline const std::uint8_t* row_of(const Frame& frame, int y) {
  return frame.data() + y * frame.pitch_bytes();
}
inline const std::uint8_t* chroma_of(const Frame& frame, int y) {
  return frame.chroma() + y / 2 * frame.chroma_pitch_bytes();
}

// With weight(bytes of a pixel), pixel by pixel.
template <FrameFormat format, class Weight>
Moments chunk_moments_of(const Frame& frame, const PixelBox& chunk, Weight weight) {
  Moments moments;
  for (int y = chunk.y; y < chunk.y + chunk.height; ++y) {
    const std::uint8_t* row = row_of(frame, y);
    const std::uint8_t* chroma = has_chroma_plane(format) ? chroma_of(frame, y) : nullptr;
    std::uint64_t sum = 0, sum_x = 0, sum_xx = 0;
    for (int x = 0; x < chunk.width; ++x) {
      const std::uint64_t w = weight(read_pixel<format>(row, chroma, chunk.x + x));
      const auto at = static_cast<std::uint64_t>(x);
      sum += w;
      sum_x += w * at;
      sum_xx += w * (at * at);
    }
    moments += moments_of_row(sum, sum_x, sum_xx, chunk.x - frame.width() / 2, y - frame.height() / 2);
  }
  return moments;
}

template <FrameFormat format>
Moments chunk_moments_plain(const Frame& frame, const PixelBox& chunk, const FixedFilter& filter, NextChunk) {
  return chunk_moments_of<format>(frame, chunk, [&](const PixelBytes& p) {
    return static_cast<std::uint64_t>(filter.weight(p.v0, p.v1, p.v2));
  });
}

// A chunk's rows in their order, and the rows to prefetch.
class ChunkRows {
 public:
  ChunkRows(const Frame& frame, const PixelBox& chunk, int pixel_bytes, NextChunk next)
      : frame_(frame), chunk_(chunk), next_(next), bytes_(pixel_bytes) {
    const int lead = (prefetch_bytes + chunk.width * bytes_ - 1) / std::max(1, chunk.width * bytes_);
    lead_ = (std::max(lead, 1) + rows_at_once - 1) / rows_at_once * rows_at_once;
  }

  // The rows from y on.
  template <int rows>
  RowsAtOnce<rows> at(int y) {
    RowsAtOnce<rows> group{};
    for (int r = 0; r < rows; ++r) {
      group.row[r] = row_of(frame_, y + r) + bytes_ * chunk_.x;
      group.chroma[r] = frame_.chroma() != nullptr ? chroma_of(frame_, y + r) + chunk_.x : nullptr;
    }
    const int prefetched = prefetched_at(y);
    group.ahead = (prefetched - y) * static_cast<std::ptrdiff_t>(frame_.pitch_bytes());
    group.chroma_ahead = (prefetched / 2 - y / 2) * static_cast<std::ptrdiff_t>(frame_.chroma_pitch_bytes());
    return group;
  }

 private:
  // The row to prefetch while row y is read; y itself when there is none.
  int prefetched_at(int y) {
    const int beyond = y + lead_ - (chunk_.y + chunk_.height);
    if (beyond < 0) return y + lead_;
    const PixelBox coming = next_();
    return beyond < coming.height ? coming.y + beyond : y;
  }

  const Frame& frame_;
  PixelBox chunk_;
  NextChunk next_;
  int bytes_, lead_;
};

// The function of a path other than simd.
ChunkMoments chunk_moments_by(CpuPath path, FrameFormat format);

}  // namespace triptych::skin_tracker::rows
