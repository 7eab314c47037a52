// The sums of a strip, 8 pixels a step: AVX2.
#pragma once

#if defined(__x86_64__)

#include <immintrin.h>

#include "moments/locate_rows.hpp"

#define TRIPTYCH_AVX2 __attribute__((target("avx2")))

namespace triptych::skin_tracker::rows {

struct Avx2 {
  static constexpr int lanes = 8;

  static bool available() { return __builtin_cpu_supports("avx2"); }

  // The coefficients cut into a signed low and a signed high 16-bit part, those of bytes 0 and 2 side by
  // side.
  struct Filter {
    std::int32_t low02, low1, high02, high1, offset, most, shift;

    explicit Filter(const FixedFilter& f)
        : low02(both(low(f.c0), low(f.c2))),
          low1(both(low(f.c1), 0)),
          high02(both(high(f.c0), high(f.c2))),
          high1(both(high(f.c1), 0)),
          offset(f.offset),
          most(fixed_one << f.shift),
          shift(f.shift) {}

    static std::int32_t low(std::int32_t c) { return static_cast<std::int16_t>(c & 0xFFFF); }
    static std::int32_t high(std::int32_t c) { return (c - low(c)) >> 16; }
    static std::int32_t both(std::int32_t even, std::int32_t odd) { return (even & 0xFFFF) | odd * 0x10000; }
  };

  // 8 pixels, each in the low three bytes of a lane; the fourth byte is anything.
  template <FrameFormat format>
  TRIPTYCH_AVX2 TRIPTYCH_ALWAYS_INLINE static __m256i load(const std::uint8_t* row,
                                                           const std::uint8_t* chroma) {
    if constexpr (format == FrameFormat::nv12) {
      const __m256i y = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(row)));
      const __m256i uv = _mm256_cvtepu16_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(chroma)));
      const __m256i twice = _mm256_or_si256(_mm256_slli_epi64(uv, 8), _mm256_slli_epi64(uv, 40));
      return _mm256_or_si256(y, twice);
    } else if constexpr (format == FrameFormat::yuyv) {
      const __m256i pairs = _mm256_cvtepu32_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i*>(row)));
      const __m128i spread = _mm_setr_epi8(0, 1, 3, -1, 2, 1, 3, -1, 8, 9, 11, -1, 10, 9, 11, -1);
      return _mm256_shuffle_epi8(pairs, _mm256_broadcastsi128_si256(spread));
    } else if constexpr (bytes_a_pixel(format) == 3) {
      // The second half is loaded 4 bytes early, so that nothing is read behind the 24 bytes.
      const __m128i first = _mm_loadu_si128(reinterpret_cast<const __m128i*>(row));
      const __m128i second = _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + 8));
      const __m256i spread = _mm256_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1,  //
                                              4, 5, 6, -1, 7, 8, 9, -1, 10, 11, 12, -1, 13, 14, 15, -1);
      return _mm256_shuffle_epi8(_mm256_set_m128i(second, first), spread);
    } else {
      return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row));
    }
  }

  struct Weigher {
    __m256i low02, low1, high02, high1, offset, most, shift;

    TRIPTYCH_AVX2 TRIPTYCH_ALWAYS_INLINE explicit Weigher(const Filter& f)
        : low02(_mm256_set1_epi32(f.low02)),
          low1(_mm256_set1_epi32(f.low1)),
          high02(_mm256_set1_epi32(f.high02)),
          high1(_mm256_set1_epi32(f.high1)),
          offset(_mm256_set1_epi32(f.offset)),
          most(_mm256_set1_epi32(f.most)),
          shift(_mm256_set1_epi32(f.shift)) {}

    TRIPTYCH_AVX2 TRIPTYCH_ALWAYS_INLINE __m256i operator()(__m256i pixels) const {
      const __m256i bytes02 = _mm256_and_si256(pixels, _mm256_set1_epi16(0xFF));
      const __m256i bytes1 = _mm256_srli_epi16(pixels, 8);
      const __m256i high =
          _mm256_add_epi32(_mm256_madd_epi16(bytes02, high02), _mm256_madd_epi16(bytes1, high1));
      const __m256i low =
          _mm256_add_epi32(_mm256_madd_epi16(bytes02, low02), _mm256_madd_epi16(bytes1, low1));
      const __m256i sum = _mm256_add_epi32(_mm256_add_epi32(low, offset), _mm256_slli_epi32(high, 16));
      const __m256i clamped = _mm256_min_epi32(_mm256_max_epi32(sum, _mm256_setzero_si256()), most);
      return _mm256_srlv_epi32(clamped, shift);
    }
  };

  struct RunningSums {
    __m256i a, b, c;

    TRIPTYCH_AVX2 TRIPTYCH_ALWAYS_INLINE void add(__m256i w) {
      a = _mm256_add_epi32(a, w);
      b = _mm256_add_epi32(b, a);
      c = _mm256_add_epi32(c, b);
    }
  };

  template <FrameFormat format, int rows>
  TRIPTYCH_AVX2 static void add_block(RowsAtOnce<rows> at, int pixels, const Filter& filter,
                                      BlockSums<lanes>& block) {
    const Weigher weigh(filter);
    const __m256i zero = _mm256_setzero_si256();
    RunningSums running[rows];
    for (RunningSums& sums : running) sums = {zero, zero, zero};
    for (int step = pixels / lanes; step > 0; --step) {
      for (int r = 0; r < rows; ++r) {
        running[r].add(weigh(load<format>(at.row[r], at.chroma[r])));
        at.template go_on<format, lanes>(r);
      }
    }
    const int rest = pixels % lanes;
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i inside = _mm256_cmpgt_epi32(_mm256_set1_epi32(rest), lane);
    for (int r = 0; r < rows; ++r) {
      if (rest > 0) {
        const Tail<format, lanes> tail(at.row[r], at.chroma[r], rest);
        running[r].add(_mm256_and_si256(inside, weigh(load<format>(tail.row, tail.chroma))));
      }
      alignas(32) std::uint32_t a[lanes], b[lanes], c[lanes];
      _mm256_store_si256(reinterpret_cast<__m256i*>(a), running[r].a);
      _mm256_store_si256(reinterpret_cast<__m256i*>(b), running[r].b);
      _mm256_store_si256(reinterpret_cast<__m256i*>(c), running[r].c);
      block.add_row(a, b, c);
    }
  }
};

}  // namespace triptych::skin_tracker::rows

#endif
