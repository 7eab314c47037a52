// The sums of a strip, 16 pixels a step: NEON, which every aarch64 has.
#pragma once

#if defined(__aarch64__)

#include <arm_neon.h>

#include "moments/locate_rows.hpp"

namespace triptych::skin_tracker::rows {

struct Neon {
  static constexpr int lanes = 16;

  static bool available() { return true; }

  // 16 pixels, each byte of them in a vector of its own, in the order of memory (Y, U, V for yuv).
  template <FrameFormat format>
  TRIPTYCH_ALWAYS_INLINE static uint8x16x3_t load(const std::uint8_t* row, const std::uint8_t* chroma) {
    if constexpr (format == FrameFormat::nv12) {
      const uint8x16_t uv = vld1q_u8(chroma);
      return {vld1q_u8(row), vtrn1q_u8(uv, uv), vtrn2q_u8(uv, uv)};
    } else if constexpr (format == FrameFormat::yuyv) {
      const uint8x8x4_t p = vld4_u8(row);
      const uint8x8x2_t y = vzip_u8(p.val[0], p.val[2]);
      const uint8x8x2_t u = vzip_u8(p.val[1], p.val[1]);
      const uint8x8x2_t v = vzip_u8(p.val[3], p.val[3]);
      return {vcombine_u8(y.val[0], y.val[1]), vcombine_u8(u.val[0], u.val[1]),
              vcombine_u8(v.val[0], v.val[1])};
    } else if constexpr (bytes_a_pixel(format) == 3) {
      return vld3q_u8(row);
    } else {
      const uint8x16x4_t p = vld4q_u8(row);
      return {p.val[0], p.val[1], p.val[2]};
    }
  }

  struct Filter {
    FixedFilter fixed;

    explicit Filter(const FixedFilter& f) : fixed(f) {}

    TRIPTYCH_ALWAYS_INLINE uint32x4_t quarter(uint16x4_t v0, uint16x4_t v1, uint16x4_t v2) const {
      int32x4_t sum = vdupq_n_s32(fixed.offset);
      sum = vmlaq_n_s32(sum, vreinterpretq_s32_u32(vmovl_u16(v0)), fixed.c0);
      sum = vmlaq_n_s32(sum, vreinterpretq_s32_u32(vmovl_u16(v1)), fixed.c1);
      sum = vmlaq_n_s32(sum, vreinterpretq_s32_u32(vmovl_u16(v2)), fixed.c2);
      sum = vminq_s32(vmaxq_s32(sum, vdupq_n_s32(0)), vdupq_n_s32(fixed_one << fixed.shift));
      return vreinterpretq_u32_s32(vshlq_s32(sum, vdupq_n_s32(-fixed.shift)));
    }

    TRIPTYCH_ALWAYS_INLINE uint32x4x4_t operator()(const uint8x16x3_t& p) const {
      const uint16x8_t low[] = {vmovl_u8(vget_low_u8(p.val[0])), vmovl_u8(vget_low_u8(p.val[1])),
                                vmovl_u8(vget_low_u8(p.val[2]))};
      const uint16x8_t high[] = {vmovl_high_u8(p.val[0]), vmovl_high_u8(p.val[1]), vmovl_high_u8(p.val[2])};
      return {quarter(vget_low_u16(low[0]), vget_low_u16(low[1]), vget_low_u16(low[2])),
              quarter(vget_high_u16(low[0]), vget_high_u16(low[1]), vget_high_u16(low[2])),
              quarter(vget_low_u16(high[0]), vget_low_u16(high[1]), vget_low_u16(high[2])),
              quarter(vget_high_u16(high[0]), vget_high_u16(high[1]), vget_high_u16(high[2]))};
    }
  };

  // Of lanes 4 q .. 4 q + 3.
  struct RunningSums {
    uint32x4_t a = vdupq_n_u32(0), b = a, c = a;

    TRIPTYCH_ALWAYS_INLINE void add(uint32x4_t w) {
      a = vaddq_u32(a, w);
      b = vaddq_u32(b, a);
      c = vaddq_u32(c, b);
    }
  };

  // Of all lanes.
  struct RowSums {
    RunningSums quarters[4];

    TRIPTYCH_ALWAYS_INLINE void add(const uint32x4x4_t& w) {
      for (int q = 0; q < 4; ++q) quarters[q].add(w.val[q]);
    }
  };

  template <FrameFormat format, int rows>
  static void add_block(RowsAtOnce<rows> at, int pixels, const Filter& filter, BlockSums<lanes>& block) {
    const Filter weigh = filter;
    RowSums running[rows];
    for (int step = pixels / lanes; step > 0; --step) {
      for (int r = 0; r < rows; ++r) {
        running[r].add(weigh(load<format>(at.row[r], at.chroma[r])));
        at.template go_on<format, lanes>(r);
      }
    }
    const int rest = pixels % lanes;
    for (int r = 0; r < rows; ++r) {
      if (rest > 0) {
        const Tail<format, lanes> tail(at.row[r], at.chroma[r], rest);
        std::uint32_t w[lanes];
        store(w, weigh(load<format>(tail.row, tail.chroma)));
        for (int l = rest; l < lanes; ++l) w[l] = 0;
        running[r].add({vld1q_u32(w), vld1q_u32(w + 4), vld1q_u32(w + 8), vld1q_u32(w + 12)});
      }
      const RunningSums(&q)[4] = running[r].quarters;
      std::uint32_t a[lanes], b[lanes], c[lanes];
      store(a, {q[0].a, q[1].a, q[2].a, q[3].a});
      store(b, {q[0].b, q[1].b, q[2].b, q[3].b});
      store(c, {q[0].c, q[1].c, q[2].c, q[3].c});
      block.add_row(a, b, c);
    }
  }

 private:
  TRIPTYCH_ALWAYS_INLINE static void store(std::uint32_t* to, const uint32x4x4_t& from) {
    for (int q = 0; q < 4; ++q) vst1q_u32(to + 4 * q, from.val[q]);
  }
};

}  // namespace triptych::skin_tracker::rows

#endif
