// A pack of one element: the reference of the other forms in tests.
#pragma once

#include <triptych/core/simd/instruction_set.hpp>

#include <bit>
#include <cmath>
#include <cstdint>

namespace triptych::simd {

// The value of an IEEE half; not for NaN and infinity.
inline float float_of_half(std::uint16_t half) {
  const std::uint32_t sign = std::uint32_t{half & 0x8000u} << 16, rest = half & 0x7FFFu;
  // Exponent and fraction of the half as those of a float, which is then too small by 2^112.
  const float value = std::bit_cast<float>(rest << 13) * 0x1p112f;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | sign);
}

template <>
struct Mask<Plain> {
  bool m;

  friend Mask operator&(Mask a, Mask b) { return {(a.m & b.m) != 0}; }
  friend Mask operator|(Mask a, Mask b) { return {(a.m | b.m) != 0}; }
  friend bool any(Mask a) { return a.m; }
  friend std::uint32_t bits(Mask a) { return a.m ? 1 : 0; }
  friend int count_clear(Mask a, int count) { return count > 0 && !a.m ? 1 : 0; }
};

template <>
struct Pack<std::int32_t, Plain> {
  static constexpr int lanes = 1;
  std::int32_t v;

  static Pack load(const std::int32_t* p) { return {*p}; }
  static Pack all(std::int32_t value) { return {value}; }
  void store(std::int32_t* p) const { *p = v; }

  friend Pack operator+(Pack a, Pack b) { return wrapped(unsigned(a.v) + unsigned(b.v)); }
  friend Pack operator*(Pack a, Pack b) { return wrapped(unsigned(a.v) * unsigned(b.v)); }
  friend Pack operator>>(Pack a, Pack count) { return wrapped(unsigned(a.v) >> count.v); }
  friend Pack min(Pack a, Pack b) { return {a.v < b.v ? a.v : b.v}; }
  friend Pack max(Pack a, Pack b) { return {a.v > b.v ? a.v : b.v}; }
  friend Pack first_lanes(Pack a, int count) { return {count > 0 ? a.v : 0}; }

 private:
  static Pack wrapped(unsigned value) { return {static_cast<std::int32_t>(value)}; }
};

template <>
struct Pack<float, Plain> {
  static constexpr int lanes = 1;
  using Ints = Pack<std::int32_t, Plain>;
  float v;

  static Pack load(const float* p) { return {*p}; }
  static Pack load_halves(const std::uint16_t* p) { return {float_of_half(*p)}; }
  friend void load_pairs(const float* p, Ints at, Pack& left, Pack& right) {
    left = {p[at.v]};
    right = {p[at.v + 1]};
  }
  static Pack all(float value) { return {value}; }
  void store(float* p) const { *p = v; }

  friend Pack operator+(Pack a, Pack b) { return {a.v + b.v}; }
  friend Pack operator-(Pack a, Pack b) { return {a.v - b.v}; }
  friend Pack operator*(Pack a, Pack b) { return {a.v * b.v}; }
  friend Pack operator/(Pack a, Pack b) { return {a.v / b.v}; }
  friend Pack fma(Pack a, Pack b, Pack c) { return {std::fma(a.v, b.v, c.v)}; }
  friend Pack multiply_add(Pack a, Pack b, Pack c) {
#if defined(__FP_FAST_FMAF)
    return {std::fma(a.v, b.v, c.v)};
#else
    return {a.v * b.v + c.v};
#endif
  }
  friend Pack sqrt(Pack a) { return {std::sqrt(a.v)}; }
  friend Pack abs(Pack a) { return {std::fabs(a.v)}; }
  friend Pack copysign(Pack a, Pack sign) { return {std::copysign(a.v, sign.v)}; }
  friend Pack min_number(Pack kept, Pack x) { return {x.v < kept.v ? x.v : kept.v}; }
  friend Pack max_number(Pack kept, Pack x) { return {x.v > kept.v ? x.v : kept.v}; }
  friend Mask<Plain> operator>(Pack a, Pack b) { return {a.v > b.v}; }
  friend Mask<Plain> operator>=(Pack a, Pack b) { return {a.v >= b.v}; }
  friend Mask<Plain> operator<=(Pack a, Pack b) { return {a.v <= b.v}; }
  friend Mask<Plain> operator!=(Pack a, Pack b) { return {a.v != b.v}; }
  friend Pack select(Mask<Plain> mask, Pack yes, Pack no) { return {mask.m ? yes.v : no.v}; }
  friend Pack first_lanes(Pack a, int count) { return {count > 0 ? a.v : 0.0f}; }
  friend Ints truncate(Pack a) { return {static_cast<std::int32_t>(a.v)}; }
  friend void add_to(double* sums, Pack a) { *sums += double{a.v}; }
};

inline Pack<float, Plain> to_float(Pack<std::int32_t, Plain> a) { return {static_cast<float>(a.v)}; }

}  // namespace triptych::simd
