// Eight triples of bytes: AVX2. Factors are split into a signed low and a signed high half of 16 bits.
#pragma once

#if defined(__x86_64__)

#include <triptych/core/simd/pack_avx2.hpp>

#include <cstdint>

#define TRIPTYCH_OP TRIPTYCH_TARGET_AVX2 TRIPTYCH_SIMD_INLINE

namespace triptych::simd {

template <>
struct ByteTriples<Avx2> {
  static constexpr int lanes = 8;
  __m256i v;  // a triple in the low bytes of each 32 bits; the fourth byte is undefined

  TRIPTYCH_OP static ByteTriples load_3(const std::uint8_t* p) {
    // The second half is loaded 4 bytes early, so that the load ends with the 24 bytes.
    const __m256i spread = _mm256_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1,  //
                                            4, 5, 6, -1, 7, 8, 9, -1, 10, 11, 12, -1, 13, 14, 15, -1);
    return {_mm256_shuffle_epi8(_mm256_set_m128i(load_16(p + 8), load_16(p)), spread)};
  }
  TRIPTYCH_OP static ByteTriples load_4(const std::uint8_t* p) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))};
  }
  TRIPTYCH_OP static ByteTriples load_422(const std::uint8_t* p) {
    const __m128i spread = _mm_setr_epi8(0, 1, 3, -1, 2, 1, 3, -1, 8, 9, 11, -1, 10, 9, 11, -1);
    return {_mm256_shuffle_epi8(_mm256_cvtepu32_epi64(load_16(p)), _mm256_broadcastsi128_si256(spread))};
  }
  TRIPTYCH_OP static ByteTriples load_420(const std::uint8_t* p, const std::uint8_t* q) {
    const __m256i first = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
    const __m256i pairs = _mm256_cvtepu16_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(q)));
    const __m256i twice = _mm256_or_si256(_mm256_slli_epi64(pairs, 8), _mm256_slli_epi64(pairs, 40));
    return {_mm256_or_si256(first, twice)};
  }

 private:
  TRIPTYCH_OP static __m128i load_16(const std::uint8_t* p) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  }
};

template <>
struct TripleDot<Avx2> {
  static constexpr int packs = 1;
  // The halves of the factors of bytes 0 and 2 in one word, that of byte 1 in another.
  struct Factors {
    std::int32_t low02, low1, high02, high1, offset;

    Factors(std::int32_t c0, std::int32_t c1, std::int32_t c2, std::int32_t constant)
        : low02(both(low(c0), low(c2))),
          low1(both(low(c1), 0)),
          high02(both(high(c0), high(c2))),
          high1(both(high(c1), 0)),
          offset(constant) {}

    static std::int32_t low(std::int32_t c) { return static_cast<std::int16_t>(c & 0xFFFF); }
    static std::int32_t high(std::int32_t c) { return (c - low(c)) >> 16; }
    static std::int32_t both(std::int32_t even, std::int32_t odd) { return (even & 0xFFFF) | odd * 0x10000; }
  };
  struct Sums {
    Pack<std::int32_t, Avx2> pack[packs];
  };
  __m256i low02, low1, high02, high1, offset;

  TRIPTYCH_OP explicit TripleDot(const Factors& f)
      : low02(_mm256_set1_epi32(f.low02)),
        low1(_mm256_set1_epi32(f.low1)),
        high02(_mm256_set1_epi32(f.high02)),
        high1(_mm256_set1_epi32(f.high1)),
        offset(_mm256_set1_epi32(f.offset)) {}

  TRIPTYCH_OP Sums operator()(ByteTriples<Avx2> t) const {
    const __m256i b02 = _mm256_and_si256(t.v, _mm256_set1_epi16(0xFF)), b1 = _mm256_srli_epi16(t.v, 8);
    const __m256i high = _mm256_add_epi32(_mm256_madd_epi16(b02, high02), _mm256_madd_epi16(b1, high1));
    const __m256i low = _mm256_add_epi32(_mm256_madd_epi16(b02, low02), _mm256_madd_epi16(b1, low1));
    return {{{_mm256_add_epi32(_mm256_add_epi32(low, offset), _mm256_slli_epi32(high, 16))}}};
  }
};

}  // namespace triptych::simd

#undef TRIPTYCH_OP
#endif
