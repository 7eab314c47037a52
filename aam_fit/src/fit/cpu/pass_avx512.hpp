// A pack in one register: AVX-512.
#pragma once

#if defined(__x86_64__)

#include <immintrin.h>

#include <cstdint>

#define TRIPTYCH_PASS_AVX512 __attribute__((target("avx512f,avx512dq,avx2,fma")))
#define TRIPTYCH_PASS_AVX512_LANE TRIPTYCH_PASS_AVX512 inline static __attribute__((always_inline))

namespace triptych::aam_fit {

struct PassAvx512 {
  static constexpr int packs_at_a_time = 8;
  using Pack = __m512;
  using Ints = __m512i;

  static bool available() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("fma");
  }

  TRIPTYCH_PASS_AVX512_LANE __m512 load(const float* p) { return _mm512_loadu_ps(p); }
  TRIPTYCH_PASS_AVX512_LANE __m512 load_halves(const std::uint16_t* p) {
    return _mm512_maskz_cvtph_ps(0xFFFF, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  TRIPTYCH_PASS_AVX512_LANE void store(float* p, __m512 v) { _mm512_storeu_ps(p, v); }
  TRIPTYCH_PASS_AVX512_LANE __m512i load_ints(const std::int32_t* p) { return _mm512_loadu_si512(p); }
  TRIPTYCH_PASS_AVX512_LANE void store_ints(std::int32_t* p, __m512i v) { _mm512_storeu_si512(p, v); }
  TRIPTYCH_PASS_AVX512_LANE __m512 all(float v) { return _mm512_set1_ps(v); }
  TRIPTYCH_PASS_AVX512_LANE __m512 fused(__m512 a, __m512 b, __m512 c) { return _mm512_fmadd_ps(a, b, c); }
  TRIPTYCH_PASS_AVX512_LANE __m512 plus(__m512 a, __m512 b) { return _mm512_add_ps(a, b); }
  TRIPTYCH_PASS_AVX512_LANE __m512 minus(__m512 a, __m512 b) { return _mm512_sub_ps(a, b); }
  // 0 .. last; NaN becomes 0, because the second operand wins then.
  TRIPTYCH_PASS_AVX512_LANE __m512 clamped(__m512 x, __m512 last) {
    return _mm512_maskz_min_ps(0xFFFF, _mm512_maskz_max_ps(0xFFFF, x, _mm512_setzero_ps()), last);
  }
  TRIPTYCH_PASS_AVX512_LANE __m512i whole(__m512 x, std::int32_t most) {
    return _mm512_maskz_min_epi32(0xFFFF, _mm512_maskz_cvttps_epi32(0xFFFF, x), _mm512_set1_epi32(most));
  }
  TRIPTYCH_PASS_AVX512_LANE __m512 to_floats(__m512i i) { return _mm512_maskz_cvtepi32_ps(0xFFFF, i); }
  TRIPTYCH_PASS_AVX512_LANE __m512i offset(__m512i x, __m512i y, std::int32_t pitch) {
    return _mm512_add_epi32(_mm512_mullo_epi32(y, _mm512_set1_epi32(pitch)), x);
  }
  TRIPTYCH_PASS_AVX512_LANE __mmask16 first(int count) {
    return static_cast<__mmask16>(count >= 16 ? 0xFFFF : (1 << count) - 1);
  }
  TRIPTYCH_PASS_AVX512_LANE int count_outside(__m512 x, __m512 y, __m512 last_x, __m512 last_y, int count) {
    const __m512 zero = _mm512_setzero_ps();
    const __mmask16 inside = _mm512_mask_cmp_ps_mask(
        _mm512_mask_cmp_ps_mask(
            _mm512_mask_cmp_ps_mask(_mm512_cmp_ps_mask(x, zero, _CMP_GE_OQ), x, last_x, _CMP_LE_OQ), y, zero,
            _CMP_GE_OQ),
        y, last_y, _CMP_LE_OQ);
    return __builtin_popcount(static_cast<unsigned>(first(count)) & ~static_cast<unsigned>(inside));
  }
  TRIPTYCH_PASS_AVX512_LANE __m512 first_lanes(__m512 v, int count) {
    return _mm512_maskz_mov_ps(first(count), v);
  }
  // Each pair is fetched as one 64-bit word.
  TRIPTYCH_PASS_AVX512_LANE void neighbours(const float* plane, __m512i at, __m512& left, __m512& right) {
    const __m512d none = _mm512_setzero_pd();
    const __m512 low = _mm512_castpd_ps(
        _mm512_mask_i32gather_pd(none, 0xFF, _mm512_maskz_extracti64x4_epi64(0xF, at, 0), plane, 4));
    const __m512 high = _mm512_castpd_ps(
        _mm512_mask_i32gather_pd(none, 0xFF, _mm512_maskz_extracti64x4_epi64(0xF, at, 1), plane, 4));
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    left = _mm512_permutex2var_ps(low, even, high);
    right = _mm512_permutex2var_ps(low, _mm512_add_epi32(even, _mm512_set1_epi32(1)), high);
  }
  TRIPTYCH_PASS_AVX512_LANE void add_to(double* sums, __m512 v) {
    const __m512d low = _mm512_maskz_cvtps_pd(0xFF, _mm512_maskz_extractf32x8_ps(0xFF, v, 0));
    const __m512d high = _mm512_maskz_cvtps_pd(0xFF, _mm512_maskz_extractf32x8_ps(0xFF, v, 1));
    _mm512_storeu_pd(sums, _mm512_add_pd(_mm512_loadu_pd(sums), low));
    _mm512_storeu_pd(sums + 8, _mm512_add_pd(_mm512_loadu_pd(sums + 8), high));
  }
};

}  // namespace triptych::aam_fit

#endif
