// The operations from a point to its log-likelihood, rounded in the same way on host and
// device. Files that use it must not fuse products with sums by themselves (-ffp-contract=off, --fmad=false).
//
// root and reciprocal are the short sequences by which a GPU rounds correctly inside a range; callers stay
// inside it, and exact_math_cuda_test walks every mantissa.
#pragma once

#include <triptych/core/host_device.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#if !defined(__CUDA_ARCH__)
#include <bit>
#endif

#if defined(__GNUC__) || defined(__CUDACC__)
#define TRIPTYCH_EXACT_HD TRIPTYCH_HD inline __attribute__((always_inline))
#else
#define TRIPTYCH_EXACT_HD TRIPTYCH_INLINE_HD
#endif

namespace triptych::capsule_likelihood::exact {

constexpr float no_number = std::numeric_limits<float>::quiet_NaN();

TRIPTYCH_EXACT_HD float fused(float a, float b, float c) {
#if defined(__CUDA_ARCH__)
  return __fmaf_rn(a, b, c);
#else
  return std::fma(a, b, c);
#endif
}

TRIPTYCH_EXACT_HD double fused(double a, double b, double c) {
#if defined(__CUDA_ARCH__)
  return __fma_rn(a, b, c);
#else
  return std::fma(a, b, c);
#endif
}

// The square root of q in [2^-101, 2^126); NaN for q <= 0 and for NaN. Between 0 and 2^-101 (which callers
// avoid, or do not care about) host and device may differ.
TRIPTYCH_EXACT_HD float root(float q) {
#if defined(__CUDA_ARCH__)
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(q));
  const float s = __fmul_rn(q, y);
  const float half = __fmul_rn(0.5f, y);
  const float rest = __fmaf_rn(-s, s, q);
  return __fmaf_rn(rest, half, s);
#else
  return q > 0 ? std::sqrt(q) : no_number;
#endif
}

// 1 / x for |x| in [2^-125, 2^125]; NaN for x = 0.
TRIPTYCH_EXACT_HD float reciprocal(float x) {
#if defined(__CUDA_ARCH__)
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  const float rest = __fmaf_rn(-x, y, 1.0f);
  return __fmaf_rn(y, rest, y);
#else
  return x != 0 ? 1.0f / x : no_number;
#endif
}

// IEEE 754 for every argument: slower on a GPU.
TRIPTYCH_EXACT_HD float any_root(float x) {
#if defined(__CUDA_ARCH__)
  return __fsqrt_rn(x);
#else
  return std::sqrt(x);
#endif
}
TRIPTYCH_EXACT_HD float any_quotient(float x, float y) {
#if defined(__CUDA_ARCH__)
  return __fdiv_rn(x, y);
#else
  return x / y;
#endif
}
TRIPTYCH_EXACT_HD double any_root(double x) {
#if defined(__CUDA_ARCH__)
  return __dsqrt_rn(x);
#else
  return std::sqrt(x);
#endif
}

// To a unit in the last place or so, not the same on host and device: for bounds with a margin.
TRIPTYCH_EXACT_HD float rough_root(float x) {
#if defined(__CUDA_ARCH__)
  float y;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return std::sqrt(x);
#endif
}
TRIPTYCH_EXACT_HD float rough_reciprocal(float x) {
#if defined(__CUDA_ARCH__)
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return 1.0f / x;
#endif
}

TRIPTYCH_EXACT_HD std::int32_t bits_of(float x) {
#if defined(__CUDA_ARCH__)
  return __float_as_int(x);
#else
  return std::bit_cast<std::int32_t>(x);
#endif
}

// The smaller; the first when the second is NaN.
TRIPTYCH_EXACT_HD float smaller(float kept, float offered) {
#if defined(__CUDA_ARCH__)
  return fminf(kept, offered);
#else
  return offered < kept ? offered : kept;
#endif
}

TRIPTYCH_EXACT_HD double dot(double ax, double ay, double az, double bx, double by, double bz) {
  return fused(ax, bx, fused(ay, by, az * bz));
}

}  // namespace triptych::capsule_likelihood::exact
