// Four floats at a time: NEON, which every 64-bit ARM has.
#pragma once

#if defined(__aarch64__)

#include <arm_neon.h>

#include <cstdint>

namespace triptych::capsule_likelihood {

struct NeonLanes {
  static constexpr int lanes = 4;
  static constexpr std::uint32_t all_bits = 0xF;
  using Floats = float32x4_t;
  using Mask = uint32x4_t;

  static float32x4_t load(const float* p) { return vld1q_f32(p); }
  static void store(float* p, float32x4_t v) { vst1q_f32(p, v); }
  static float32x4_t all(float v) { return vdupq_n_f32(v); }
  static float32x4_t fused(float32x4_t a, float32x4_t b, float32x4_t c) { return vfmaq_f32(c, a, b); }
  static float32x4_t times(float32x4_t a, float32x4_t b) { return vmulq_f32(a, b); }
  static float32x4_t plus(float32x4_t a, float32x4_t b) { return vaddq_f32(a, b); }
  static float32x4_t minus(float32x4_t a, float32x4_t b) { return vsubq_f32(a, b); }
  static float32x4_t over(float32x4_t a, float32x4_t b) { return vdivq_f32(a, b); }
  static float32x4_t root(float32x4_t a) { return vsqrtq_f32(a); }
  static float32x4_t magnitude(float32x4_t a) { return vabsq_f32(a); }
  static float32x4_t with_sign(float32x4_t a, float32x4_t sign) {
    return vbslq_f32(vdupq_n_u32(0x80000000u), sign, a);
  }
  static float32x4_t smaller(float32x4_t kept, float32x4_t offered) { return vminnmq_f32(kept, offered); }
  static uint32x4_t above(float32x4_t a, float32x4_t b) { return vcgtq_f32(a, b); }
  static uint32x4_t differs(float32x4_t a, float32x4_t b) { return vmvnq_u32(vceqq_f32(a, b)); }
  static uint32x4_t both(uint32x4_t a, uint32x4_t b) { return vandq_u32(a, b); }
  static uint32x4_t either(uint32x4_t a, uint32x4_t b) { return vorrq_u32(a, b); }
  static std::uint32_t bits(uint32x4_t m) {
    constexpr std::uint32_t places[4] = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(m, vld1q_u32(places)));
  }
  static bool any(uint32x4_t m) { return vmaxvq_u32(m) != 0; }
  static float32x4_t where(uint32x4_t m, float32x4_t yes, float32x4_t no) { return vbslq_f32(m, yes, no); }
};

}  // namespace triptych::capsule_likelihood

#endif
