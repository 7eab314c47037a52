// A pack in two registers: AVX2 with fused multiply-adds and half conversion.
#pragma once

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

#include <cstdint>

#define TRIPTYCH_PASS_AVX2 __attribute__((target("avx2,fma,f16c")))
#define TRIPTYCH_PASS_AVX2_LANE TRIPTYCH_PASS_AVX2 inline static __attribute__((always_inline))

namespace triptych::aam_fit {

struct PassAvx2 {
  static constexpr int packs_at_a_time = 3;
  struct Pack {
    __m256 low, high;
  };
  struct Ints {
    __m256i low, high;
  };

  static bool available() {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && converts_halves();
  }
  // Not every compiler's __builtin_cpu_supports knows the name.
  static bool converts_halves() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
  }

  TRIPTYCH_PASS_AVX2_LANE Pack load(const float* p) { return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}; }
  TRIPTYCH_PASS_AVX2_LANE Pack load_halves(const std::uint16_t* p) {
    return {_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))),
            _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 8)))};
  }
  TRIPTYCH_PASS_AVX2_LANE void store(float* p, const Pack& v) {
    _mm256_storeu_ps(p, v.low);
    _mm256_storeu_ps(p + 8, v.high);
  }
  TRIPTYCH_PASS_AVX2_LANE Ints load_ints(const std::int32_t* p) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)),
            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + 8))};
  }
  TRIPTYCH_PASS_AVX2_LANE void store_ints(std::int32_t* p, const Ints& v) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v.low);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p + 8), v.high);
  }
  TRIPTYCH_PASS_AVX2_LANE Pack all(float v) { return {_mm256_set1_ps(v), _mm256_set1_ps(v)}; }
  TRIPTYCH_PASS_AVX2_LANE Pack fused(const Pack& a, const Pack& b, const Pack& c) {
    return {_mm256_fmadd_ps(a.low, b.low, c.low), _mm256_fmadd_ps(a.high, b.high, c.high)};
  }
  TRIPTYCH_PASS_AVX2_LANE Pack plus(const Pack& a, const Pack& b) {
    return {_mm256_add_ps(a.low, b.low), _mm256_add_ps(a.high, b.high)};
  }
  TRIPTYCH_PASS_AVX2_LANE Pack minus(const Pack& a, const Pack& b) {
    return {_mm256_sub_ps(a.low, b.low), _mm256_sub_ps(a.high, b.high)};
  }
  // 0 .. last; NaN becomes 0, because the second operand wins then.
  TRIPTYCH_PASS_AVX2_LANE Pack clamped(const Pack& x, const Pack& last) {
    const __m256 zero = _mm256_setzero_ps();
    return {_mm256_min_ps(_mm256_max_ps(x.low, zero), last.low),
            _mm256_min_ps(_mm256_max_ps(x.high, zero), last.high)};
  }
  TRIPTYCH_PASS_AVX2_LANE Ints whole(const Pack& x, std::int32_t most) {
    const __m256i limit = _mm256_set1_epi32(most);
    return {_mm256_min_epi32(_mm256_cvttps_epi32(x.low), limit),
            _mm256_min_epi32(_mm256_cvttps_epi32(x.high), limit)};
  }
  TRIPTYCH_PASS_AVX2_LANE Pack to_floats(const Ints& i) {
    return {_mm256_cvtepi32_ps(i.low), _mm256_cvtepi32_ps(i.high)};
  }
  TRIPTYCH_PASS_AVX2_LANE Ints offset(const Ints& x, const Ints& y, std::int32_t pitch) {
    const __m256i p = _mm256_set1_epi32(pitch);
    return {_mm256_add_epi32(_mm256_mullo_epi32(y.low, p), x.low),
            _mm256_add_epi32(_mm256_mullo_epi32(y.high, p), x.high)};
  }
  TRIPTYCH_PASS_AVX2_LANE int inside_bits(__m256 x, __m256 y, __m256 last_x, __m256 last_y) {
    const __m256 zero = _mm256_setzero_ps();
    const __m256 in_x =
        _mm256_and_ps(_mm256_cmp_ps(x, zero, _CMP_GE_OQ), _mm256_cmp_ps(x, last_x, _CMP_LE_OQ));
    const __m256 in_y =
        _mm256_and_ps(_mm256_cmp_ps(y, zero, _CMP_GE_OQ), _mm256_cmp_ps(y, last_y, _CMP_LE_OQ));
    return _mm256_movemask_ps(_mm256_and_ps(in_x, in_y));
  }
  TRIPTYCH_PASS_AVX2_LANE int count_outside(const Pack& x, const Pack& y, const Pack& last_x,
                                            const Pack& last_y, int count) {
    const int inside = inside_bits(x.low, y.low, last_x.low, last_y.low) |
                       inside_bits(x.high, y.high, last_x.high, last_y.high) << 8;
    const int first = count >= 16 ? 0xFFFF : (1 << count) - 1;
    return __builtin_popcount(static_cast<unsigned>(first & ~inside));
  }
  TRIPTYCH_PASS_AVX2_LANE Pack first_lanes(const Pack& v, int count) {
    if (count >= 16) return v;
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), limit = _mm256_set1_epi32(count);
    const __m256i eight = _mm256_set1_epi32(8);
    return {_mm256_and_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(limit, lanes)), v.low),
            _mm256_and_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(limit, _mm256_add_epi32(lanes, eight))),
                          v.high)};
  }
  TRIPTYCH_PASS_AVX2_LANE __m256 in_order(__m256 mixed) {
    return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(mixed), 0xD8));
  }
  // Each pair is fetched as one 64-bit word.
  TRIPTYCH_PASS_AVX2_LANE void eight_neighbours(const float* plane, __m256i at, __m256& left, __m256& right) {
    const __m256d none = _mm256_setzero_pd();
    const __m256d every = _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
    const auto* pairs = reinterpret_cast<const double*>(plane);
    const __m256 low =
        _mm256_castpd_ps(_mm256_mask_i32gather_pd(none, pairs, _mm256_castsi256_si128(at), every, 4));
    const __m256 high =
        _mm256_castpd_ps(_mm256_mask_i32gather_pd(none, pairs, _mm256_extracti128_si256(at, 1), every, 4));
    left = in_order(_mm256_shuffle_ps(low, high, 0x88));
    right = in_order(_mm256_shuffle_ps(low, high, 0xDD));
  }
  TRIPTYCH_PASS_AVX2_LANE void neighbours(const float* plane, const Ints& at, Pack& left, Pack& right) {
    eight_neighbours(plane, at.low, left.low, right.low);
    eight_neighbours(plane, at.high, left.high, right.high);
  }
  TRIPTYCH_PASS_AVX2_LANE void add_four(double* sums, __m128 v) {
    _mm256_storeu_pd(sums, _mm256_add_pd(_mm256_loadu_pd(sums), _mm256_cvtps_pd(v)));
  }
  TRIPTYCH_PASS_AVX2_LANE void add_to(double* sums, const Pack& v) {
    add_four(sums, _mm256_castps256_ps128(v.low));
    add_four(sums + 4, _mm256_extractf128_ps(v.low, 1));
    add_four(sums + 8, _mm256_castps256_ps128(v.high));
    add_four(sums + 12, _mm256_extractf128_ps(v.high, 1));
  }
};

}  // namespace triptych::aam_fit

#endif
