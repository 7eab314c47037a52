// A pack as an array: every machine. Multiply-adds are fused where the compiler knows that to be fast.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace triptych::aam_fit {

// What the bits of an IEEE half say.
inline float float_of_half(std::uint16_t half) {
  const std::uint32_t sign = std::uint32_t{half & 0x8000u} << 16, rest = half & 0x7FFFu;
  // The half's exponent and fraction, as those of a float that is 2^112 times as small.
  const float small = std::bit_cast<float>(rest << 13);
  const float value = small * 0x1p112f;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | sign);
}

struct PassPlain {
  static constexpr int lanes = 16;
  static constexpr int packs_at_a_time = 2;
  struct Pack {
    float lane[lanes];
  };
  struct Ints {
    std::int32_t lane[lanes];
  };

  template <class To, class F>
  static To each(F f) {
    To to;
    for (int i = 0; i < lanes; ++i) to.lane[i] = f(i);
    return to;
  }
  static Pack load(const float* p) {
    return each<Pack>([=](int i) { return p[i]; });
  }
  static Pack load_halves(const std::uint16_t* p) {
    return each<Pack>([=](int i) { return float_of_half(p[i]); });
  }
  static void store(float* p, const Pack& v) {
    for (int i = 0; i < lanes; ++i) p[i] = v.lane[i];
  }
  static Ints load_ints(const std::int32_t* p) {
    return each<Ints>([=](int i) { return p[i]; });
  }
  static void store_ints(std::int32_t* p, const Ints& v) {
    for (int i = 0; i < lanes; ++i) p[i] = v.lane[i];
  }
  static Pack all(float v) {
    return each<Pack>([=](int) { return v; });
  }
  static Pack fused(const Pack& a, const Pack& b, const Pack& c) {
#if defined(__FP_FAST_FMAF)
    return each<Pack>([&](int i) { return std::fma(a.lane[i], b.lane[i], c.lane[i]); });
#else
    return each<Pack>([&](int i) { return a.lane[i] * b.lane[i] + c.lane[i]; });
#endif
  }
  static Pack plus(const Pack& a, const Pack& b) {
    return each<Pack>([&](int i) { return a.lane[i] + b.lane[i]; });
  }
  static Pack minus(const Pack& a, const Pack& b) {
    return each<Pack>([&](int i) { return a.lane[i] - b.lane[i]; });
  }
  // 0 .. last; NaN becomes 0.
  static Pack clamped(const Pack& x, const Pack& last) {
    return each<Pack>([&](int i) {
      const float low = x.lane[i] > 0 ? x.lane[i] : 0.0f;
      return low < last.lane[i] ? low : last.lane[i];
    });
  }
  static Ints whole(const Pack& x, std::int32_t most) {
    return each<Ints>([&](int i) {
      const auto v = static_cast<std::int32_t>(x.lane[i]);
      return v < most ? v : most;
    });
  }
  static Pack to_floats(const Ints& v) {
    return each<Pack>([&](int i) { return static_cast<float>(v.lane[i]); });
  }
  static Ints offset(const Ints& x, const Ints& y, std::int32_t pitch) {
    return each<Ints>([&](int i) { return y.lane[i] * pitch + x.lane[i]; });
  }
  static int count_outside(const Pack& x, const Pack& y, const Pack& last_x, const Pack& last_y, int count) {
    int outside = 0;
    for (int i = 0; i < lanes && i < count; ++i)
      outside +=
          x.lane[i] >= 0 && x.lane[i] <= last_x.lane[i] && y.lane[i] >= 0 && y.lane[i] <= last_y.lane[i] ? 0
                                                                                                         : 1;
    return outside;
  }
  static Pack first_lanes(const Pack& v, int count) {
    return each<Pack>([&](int i) { return i < count ? v.lane[i] : 0.0f; });
  }
  static void neighbours(const float* plane, const Ints& at, Pack& left, Pack& right) {
    left = each<Pack>([&](int i) { return plane[at.lane[i]]; });
    right = each<Pack>([&](int i) { return plane[at.lane[i] + 1]; });
  }
  static void add_to(double* sums, const Pack& v) {
    for (int i = 0; i < lanes; ++i) sums[i] += double{v.lane[i]};
  }
};

}  // namespace triptych::aam_fit
