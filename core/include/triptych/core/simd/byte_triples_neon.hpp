// Sixteen triples of bytes: NEON.
#pragma once

#if defined(__aarch64__)

#include <triptych/core/simd/pack_neon.hpp>

#include <cstdint>

#define TRIPTYCH_OP TRIPTYCH_SIMD_INLINE

namespace triptych::simd {

template <>
struct ByteTriples<Neon> {
  static constexpr int lanes = 16;
  uint8x16_t b[3];  // b[k]: byte k of all triples

  TRIPTYCH_OP static ByteTriples load_3(const std::uint8_t* p) {
    const uint8x16x3_t t = vld3q_u8(p);
    return {{t.val[0], t.val[1], t.val[2]}};
  }
  TRIPTYCH_OP static ByteTriples load_4(const std::uint8_t* p) {
    const uint8x16x4_t t = vld4q_u8(p);
    return {{t.val[0], t.val[1], t.val[2]}};
  }
  TRIPTYCH_OP static ByteTriples load_422(const std::uint8_t* p) {
    const uint8x8x4_t t = vld4_u8(p);
    return {{zipped(t.val[0], t.val[2]), zipped(t.val[1], t.val[1]), zipped(t.val[3], t.val[3])}};
  }
  TRIPTYCH_OP static ByteTriples load_420(const std::uint8_t* p, const std::uint8_t* q) {
    const uint8x16_t pairs = vld1q_u8(q);
    return {{vld1q_u8(p), vtrn1q_u8(pairs, pairs), vtrn2q_u8(pairs, pairs)}};
  }

 private:
  TRIPTYCH_OP static uint8x16_t zipped(uint8x8_t even, uint8x8_t odd) {
    const uint8x8x2_t z = vzip_u8(even, odd);
    return vcombine_u8(z.val[0], z.val[1]);
  }
};

template <>
struct TripleDot<Neon> {
  static constexpr int packs = 4;
  struct Factors {
    std::int32_t c0, c1, c2, offset;
  };
  struct Sums {
    Pack<std::int32_t, Neon> pack[packs];
  };
  Factors c;

  TRIPTYCH_OP explicit TripleDot(const Factors& factors) : c(factors) {}

  TRIPTYCH_OP Sums operator()(const ByteTriples<Neon>& t) const {
    const uint16x8_t low[] = {vmovl_u8(vget_low_u8(t.b[0])), vmovl_u8(vget_low_u8(t.b[1])),
                              vmovl_u8(vget_low_u8(t.b[2]))};
    const uint16x8_t high[] = {vmovl_high_u8(t.b[0]), vmovl_high_u8(t.b[1]), vmovl_high_u8(t.b[2])};
    return {{four(vget_low_u16(low[0]), vget_low_u16(low[1]), vget_low_u16(low[2])),
             four(vget_high_u16(low[0]), vget_high_u16(low[1]), vget_high_u16(low[2])),
             four(vget_low_u16(high[0]), vget_low_u16(high[1]), vget_low_u16(high[2])),
             four(vget_high_u16(high[0]), vget_high_u16(high[1]), vget_high_u16(high[2]))}};
  }

 private:
  TRIPTYCH_OP NeonInts four(uint16x4_t b0, uint16x4_t b1, uint16x4_t b2) const {
    int32x4_t sum = vdupq_n_s32(c.offset);
    sum = vmlaq_n_s32(sum, vreinterpretq_s32_u32(vmovl_u16(b0)), c.c0);
    sum = vmlaq_n_s32(sum, vreinterpretq_s32_u32(vmovl_u16(b1)), c.c1);
    sum = vmlaq_n_s32(sum, vreinterpretq_s32_u32(vmovl_u16(b2)), c.c2);
    return neon_ints(sum);
  }
};

}  // namespace triptych::simd

#undef TRIPTYCH_OP
#endif
