// Sixteen triples of bytes: AVX-512 with VNNI. Factors are split into three signed bytes.
#pragma once

#if defined(__x86_64__)

#include <triptych/core/simd/pack_avx512.hpp>

#include <cstdint>

#define TRIPTYCH_OP TRIPTYCH_TARGET_AVX512_VNNI TRIPTYCH_SIMD_INLINE

namespace triptych::simd {

template <>
struct ByteTriples<Avx512> {
  static constexpr int lanes = 16;
  __m512i v;  // a triple in the low bytes of each 32 bits; the fourth byte is undefined

  TRIPTYCH_OP static ByteTriples load_3(const std::uint8_t* p) {
    const __m512i quarter_words = _mm512_setr_epi32(0, 1, 2, 0, 3, 4, 5, 0, 6, 7, 8, 0, 9, 10, 11, 0);
    const __m512i quarters =
        _mm512_maskz_permutexvar_epi32(0xFFFF, quarter_words, _mm512_maskz_loadu_epi32(0x0FFF, p));
    return {shuffle(quarters, _mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1))};
  }
  TRIPTYCH_OP static ByteTriples load_4(const std::uint8_t* p) { return {_mm512_loadu_si512(p)}; }
  TRIPTYCH_OP static ByteTriples load_422(const std::uint8_t* p) {
    const __m512i pairs =
        _mm512_maskz_cvtepu32_epi64(0xFF, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
    return {shuffle(pairs, _mm_setr_epi8(0, 1, 3, -1, 2, 1, 3, -1, 8, 9, 11, -1, 10, 9, 11, -1))};
  }
  TRIPTYCH_OP static ByteTriples load_420(const std::uint8_t* p, const std::uint8_t* q) {
    const __m512i first = _mm512_maskz_cvtepu8_epi32(0xFFFF, load_16(p));
    const __m512i pairs = _mm512_maskz_broadcast_i32x4(0xFFFF, load_16(q));
    const __m512i spread =
        _mm512_setr_epi32(pair(0), pair(0), pair(1), pair(1), pair(2), pair(2), pair(3), pair(3), pair(4),
                          pair(4), pair(5), pair(5), pair(6), pair(6), pair(7), pair(7));
    return {_mm512_or_si512(first, _mm512_maskz_shuffle_epi8(~__mmask64{0}, pairs, spread))};
  }

 private:
  TRIPTYCH_OP static __m128i load_16(const std::uint8_t* p) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  }
  TRIPTYCH_OP static __m512i shuffle(__m512i quarters, __m128i spread) {
    return _mm512_maskz_shuffle_epi8(~__mmask64{0}, quarters, _mm512_maskz_broadcast_i32x4(0xFFFF, spread));
  }
  // For a shuffle: bytes 1 and 2 are those of pair i, the others 0.
  static constexpr int pair(int i) { return static_cast<int>(0x80000080u) | 2 * i << 8 | (2 * i + 1) << 16; }
};

template <>
struct TripleDot<Avx512> {
  static constexpr int packs = 1;
  // The lowest bytes of the factors first; a digit holds one byte of each.
  struct Factors {
    std::int32_t digits[3] = {};
    std::int32_t offset;

    Factors(std::int32_t c0, std::int32_t c1, std::int32_t c2, std::int32_t constant) : offset(constant) {
      std::int32_t rest[3] = {c0, c1, c2};
      for (std::int32_t& digit : digits) {
        for (int i = 0; i < 3; ++i) {
          const auto low = static_cast<std::int8_t>(rest[i] & 0xFF);
          digit |= (low & 0xFF) << (8 * i);
          rest[i] = (rest[i] - low) >> 8;
        }
      }
    }
  };
  struct Sums {
    Pack<std::int32_t, Avx512> pack[packs];
  };
  __m512i digit0, digit1, digit2, offset;

  TRIPTYCH_OP explicit TripleDot(const Factors& f)
      : digit0(_mm512_set1_epi32(f.digits[0])),
        digit1(_mm512_set1_epi32(f.digits[1])),
        digit2(_mm512_set1_epi32(f.digits[2])),
        offset(_mm512_set1_epi32(f.offset)) {}

  TRIPTYCH_OP Sums operator()(ByteTriples<Avx512> t) const {
    const __m512i high = _mm512_dpbusd_epi32(_mm512_setzero_si512(), t.v, digit2);
    const __m512i middle = _mm512_dpbusd_epi32(times_256(high), t.v, digit1);
    const __m512i low = _mm512_dpbusd_epi32(offset, t.v, digit0);
    return {{{_mm512_add_epi32(times_256(middle), low)}}};
  }

 private:
  TRIPTYCH_OP static __m512i times_256(__m512i v) { return _mm512_maskz_slli_epi32(0xFFFF, v, 8); }
};

}  // namespace triptych::simd

#undef TRIPTYCH_OP
#endif
