// Elementary functions that give the same bits on host and device. They use only operations whose rounding
// IEEE 754 defines, and explicit fused multiply-adds, so that the result does not depend on the compiler. The
// error is about one ulp.
#pragma once

#include <cmath>
#include <cstdint>
#if !defined(__CUDA_ARCH__)
#include <bit>
#endif

#include <triptych/core/host_device.hpp>

namespace triptych {

// ln(x) for normal x > 0: x = m 2^e with m in [0.7, 1.4), ln m = 2 artanh((m - 1) / (m + 1)) by its series,
// whose first omitted term is below 2^-28 of the sum.
TRIPTYCH_INLINE_HD float portable_log(float x) {
#if defined(__CUDA_ARCH__)
  const std::uint32_t bits = __float_as_uint(x);
#else
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
#endif
  const std::uint32_t shifted = bits - 0x3F333333u;  // 0x3F333333 is 0.7
  const std::int32_t exponent = static_cast<std::int32_t>(shifted) >> 23;
  const std::uint32_t mantissa = (shifted & 0x007FFFFFu) + 0x3F333333u;
#if defined(__CUDA_ARCH__)
  const float m = __uint_as_float(mantissa);
  const float s = __fdiv_rn(m - 1.0f, m + 1.0f);
#else
  const float m = std::bit_cast<float>(mantissa);
  const float s = (m - 1.0f) / (m + 1.0f);
#endif
  const float z = s * s;
  float series = fmaf(z, 2.0f / 9.0f, 2.0f / 7.0f);
  series = fmaf(series, z, 2.0f / 5.0f);
  series = fmaf(series, z, 2.0f / 3.0f);
  const float tail = s * z;
  return fmaf(static_cast<float>(exponent), 0.69314718f, fmaf(tail, series, 2.0f * s));
}

struct CosSin {
  float cos, sin;
};

namespace detail {

// The cosine and sine of quarters * pi/2 + x, |x| at most pi/4, by Taylor polynomials whose first omitted
// terms are below 2^-28.
TRIPTYCH_INLINE_HD CosSin cos_sin_of_quarters(std::uint32_t quarters, float x) {
  const float z = x * x;
  float c = fmaf(z, -1.0f / 3628800.0f, 1.0f / 40320.0f);
  c = fmaf(c, z, -1.0f / 720.0f);
  c = fmaf(c, z, 1.0f / 24.0f);
  c = fmaf(c, z, -0.5f);
  c = fmaf(c, z, 1.0f);
  float s = fmaf(z, 1.0f / 362880.0f, -1.0f / 5040.0f);
  s = fmaf(s, z, 1.0f / 120.0f);
  s = fmaf(s, z, -1.0f / 6.0f);
  const float cube = x * z;
  s = fmaf(cube, s, x);
  const float even = (quarters & 1u) == 0 ? c : s;
  const float odd = (quarters & 1u) == 0 ? s : c;
  return {((quarters + 1u) & 2u) == 0 ? even : -even, (quarters & 2u) == 0 ? odd : -odd};
}

}  // namespace detail

// The cosine and sine of turn * 2 pi for turn in [0, 1), a multiple of 2^-24. Subtracting the nearest quarter
// turn is exact.
TRIPTYCH_INLINE_HD CosSin portable_cos_sin(float turn) {
  const float quarters = 4.0f * turn;
  const int nearest = (static_cast<int>(2.0f * quarters) + 1) / 2;
  const float x = (quarters - static_cast<float>(nearest)) * 1.57079633f;
  return detail::cos_sin_of_quarters(static_cast<std::uint32_t>(nearest), x);
}

// The cosine and sine of an angle in radians, |radians| at most 10,000. The nearest multiple of pi/2 is
// subtracted in three parts; the first difference is exact, since it is a small multiple of 2^-24.
TRIPTYCH_INLINE_HD CosSin portable_cos_sin_rad(float radians) {
  constexpr float round_to_integer = 0x1.8p23f;  // adding it rounds to the nearest integer
  const float shifted = fmaf(radians, 0.63661977f, round_to_integer);
  const float quarters = shifted - round_to_integer;
#if defined(__CUDA_ARCH__)
  const std::uint32_t bits = __float_as_uint(shifted);
#else
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(shifted);
#endif
  float x = fmaf(-quarters, 0x1.921fb6p+0f, radians);
  x = fmaf(-quarters, -0x1.777a5cp-25f, x);
  x = fmaf(-quarters, -0x1.ee59dap-50f, x);
  return detail::cos_sin_of_quarters(bits, x);
}

TRIPTYCH_INLINE_HD float portable_sqrt(float x) {
#if defined(__CUDA_ARCH__)
  return __fsqrt_rn(x);
#else
  return std::sqrt(x);
#endif
}

// e^x with an error of about one ulp: x = k ln 2 + r with |r| <= ln 2 / 2, e^r by its Taylor polynomial,
// whose first omitted term is below 2^-27. Below -87 the result is 0 (no subnormal numbers), above 88
// infinity. NaN gives NaN.
TRIPTYCH_INLINE_HD float portable_exp(float x) {
  if (x < -87.0f) return 0.0f;
  if (x > 88.0f) return HUGE_VALF;
  if (x != x) return x;
  constexpr float shift = 0x1.8p23f;  // adding it rounds to the nearest integer
  const float shifted = fmaf(x, 0x1.715476p+0f, shift);
  const float k = shifted - shift;
  float r = fmaf(k, -0x1.62e400p-1f, x);  // ln 2 in two parts; k times the first is exact
  r = fmaf(k, -0x1.7f7d1cp-20f, r);
  float p = fmaf(r, 1.0f / 5040.0f, 1.0f / 720.0f);
  p = fmaf(p, r, 1.0f / 120.0f);
  p = fmaf(p, r, 1.0f / 24.0f);
  p = fmaf(p, r, 1.0f / 6.0f);
  p = fmaf(p, r, 0.5f);
  p = fmaf(p, r, 1.0f);
  p = fmaf(p, r, 1.0f);
  // 2^k for -126 <= k <= 127, composed from its bits.
  const std::uint32_t bits = static_cast<std::uint32_t>(static_cast<std::int32_t>(k) + 127) << 23;
#if defined(__CUDA_ARCH__)
  return p * __uint_as_float(bits);
#else
  return p * std::bit_cast<float>(bits);
#endif
}

}  // namespace triptych
