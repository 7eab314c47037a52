// Packs of 64 bytes: AVX-512. Masked intrinsics with all lanes set replace unmasked ones whose undefined
// input GCC 12 warns about.
#pragma once

#if defined(__x86_64__)

#include <triptych/core/simd/instruction_set.hpp>

#include <immintrin.h>

#include <cstdint>

#define TRIPTYCH_OP TRIPTYCH_TARGET_AVX512 TRIPTYCH_SIMD_INLINE

namespace triptych::simd {

template <>
struct Mask<Avx512> {
  static constexpr __mmask16 all = 0xFFFF;
  __mmask16 m;

  TRIPTYCH_OP friend Mask operator&(Mask a, Mask b) { return {static_cast<__mmask16>(a.m & b.m)}; }
  TRIPTYCH_OP friend Mask operator|(Mask a, Mask b) { return {static_cast<__mmask16>(a.m | b.m)}; }
  TRIPTYCH_OP friend std::uint32_t bits(Mask a) { return a.m; }
  TRIPTYCH_OP friend bool any(Mask a) { return a.m != 0; }
  TRIPTYCH_OP friend int count_clear(Mask a, int count) {
    return __builtin_popcount(unsigned{first_lanes(count)} & ~bits(a));
  }
  TRIPTYCH_OP static __mmask16 first_lanes(int count) {
    return static_cast<__mmask16>(count >= 16 ? 0xFFFFu : count > 0 ? (1u << count) - 1 : 0);
  }
};

template <>
struct Pack<std::int32_t, Avx512> {
  static constexpr int lanes = 16;
  __m512i v;

  TRIPTYCH_OP static Pack load(const std::int32_t* p) { return {_mm512_loadu_si512(p)}; }
  TRIPTYCH_OP static Pack all(std::int32_t value) { return {_mm512_set1_epi32(value)}; }
  TRIPTYCH_OP void store(std::int32_t* p) const { _mm512_storeu_si512(p, v); }

  TRIPTYCH_OP friend Pack operator+(Pack a, Pack b) { return {_mm512_add_epi32(a.v, b.v)}; }
  TRIPTYCH_OP friend Pack operator*(Pack a, Pack b) { return {_mm512_mullo_epi32(a.v, b.v)}; }
  TRIPTYCH_OP friend Pack operator>>(Pack a, Pack count) {
    return {_mm512_maskz_srlv_epi32(Mask<Avx512>::all, a.v, count.v)};
  }
  TRIPTYCH_OP friend Pack min(Pack a, Pack b) {
    return {_mm512_maskz_min_epi32(Mask<Avx512>::all, a.v, b.v)};
  }
  TRIPTYCH_OP friend Pack max(Pack a, Pack b) {
    return {_mm512_maskz_max_epi32(Mask<Avx512>::all, a.v, b.v)};
  }
  TRIPTYCH_OP friend Pack first_lanes(Pack a, int count) {
    return {_mm512_maskz_mov_epi32(Mask<Avx512>::first_lanes(count), a.v)};
  }
};

template <>
struct Pack<float, Avx512> {
  static constexpr int lanes = 16;
  static constexpr __mmask16 all_lanes = Mask<Avx512>::all;
  using Ints = Pack<std::int32_t, Avx512>;
  __m512 v;

  TRIPTYCH_OP static Pack load(const float* p) { return {_mm512_loadu_ps(p)}; }
  TRIPTYCH_OP static Pack load_halves(const std::uint16_t* p) {
    return {_mm512_maskz_cvtph_ps(all_lanes, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))};
  }
  // Each pair is loaded as one 64-bit word.
  TRIPTYCH_OP friend void load_pairs(const float* p, Ints at, Pack& left, Pack& right) {
    const __m512d none = _mm512_setzero_pd();
    const __m512 low = _mm512_castpd_ps(
        _mm512_mask_i32gather_pd(none, 0xFF, _mm512_maskz_extracti64x4_epi64(0xF, at.v, 0), p, 4));
    const __m512 high = _mm512_castpd_ps(
        _mm512_mask_i32gather_pd(none, 0xFF, _mm512_maskz_extracti64x4_epi64(0xF, at.v, 1), p, 4));
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    left = {_mm512_permutex2var_ps(low, even, high)};
    right = {_mm512_permutex2var_ps(low, _mm512_add_epi32(even, _mm512_set1_epi32(1)), high)};
  }
  TRIPTYCH_OP static Pack all(float value) { return {_mm512_set1_ps(value)}; }
  TRIPTYCH_OP void store(float* p) const { _mm512_storeu_ps(p, v); }

  TRIPTYCH_OP friend Pack operator+(Pack a, Pack b) { return {_mm512_add_ps(a.v, b.v)}; }
  TRIPTYCH_OP friend Pack operator-(Pack a, Pack b) { return {_mm512_sub_ps(a.v, b.v)}; }
  TRIPTYCH_OP friend Pack operator*(Pack a, Pack b) { return {_mm512_mul_ps(a.v, b.v)}; }
  TRIPTYCH_OP friend Pack operator/(Pack a, Pack b) { return {_mm512_div_ps(a.v, b.v)}; }
  TRIPTYCH_OP friend Pack fma(Pack a, Pack b, Pack c) { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }
  TRIPTYCH_OP friend Pack multiply_add(Pack a, Pack b, Pack c) { return fma(a, b, c); }
  TRIPTYCH_OP friend Pack sqrt(Pack a) { return {_mm512_maskz_sqrt_ps(all_lanes, a.v)}; }
  TRIPTYCH_OP friend Pack abs(Pack a) { return {_mm512_andnot_ps(_mm512_set1_ps(-0.0f), a.v)}; }
  TRIPTYCH_OP friend Pack copysign(Pack a, Pack sign) {
    return {_mm512_or_ps(abs(a).v, _mm512_and_ps(_mm512_set1_ps(-0.0f), sign.v))};
  }
  // min_ps and max_ps return the second operand when one is NaN.
  TRIPTYCH_OP friend Pack min_number(Pack kept, Pack x) {
    return {_mm512_maskz_min_ps(all_lanes, x.v, kept.v)};
  }
  TRIPTYCH_OP friend Pack max_number(Pack kept, Pack x) {
    return {_mm512_maskz_max_ps(all_lanes, x.v, kept.v)};
  }
  TRIPTYCH_OP friend Mask<Avx512> operator>(Pack a, Pack b) {
    return {_mm512_cmp_ps_mask(a.v, b.v, _CMP_GT_OQ)};
  }
  TRIPTYCH_OP friend Mask<Avx512> operator>=(Pack a, Pack b) {
    return {_mm512_cmp_ps_mask(a.v, b.v, _CMP_GE_OQ)};
  }
  TRIPTYCH_OP friend Mask<Avx512> operator<=(Pack a, Pack b) {
    return {_mm512_cmp_ps_mask(a.v, b.v, _CMP_LE_OQ)};
  }
  TRIPTYCH_OP friend Mask<Avx512> operator!=(Pack a, Pack b) {
    return {_mm512_cmp_ps_mask(a.v, b.v, _CMP_NEQ_UQ)};
  }
  TRIPTYCH_OP friend Pack select(Mask<Avx512> mask, Pack yes, Pack no) {
    return {_mm512_mask_blend_ps(mask.m, no.v, yes.v)};
  }
  TRIPTYCH_OP friend Pack first_lanes(Pack a, int count) {
    return {_mm512_maskz_mov_ps(Mask<Avx512>::first_lanes(count), a.v)};
  }
  TRIPTYCH_OP friend Ints truncate(Pack a) { return {_mm512_maskz_cvttps_epi32(all_lanes, a.v)}; }
  TRIPTYCH_OP friend void add_to(double* sums, Pack a) {
    const __m512d low = _mm512_maskz_cvtps_pd(0xFF, _mm512_maskz_extractf32x8_ps(0xFF, a.v, 0));
    const __m512d high = _mm512_maskz_cvtps_pd(0xFF, _mm512_maskz_extractf32x8_ps(0xFF, a.v, 1));
    _mm512_storeu_pd(sums, _mm512_add_pd(_mm512_loadu_pd(sums), low));
    _mm512_storeu_pd(sums + 8, _mm512_add_pd(_mm512_loadu_pd(sums + 8), high));
  }
};

TRIPTYCH_OP Pack<float, Avx512> to_float(Pack<std::int32_t, Avx512> a) {
  return {_mm512_maskz_cvtepi32_ps(Mask<Avx512>::all, a.v)};
}

}  // namespace triptych::simd

#undef TRIPTYCH_OP
#endif
