// The sums of a strip, 16 pixels a step: AVX-512 with VNNI.
#pragma once

#if defined(__x86_64__)

#include <immintrin.h>

#include "moments/locate_rows.hpp"

// GCC 12 takes the undefined inputs in its own intrinsics for ours.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

#define TRIPTYCH_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")))

namespace triptych::skin_tracker::rows {

// For a shuffle: bytes 1 and 2 of lane l are the U and V of the pair l / 2, the others 0.
struct UvOfLanes {
  alignas(64) std::uint8_t bytes[64] = {};

  constexpr UvOfLanes() {
    for (unsigned l = 0; l < 16; ++l) {
      bytes[4 * l] = bytes[4 * l + 3] = 0x80;
      bytes[4 * l + 1] = static_cast<std::uint8_t>(l / 2 * 2);
      bytes[4 * l + 2] = static_cast<std::uint8_t>(bytes[4 * l + 1] + 1);
    }
  }
};
inline constexpr UvOfLanes uv_of_lanes{};

struct Avx512 {
  static constexpr int lanes = 16;

  static bool available() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vnni");
  }

  // The coefficients cut into three signed bytes, the lowest first; a digit holds one byte of each.
  struct Filter {
    std::int32_t digits[3] = {};
    std::int32_t offset, most, shift;

    explicit Filter(const FixedFilter& f) : offset(f.offset), most(fixed_one << f.shift), shift(f.shift) {
      std::int32_t rest[3] = {f.c0, f.c1, f.c2};
      for (std::int32_t& digit : digits) {
        for (int i = 0; i < 3; ++i) {
          const auto low = static_cast<std::int8_t>(rest[i] & 0xFF);
          digit |= (low & 0xFF) << (8 * i);
          rest[i] = (rest[i] - low) >> 8;
        }
      }
    }
  };

  // 16 pixels, each in the low three bytes of a lane; the fourth byte is anything.
  template <FrameFormat format>
  TRIPTYCH_AVX512 TRIPTYCH_ALWAYS_INLINE static __m512i load(const std::uint8_t* row,
                                                             const std::uint8_t* chroma) {
    if constexpr (format == FrameFormat::nv12) {
      const __m512i y = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(row)));
      const __m512i uv = _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(chroma)));
      return _mm512_or_si512(y, _mm512_shuffle_epi8(uv, _mm512_load_si512(uv_of_lanes.bytes)));
    } else if constexpr (format == FrameFormat::yuyv) {
      const __m512i pairs = _mm512_cvtepu32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(row)));
      const __m128i spread = _mm_setr_epi8(0, 1, 3, -1, 2, 1, 3, -1, 8, 9, 11, -1, 10, 9, 11, -1);
      return _mm512_shuffle_epi8(pairs, _mm512_broadcast_i32x4(spread));
    } else if constexpr (bytes_a_pixel(format) == 3) {
      constexpr __mmask16 twelve_words = 0x0FFF;
      const __m512i packed = _mm512_maskz_loadu_epi32(twelve_words, row);
      const __m512i quarters = _mm512_permutexvar_epi32(
          _mm512_setr_epi32(0, 1, 2, 0, 3, 4, 5, 0, 6, 7, 8, 0, 9, 10, 11, 0), packed);
      const __m128i spread = _mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
      return _mm512_shuffle_epi8(quarters, _mm512_broadcast_i32x4(spread));
    } else {
      return _mm512_loadu_si512(row);
    }
  }

  struct Weigher {
    __m512i digit0, digit1, digit2, offset, most, shift;

    TRIPTYCH_AVX512 TRIPTYCH_ALWAYS_INLINE explicit Weigher(const Filter& f)
        : digit0(_mm512_set1_epi32(f.digits[0])),
          digit1(_mm512_set1_epi32(f.digits[1])),
          digit2(_mm512_set1_epi32(f.digits[2])),
          offset(_mm512_set1_epi32(f.offset)),
          most(_mm512_set1_epi32(f.most)),
          shift(_mm512_set1_epi32(f.shift)) {}

    TRIPTYCH_AVX512 TRIPTYCH_ALWAYS_INLINE __m512i operator()(__m512i pixels) const {
      const __m512i high = _mm512_dpbusd_epi32(_mm512_setzero_si512(), pixels, digit2);
      const __m512i middle = _mm512_dpbusd_epi32(_mm512_slli_epi32(high, 8), pixels, digit1);
      const __m512i low = _mm512_dpbusd_epi32(offset, pixels, digit0);
      const __m512i sum = _mm512_add_epi32(_mm512_slli_epi32(middle, 8), low);
      const __m512i clamped = _mm512_min_epi32(_mm512_max_epi32(sum, _mm512_setzero_si512()), most);
      return _mm512_srlv_epi32(clamped, shift);
    }
  };

  struct RunningSums {
    __m512i a, b, c;

    TRIPTYCH_AVX512 TRIPTYCH_ALWAYS_INLINE void add(__m512i w) {
      a = _mm512_add_epi32(a, w);
      b = _mm512_add_epi32(b, a);
      c = _mm512_add_epi32(c, b);
    }
  };

  template <FrameFormat format, int rows>
  TRIPTYCH_AVX512 static void add_block(RowsAtOnce<rows> at, int pixels, const Filter& filter,
                                        BlockSums<lanes>& block) {
    const Weigher weigh(filter);
    const __m512i zero = _mm512_setzero_si512();
    RunningSums running[rows];
    for (RunningSums& sums : running) sums = {zero, zero, zero};
    for (int step = pixels / lanes; step > 0; --step) {
      for (int r = 0; r < rows; ++r) {
        running[r].add(weigh(load<format>(at.row[r], at.chroma[r])));
        at.template go_on<format, lanes>(r);
      }
    }
    const int rest = pixels % lanes;
    const auto inside = static_cast<__mmask16>((1u << rest) - 1);
    for (int r = 0; r < rows; ++r) {
      if (rest > 0) {
        const Tail<format, lanes> tail(at.row[r], at.chroma[r], rest);
        running[r].add(_mm512_maskz_mov_epi32(inside, weigh(load<format>(tail.row, tail.chroma))));
      }
      alignas(64) std::uint32_t a[lanes], b[lanes], c[lanes];
      _mm512_store_si512(a, running[r].a);
      _mm512_store_si512(b, running[r].b);
      _mm512_store_si512(c, running[r].c);
      block.add_row(a, b, c);
    }
  }
};

}  // namespace triptych::skin_tracker::rows

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#endif
