// Sixteen floats at a time: AVX-512.
#pragma once

#if defined(__x86_64__)

#include <immintrin.h>

#include <cstdint>

#define TRIPTYCH_AVX512_FMA __attribute__((target("avx512f,avx512dq,avx2,fma")))
#define TRIPTYCH_AVX512_LANE TRIPTYCH_AVX512_FMA inline static __attribute__((always_inline))

namespace triptych::capsule_likelihood {

struct Avx512Lanes {
  static constexpr int lanes = 16;
  static constexpr std::uint32_t all_bits = 0xFFFF;
  using Floats = __m512;
  using Mask = __mmask16;

  static bool available() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("fma");
  }

  TRIPTYCH_AVX512_LANE __m512 load(const float* p) { return _mm512_loadu_ps(p); }
  TRIPTYCH_AVX512_LANE void store(float* p, __m512 v) { _mm512_storeu_ps(p, v); }
  TRIPTYCH_AVX512_LANE __m512 all(float v) { return _mm512_set1_ps(v); }
  TRIPTYCH_AVX512_LANE __m512 fused(__m512 a, __m512 b, __m512 c) { return _mm512_fmadd_ps(a, b, c); }
  TRIPTYCH_AVX512_LANE __m512 times(__m512 a, __m512 b) { return _mm512_mul_ps(a, b); }
  TRIPTYCH_AVX512_LANE __m512 plus(__m512 a, __m512 b) { return _mm512_add_ps(a, b); }
  TRIPTYCH_AVX512_LANE __m512 minus(__m512 a, __m512 b) { return _mm512_sub_ps(a, b); }
  TRIPTYCH_AVX512_LANE __m512 over(__m512 a, __m512 b) { return _mm512_div_ps(a, b); }
  TRIPTYCH_AVX512_LANE __m512 root(__m512 a) { return _mm512_maskz_sqrt_ps(0xFFFF, a); }
  TRIPTYCH_AVX512_LANE __m512 magnitude(__m512 a) { return _mm512_andnot_ps(all(-0.0f), a); }
  TRIPTYCH_AVX512_LANE __m512 with_sign(__m512 a, __m512 sign) {
    return _mm512_or_ps(_mm512_andnot_ps(all(-0.0f), a), _mm512_and_ps(all(-0.0f), sign));
  }
  // The second operand of min_ps wins when one is NaN.
  TRIPTYCH_AVX512_LANE __m512 smaller(__m512 kept, __m512 offered) {
    return _mm512_maskz_min_ps(0xFFFF, offered, kept);
  }
  TRIPTYCH_AVX512_LANE __mmask16 above(__m512 a, __m512 b) { return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ); }
  TRIPTYCH_AVX512_LANE __mmask16 differs(__m512 a, __m512 b) { return _mm512_cmp_ps_mask(a, b, _CMP_NEQ_UQ); }
  TRIPTYCH_AVX512_LANE __mmask16 both(__mmask16 a, __mmask16 b) { return static_cast<__mmask16>(a & b); }
  TRIPTYCH_AVX512_LANE __mmask16 either(__mmask16 a, __mmask16 b) { return static_cast<__mmask16>(a | b); }
  TRIPTYCH_AVX512_LANE std::uint32_t bits(__mmask16 m) { return m; }
  TRIPTYCH_AVX512_LANE bool any(__mmask16 m) { return m != 0; }
  TRIPTYCH_AVX512_LANE __m512 where(__mmask16 m, __m512 yes, __m512 no) {
    return _mm512_mask_blend_ps(m, no, yes);
  }
};

}  // namespace triptych::capsule_likelihood

#endif
