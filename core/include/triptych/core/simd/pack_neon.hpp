// Packs of 16 bytes: NEON, on every aarch64. Operations shared with other machines are in pack_baseline.hpp.
#pragma once

#if defined(__aarch64__)

#include <triptych/core/simd/pack_baseline.hpp>

#include <arm_neon.h>

#include <cstdint>

#define TRIPTYCH_OP TRIPTYCH_SIMD_INLINE

namespace triptych::simd {

// All ones in the first lanes.
TRIPTYCH_OP uint32x4_t neon_first_lanes(int count) {
  constexpr std::int32_t lanes[4] = {0, 1, 2, 3};
  return vcltq_s32(vld1q_s32(lanes), vdupq_n_s32(count));
}

template <>
struct Mask<Neon> {
  uint32x4_t m;

  TRIPTYCH_OP friend Mask operator&(Mask a, Mask b) { return {vandq_u32(a.m, b.m)}; }
  TRIPTYCH_OP friend Mask operator|(Mask a, Mask b) { return {vorrq_u32(a.m, b.m)}; }
  TRIPTYCH_OP friend std::uint32_t bits(Mask a) {
    constexpr std::uint32_t places[4] = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(a.m, vld1q_u32(places)));
  }
  TRIPTYCH_OP friend bool any(Mask a) { return vmaxvq_u32(a.m) != 0; }
  // A counted lane is all ones, that is -1.
  TRIPTYCH_OP friend int count_clear(Mask a, int count) {
    return -vaddvq_s32(vreinterpretq_s32_u32(vbicq_u32(neon_first_lanes(count), a.m)));
  }
};

using NeonFloats = Pack<float, Neon>;
using NeonInts = Pack<std::int32_t, Neon>;

// Pack<int32_t> holds its bits as unsigned.
TRIPTYCH_OP int32x4_t neon_signed(NeonInts a) { return vreinterpretq_s32_u32(a.v); }
TRIPTYCH_OP NeonInts neon_ints(int32x4_t v) { return {vreinterpretq_u32_s32(v)}; }

TRIPTYCH_OP NeonInts operator>>(NeonInts a, NeonInts count) {
  return {vshlq_u32(a.v, vnegq_s32(neon_signed(count)))};
}
TRIPTYCH_OP NeonInts min(NeonInts a, NeonInts b) {
  return neon_ints(vminq_s32(neon_signed(a), neon_signed(b)));
}
TRIPTYCH_OP NeonInts max(NeonInts a, NeonInts b) {
  return neon_ints(vmaxq_s32(neon_signed(a), neon_signed(b)));
}
TRIPTYCH_OP NeonInts first_lanes(NeonInts a, int count) { return {vandq_u32(neon_first_lanes(count), a.v)}; }

template <>
TRIPTYCH_OP NeonFloats NeonFloats::load_halves(const std::uint16_t* p) {
  return {vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p)))};
}
TRIPTYCH_OP void load_pairs(const float* p, NeonInts at, NeonFloats& left, NeonFloats& right) {
  const int32x4_t i = neon_signed(at);
  const float32x4_t low =
      vcombine_f32(vld1_f32(p + vgetq_lane_s32(i, 0)), vld1_f32(p + vgetq_lane_s32(i, 1)));
  const float32x4_t high =
      vcombine_f32(vld1_f32(p + vgetq_lane_s32(i, 2)), vld1_f32(p + vgetq_lane_s32(i, 3)));
  left = {vuzp1q_f32(low, high)};
  right = {vuzp2q_f32(low, high)};
}
TRIPTYCH_OP NeonFloats fma(NeonFloats a, NeonFloats b, NeonFloats c) { return {vfmaq_f32(c.v, a.v, b.v)}; }
TRIPTYCH_OP NeonFloats multiply_add(NeonFloats a, NeonFloats b, NeonFloats c) { return fma(a, b, c); }
TRIPTYCH_OP NeonFloats sqrt(NeonFloats a) { return {vsqrtq_f32(a.v)}; }
TRIPTYCH_OP NeonFloats abs(NeonFloats a) { return {vabsq_f32(a.v)}; }
TRIPTYCH_OP NeonFloats copysign(NeonFloats a, NeonFloats sign) {
  return {vbslq_f32(vdupq_n_u32(0x80000000u), sign.v, a.v)};
}
TRIPTYCH_OP NeonFloats min_number(NeonFloats kept, NeonFloats x) { return {vminnmq_f32(kept.v, x.v)}; }
TRIPTYCH_OP NeonFloats max_number(NeonFloats kept, NeonFloats x) { return {vmaxnmq_f32(kept.v, x.v)}; }
TRIPTYCH_OP Mask<Neon> operator>(NeonFloats a, NeonFloats b) { return {vcgtq_f32(a.v, b.v)}; }
TRIPTYCH_OP Mask<Neon> operator>=(NeonFloats a, NeonFloats b) { return {vcgeq_f32(a.v, b.v)}; }
TRIPTYCH_OP Mask<Neon> operator<=(NeonFloats a, NeonFloats b) { return {vcleq_f32(a.v, b.v)}; }
TRIPTYCH_OP Mask<Neon> operator!=(NeonFloats a, NeonFloats b) { return {vmvnq_u32(vceqq_f32(a.v, b.v))}; }
TRIPTYCH_OP NeonFloats select(Mask<Neon> mask, NeonFloats yes, NeonFloats no) {
  return {vbslq_f32(mask.m, yes.v, no.v)};
}
TRIPTYCH_OP NeonFloats first_lanes(NeonFloats a, int count) {
  return {vreinterpretq_f32_u32(vandq_u32(neon_first_lanes(count), vreinterpretq_u32_f32(a.v)))};
}
TRIPTYCH_OP NeonInts truncate(NeonFloats a) { return neon_ints(vcvtq_s32_f32(a.v)); }
TRIPTYCH_OP NeonFloats to_float(NeonInts a) { return {vcvtq_f32_s32(neon_signed(a))}; }
TRIPTYCH_OP void add_to(double* sums, NeonFloats a) {
  vst1q_f64(sums, vaddq_f64(vld1q_f64(sums), vcvt_f64_f32(vget_low_f32(a.v))));
  vst1q_f64(sums + 2, vaddq_f64(vld1q_f64(sums + 2), vcvt_high_f64_f32(a.v)));
}

}  // namespace triptych::simd

#undef TRIPTYCH_OP
#endif
