// Packs of 32 bytes: AVX2 with fused multiply-adds and conversion of halves.
#pragma once

#if defined(__x86_64__)

#include <triptych/core/simd/instruction_set.hpp>

#include <immintrin.h>

#include <cstdint>

#define TRIPTYCH_OP TRIPTYCH_TARGET_AVX2 TRIPTYCH_SIMD_INLINE

namespace triptych::simd {

template <>
struct Mask<Avx2> {
  __m256 m;

  TRIPTYCH_OP friend Mask operator&(Mask a, Mask b) { return {_mm256_and_ps(a.m, b.m)}; }
  TRIPTYCH_OP friend Mask operator|(Mask a, Mask b) { return {_mm256_or_ps(a.m, b.m)}; }
  TRIPTYCH_OP friend std::uint32_t bits(Mask a) {
    return static_cast<std::uint32_t>(_mm256_movemask_ps(a.m));
  }
  TRIPTYCH_OP friend bool any(Mask a) { return bits(a) != 0; }
  TRIPTYCH_OP friend int count_clear(Mask a, int count) {
    const unsigned first = count >= 8 ? 0xFFu : count > 0 ? (1u << count) - 1 : 0;
    return __builtin_popcount(first & ~bits(a));
  }
  TRIPTYCH_OP static __m256i first_lanes(int count) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
};

template <>
struct Pack<std::int32_t, Avx2> {
  static constexpr int lanes = 8;
  __m256i v;

  TRIPTYCH_OP static Pack load(const std::int32_t* p) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))};
  }
  TRIPTYCH_OP static Pack all(std::int32_t value) { return {_mm256_set1_epi32(value)}; }
  TRIPTYCH_OP void store(std::int32_t* p) const { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }

  TRIPTYCH_OP friend Pack operator+(Pack a, Pack b) { return {_mm256_add_epi32(a.v, b.v)}; }
  TRIPTYCH_OP friend Pack operator*(Pack a, Pack b) { return {_mm256_mullo_epi32(a.v, b.v)}; }
  TRIPTYCH_OP friend Pack operator>>(Pack a, Pack count) { return {_mm256_srlv_epi32(a.v, count.v)}; }
  TRIPTYCH_OP friend Pack min(Pack a, Pack b) { return {_mm256_min_epi32(a.v, b.v)}; }
  TRIPTYCH_OP friend Pack max(Pack a, Pack b) { return {_mm256_max_epi32(a.v, b.v)}; }
  TRIPTYCH_OP friend Pack first_lanes(Pack a, int count) {
    return {_mm256_and_si256(Mask<Avx2>::first_lanes(count), a.v)};
  }
};

template <>
struct Pack<float, Avx2> {
  static constexpr int lanes = 8;
  using Ints = Pack<std::int32_t, Avx2>;
  __m256 v;

  TRIPTYCH_OP static Pack load(const float* p) { return {_mm256_loadu_ps(p)}; }
  TRIPTYCH_OP static Pack load_halves(const std::uint16_t* p) {
    return {_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
  }
  // Each pair is loaded as one 64-bit word.
  TRIPTYCH_OP friend void load_pairs(const float* p, Ints at, Pack& left, Pack& right) {
    const __m256 low = four_pairs(p, _mm256_castsi256_si128(at.v));
    const __m256 high = four_pairs(p, _mm256_extracti128_si256(at.v, 1));
    left = {in_order(_mm256_shuffle_ps(low, high, 0x88))};
    right = {in_order(_mm256_shuffle_ps(low, high, 0xDD))};
  }
  TRIPTYCH_OP static Pack all(float value) { return {_mm256_set1_ps(value)}; }
  TRIPTYCH_OP void store(float* p) const { _mm256_storeu_ps(p, v); }

  TRIPTYCH_OP friend Pack operator+(Pack a, Pack b) { return {_mm256_add_ps(a.v, b.v)}; }
  TRIPTYCH_OP friend Pack operator-(Pack a, Pack b) { return {_mm256_sub_ps(a.v, b.v)}; }
  TRIPTYCH_OP friend Pack operator*(Pack a, Pack b) { return {_mm256_mul_ps(a.v, b.v)}; }
  TRIPTYCH_OP friend Pack operator/(Pack a, Pack b) { return {_mm256_div_ps(a.v, b.v)}; }
  TRIPTYCH_OP friend Pack fma(Pack a, Pack b, Pack c) { return {_mm256_fmadd_ps(a.v, b.v, c.v)}; }
  TRIPTYCH_OP friend Pack multiply_add(Pack a, Pack b, Pack c) { return fma(a, b, c); }
  TRIPTYCH_OP friend Pack sqrt(Pack a) { return {_mm256_sqrt_ps(a.v)}; }
  TRIPTYCH_OP friend Pack abs(Pack a) { return {_mm256_andnot_ps(_mm256_set1_ps(-0.0f), a.v)}; }
  TRIPTYCH_OP friend Pack copysign(Pack a, Pack sign) {
    return {_mm256_or_ps(abs(a).v, _mm256_and_ps(_mm256_set1_ps(-0.0f), sign.v))};
  }
  // min_ps and max_ps return the second operand when one is NaN.
  TRIPTYCH_OP friend Pack min_number(Pack kept, Pack x) { return {_mm256_min_ps(x.v, kept.v)}; }
  TRIPTYCH_OP friend Pack max_number(Pack kept, Pack x) { return {_mm256_max_ps(x.v, kept.v)}; }
  TRIPTYCH_OP friend Mask<Avx2> operator>(Pack a, Pack b) { return {_mm256_cmp_ps(a.v, b.v, _CMP_GT_OQ)}; }
  TRIPTYCH_OP friend Mask<Avx2> operator>=(Pack a, Pack b) { return {_mm256_cmp_ps(a.v, b.v, _CMP_GE_OQ)}; }
  TRIPTYCH_OP friend Mask<Avx2> operator<=(Pack a, Pack b) { return {_mm256_cmp_ps(a.v, b.v, _CMP_LE_OQ)}; }
  TRIPTYCH_OP friend Mask<Avx2> operator!=(Pack a, Pack b) { return {_mm256_cmp_ps(a.v, b.v, _CMP_NEQ_UQ)}; }
  TRIPTYCH_OP friend Pack select(Mask<Avx2> mask, Pack yes, Pack no) {
    return {_mm256_blendv_ps(no.v, yes.v, mask.m)};
  }
  TRIPTYCH_OP friend Pack first_lanes(Pack a, int count) {
    return {_mm256_and_ps(_mm256_castsi256_ps(Mask<Avx2>::first_lanes(count)), a.v)};
  }
  TRIPTYCH_OP friend Ints truncate(Pack a) { return {_mm256_cvttps_epi32(a.v)}; }
  TRIPTYCH_OP friend void add_to(double* sums, Pack a) {
    add_four(sums, _mm256_castps256_ps128(a.v));
    add_four(sums + 4, _mm256_extractf128_ps(a.v, 1));
  }

 private:
  TRIPTYCH_OP static __m256 four_pairs(const float* p, __m128i at) {
    const __m256d every = _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
    return _mm256_castpd_ps(
        _mm256_mask_i32gather_pd(_mm256_setzero_pd(), reinterpret_cast<const double*>(p), at, every, 4));
  }
  TRIPTYCH_OP static __m256 in_order(__m256 mixed) {
    return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(mixed), 0xD8));
  }
  TRIPTYCH_OP static void add_four(double* sums, __m128 four) {
    _mm256_storeu_pd(sums, _mm256_add_pd(_mm256_loadu_pd(sums), _mm256_cvtps_pd(four)));
  }
};

TRIPTYCH_OP Pack<float, Avx2> to_float(Pack<std::int32_t, Avx2> a) { return {_mm256_cvtepi32_ps(a.v)}; }

}  // namespace triptych::simd

#undef TRIPTYCH_OP
#endif
