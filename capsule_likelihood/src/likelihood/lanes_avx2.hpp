// Eight floats at a time: AVX2 with fused multiply-adds.
#pragma once

#if defined(__x86_64__)

#include <immintrin.h>

#include <cstdint>

#define TRIPTYCH_AVX2_FMA __attribute__((target("avx2,fma")))
#define TRIPTYCH_AVX2_LANE TRIPTYCH_AVX2_FMA inline static __attribute__((always_inline))

namespace triptych::capsule_likelihood {

struct Avx2Lanes {
  static constexpr int lanes = 8;
  static constexpr std::uint32_t all_bits = 0xFF;
  using Floats = __m256;
  using Mask = __m256;

  static bool available() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

  TRIPTYCH_AVX2_LANE __m256 load(const float* p) { return _mm256_loadu_ps(p); }
  TRIPTYCH_AVX2_LANE void store(float* p, __m256 v) { _mm256_storeu_ps(p, v); }
  TRIPTYCH_AVX2_LANE __m256 all(float v) { return _mm256_set1_ps(v); }
  TRIPTYCH_AVX2_LANE __m256 fused(__m256 a, __m256 b, __m256 c) { return _mm256_fmadd_ps(a, b, c); }
  TRIPTYCH_AVX2_LANE __m256 times(__m256 a, __m256 b) { return _mm256_mul_ps(a, b); }
  TRIPTYCH_AVX2_LANE __m256 plus(__m256 a, __m256 b) { return _mm256_add_ps(a, b); }
  TRIPTYCH_AVX2_LANE __m256 minus(__m256 a, __m256 b) { return _mm256_sub_ps(a, b); }
  TRIPTYCH_AVX2_LANE __m256 over(__m256 a, __m256 b) { return _mm256_div_ps(a, b); }
  TRIPTYCH_AVX2_LANE __m256 root(__m256 a) { return _mm256_sqrt_ps(a); }
  TRIPTYCH_AVX2_LANE __m256 magnitude(__m256 a) { return _mm256_andnot_ps(all(-0.0f), a); }
  TRIPTYCH_AVX2_LANE __m256 with_sign(__m256 a, __m256 sign) {
    return _mm256_or_ps(_mm256_andnot_ps(all(-0.0f), a), _mm256_and_ps(all(-0.0f), sign));
  }
  // The second operand of min_ps wins when one is NaN.
  TRIPTYCH_AVX2_LANE __m256 smaller(__m256 kept, __m256 offered) { return _mm256_min_ps(offered, kept); }
  TRIPTYCH_AVX2_LANE __m256 above(__m256 a, __m256 b) { return _mm256_cmp_ps(a, b, _CMP_GT_OQ); }
  TRIPTYCH_AVX2_LANE __m256 differs(__m256 a, __m256 b) { return _mm256_cmp_ps(a, b, _CMP_NEQ_UQ); }
  TRIPTYCH_AVX2_LANE __m256 both(__m256 a, __m256 b) { return _mm256_and_ps(a, b); }
  TRIPTYCH_AVX2_LANE __m256 either(__m256 a, __m256 b) { return _mm256_or_ps(a, b); }
  TRIPTYCH_AVX2_LANE std::uint32_t bits(__m256 m) {
    return static_cast<std::uint32_t>(_mm256_movemask_ps(m));
  }
  TRIPTYCH_AVX2_LANE bool any(__m256 m) { return bits(m) != 0; }
  TRIPTYCH_AVX2_LANE __m256 where(__m256 m, __m256 yes, __m256 no) { return _mm256_blendv_ps(no, yes, m); }
};

}  // namespace triptych::capsule_likelihood

#endif
