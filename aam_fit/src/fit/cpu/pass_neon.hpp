// A pack in four registers: NEON, which every 64-bit ARM has.
#pragma once

#if defined(__aarch64__)

#include <arm_neon.h>

#include <cstdint>

namespace triptych::aam_fit {

struct PassNeon {
  static constexpr int packs_at_a_time = 3;
  struct Pack {
    float32x4_t part[4];
  };
  struct Ints {
    int32x4_t part[4];
  };

  template <class To, class F>
  static To each(F f) {
    To to;
    for (int i = 0; i < 4; ++i) to.part[i] = f(i);
    return to;
  }
  static Pack load(const float* p) {
    return each<Pack>([=](int i) { return vld1q_f32(p + 4 * i); });
  }
  static Pack load_halves(const std::uint16_t* p) {
    return each<Pack>([=](int i) { return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p + 4 * i))); });
  }
  static void store(float* p, const Pack& v) {
    for (int i = 0; i < 4; ++i) vst1q_f32(p + 4 * i, v.part[i]);
  }
  static Ints load_ints(const std::int32_t* p) {
    return each<Ints>([=](int i) { return vld1q_s32(p + 4 * i); });
  }
  static void store_ints(std::int32_t* p, const Ints& v) {
    for (int i = 0; i < 4; ++i) vst1q_s32(p + 4 * i, v.part[i]);
  }
  static Pack all(float v) {
    return each<Pack>([=](int) { return vdupq_n_f32(v); });
  }
  static Pack fused(const Pack& a, const Pack& b, const Pack& c) {
    return each<Pack>([&](int i) { return vfmaq_f32(c.part[i], a.part[i], b.part[i]); });
  }
  static Pack plus(const Pack& a, const Pack& b) {
    return each<Pack>([&](int i) { return vaddq_f32(a.part[i], b.part[i]); });
  }
  static Pack minus(const Pack& a, const Pack& b) {
    return each<Pack>([&](int i) { return vsubq_f32(a.part[i], b.part[i]); });
  }
  // 0 .. last; NaN becomes 0, because the number wins.
  static Pack clamped(const Pack& x, const Pack& last) {
    return each<Pack>([&](int i) { return vminq_f32(vmaxnmq_f32(x.part[i], vdupq_n_f32(0)), last.part[i]); });
  }
  static Ints whole(const Pack& x, std::int32_t most) {
    return each<Ints>([&](int i) { return vminq_s32(vcvtq_s32_f32(x.part[i]), vdupq_n_s32(most)); });
  }
  static Pack to_floats(const Ints& v) {
    return each<Pack>([&](int i) { return vcvtq_f32_s32(v.part[i]); });
  }
  static Ints offset(const Ints& x, const Ints& y, std::int32_t pitch) {
    return each<Ints>([&](int i) { return vmlaq_n_s32(x.part[i], y.part[i], pitch); });
  }
  static uint32x4_t lanes_below(int part, int count) {
    constexpr std::int32_t lanes[4] = {0, 1, 2, 3};
    return vcltq_s32(vaddq_s32(vld1q_s32(lanes), vdupq_n_s32(4 * part)), vdupq_n_s32(count));
  }
  static int count_outside(const Pack& x, const Pack& y, const Pack& last_x, const Pack& last_y, int count) {
    uint32x4_t outside = vdupq_n_u32(0);
    const float32x4_t zero = vdupq_n_f32(0);
    for (int i = 0; i < 4; ++i) {
      const uint32x4_t in_x = vandq_u32(vcgeq_f32(x.part[i], zero), vcleq_f32(x.part[i], last_x.part[i]));
      const uint32x4_t in_y = vandq_u32(vcgeq_f32(y.part[i], zero), vcleq_f32(y.part[i], last_y.part[i]));
      // A lane that counts is all ones: minus one.
      outside = vsubq_u32(outside, vbicq_u32(lanes_below(i, count), vandq_u32(in_x, in_y)));
    }
    return static_cast<int>(vaddvq_u32(outside));
  }
  static Pack first_lanes(const Pack& v, int count) {
    if (count >= 16) return v;
    return each<Pack>([&](int i) {
      return vreinterpretq_f32_u32(vandq_u32(lanes_below(i, count), vreinterpretq_u32_f32(v.part[i])));
    });
  }
  static void neighbours(const float* plane, const Ints& at, Pack& left, Pack& right) {
    for (int i = 0; i < 4; ++i) {
      const float32x4_t low = vcombine_f32(vld1_f32(plane + vgetq_lane_s32(at.part[i], 0)),
                                           vld1_f32(plane + vgetq_lane_s32(at.part[i], 1)));
      const float32x4_t high = vcombine_f32(vld1_f32(plane + vgetq_lane_s32(at.part[i], 2)),
                                            vld1_f32(plane + vgetq_lane_s32(at.part[i], 3)));
      left.part[i] = vuzp1q_f32(low, high);
      right.part[i] = vuzp2q_f32(low, high);
    }
  }
  static void add_to(double* sums, const Pack& v) {
    for (int i = 0; i < 4; ++i) {
      double* at = sums + 4 * i;
      vst1q_f64(at, vaddq_f64(vld1q_f64(at), vcvt_f64_f32(vget_low_f32(v.part[i]))));
      vst1q_f64(at + 2, vaddq_f64(vld1q_f64(at + 2), vcvt_high_f64_f32(v.part[i])));
    }
  }
};

}  // namespace triptych::aam_fit

#endif
