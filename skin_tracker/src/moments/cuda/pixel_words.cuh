// How the pixels of each format lie in memory, and what a pixel weighs: by dot products of its bytes, or by a
// table. Compiles for the host too.
#pragma once

#include <triptych/core/error.hpp>
#include <triptych/core/host_device.hpp>
#include <triptych/reduction/source.hpp>

#include <cstdint>
#include <cstring>

#include "frame/locate_math.hpp"

namespace triptych::skin_tracker {

// Pixels that a kernel reads more than once or may find in a cache; that it reads once; and those that may
// change while it runs.
enum class Reading { kept, once, changing };

namespace detail {

// Bytes chosen from the eight of a (0 .. 3) and b (4 .. 7), one for each hexadecimal digit of `choice`,
// lowest first.
TRIPTYCH_INLINE_HD std::uint32_t choose_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t choice) {
#ifdef __CUDA_ARCH__
  return __byte_perm(a, b, choice);
#else
  const std::uint64_t both = std::uint64_t{b} << 32 | a;
  std::uint32_t chosen = 0;
  for (unsigned k = 0; k < 4; ++k)
    chosen |= static_cast<std::uint32_t>(both >> 8 * (choice >> 4 * k & 7) & 255) << 8 * k;
  return chosen;
#endif
}

// sum + the four bytes of `bytes` times the four signed bytes of `factors`.
TRIPTYCH_INLINE_HD std::int32_t dot_4(std::uint32_t bytes, std::uint32_t factors, std::int32_t sum) {
#ifdef __CUDA_ARCH__
  asm("dp4a.u32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(bytes), "r"(factors));
  return sum;
#else
  for (unsigned k = 0; k < 4; ++k)
    sum += static_cast<std::int32_t>(bytes >> 8 * k & 255) * static_cast<std::int8_t>(factors >> 8 * k);
  return sum;
#endif
}

// sum + the lower (or upper) two bytes of `bytes` times the two signed 16-bit halves of `factors`; wraps
// around.
template <bool upper>
TRIPTYCH_INLINE_HD std::int32_t dot_2(std::uint32_t bytes, std::uint32_t factors, std::int32_t sum) {
#ifdef __CUDA_ARCH__
  if constexpr (upper) {
    asm("dp2a.hi.s32.u32 %0, %1, %2, %0;" : "+r"(sum) : "r"(factors), "r"(bytes));
  } else {
    asm("dp2a.lo.s32.u32 %0, %1, %2, %0;" : "+r"(sum) : "r"(factors), "r"(bytes));
  }
  return sum;
#else
  for (unsigned k = 0; k < 2; ++k) {
    const auto byte = static_cast<std::int32_t>(bytes >> 8 * (k + (upper ? 2 : 0)) & 255);
    const auto product = byte * static_cast<std::int16_t>(factors >> 16 * k);
    sum = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum) + static_cast<std::uint32_t>(product));
  }
  return sum;
#endif
}

// Words from an address that is aligned to all of them (16, 8 or 4 bytes; 12 bytes: to 4).
template <Reading reading, int words>
TRIPTYCH_INLINE_HD void load_words(const std::uint8_t* from, std::uint32_t (&word)[words]) {
#ifdef __CUDA_ARCH__
  const auto* p = reinterpret_cast<const std::uint32_t*>(from);
  if constexpr (reading == Reading::changing) {
    if constexpr (words == 4) {
      const uint4 four = *reinterpret_cast<const uint4*>(p);
      word[0] = four.x, word[1] = four.y, word[2] = four.z, word[3] = four.w;
    } else if constexpr (words == 2) {
      const uint2 pair = *reinterpret_cast<const uint2*>(p);
      word[0] = pair.x, word[1] = pair.y;
    } else {
#pragma unroll
      for (int k = 0; k < words; ++k) word[k] = p[k];
    }
  } else if constexpr (words == 4) {
    const auto pack = reading == Reading::once ? reduction::detail::load_16_bytes_once<std::uint32_t, 4>(p)
                                               : reduction::detail::load_16_bytes<std::uint32_t, 4>(p);
#pragma unroll
    for (int k = 0; k < 4; ++k) word[k] = pack.element[k];
  } else if constexpr (words == 2) {
    const uint2 pair = __ldg(reinterpret_cast<const uint2*>(p));
    word[0] = pair.x;
    word[1] = pair.y;
  } else {
#pragma unroll
    for (int k = 0; k < words; ++k) word[k] = __ldg(p + k);
  }
#else
  std::memcpy(word, from, sizeof(word));
#endif
}

}  // namespace detail

// How the formats lie in memory: words a group's row takes, and the word of one of its pixels, whose lower
// three bytes are the pixel's as they lie (rgb, bgr) or Y, U, V.
struct Rgba4 {
  static constexpr int words = 4;
  static constexpr int alignment = 16;
  static constexpr bool chroma = false;
  static constexpr FrameFormat format = FrameFormat::rgba;
  TRIPTYCH_HD static std::uint32_t pixel(const std::uint32_t (&row)[words], std::uint32_t, int k) {
    return row[k];
  }
};

struct Rgb4 {
  static constexpr int words = 3;
  static constexpr int alignment = 4;
  static constexpr bool chroma = false;
  static constexpr FrameFormat format = FrameFormat::rgb;
  TRIPTYCH_HD static std::uint32_t pixel(const std::uint32_t (&row)[words], std::uint32_t, int k) {
    return k == 0   ? row[0]
           : k == 1 ? detail::choose_bytes(row[0], row[1], 0x6543)
           : k == 2 ? detail::choose_bytes(row[1], row[2], 0x5432)
                    : row[2] >> 8;
  }
};

struct Yuyv4 {
  static constexpr int words = 2;
  static constexpr int alignment = 8;
  static constexpr bool chroma = false;
  static constexpr FrameFormat format = FrameFormat::yuyv;
  TRIPTYCH_HD static std::uint32_t pixel(const std::uint32_t (&row)[words], std::uint32_t, int k) {
    return detail::choose_bytes(row[k / 2], 0, k % 2 == 0 ? 0x4310 : 0x4312);
  }
};

struct Nv12x4 {
  static constexpr int words = 1;
  static constexpr int alignment = 4;
  static constexpr bool chroma = true;
  static constexpr FrameFormat format = FrameFormat::nv12;
  TRIPTYCH_HD static std::uint32_t pixel(const std::uint32_t (&row)[words], std::uint32_t uv, int k) {
    return detail::choose_bytes(row[0], uv, static_cast<std::uint32_t>(k) | (k < 2 ? 0x7540 : 0x7760));
  }
};

// The weight of a pixel's word by the filter, its coefficients cut into what dot products of bytes take: a
// signed 16-bit lower part and a signed byte above it (fix() sees to it that this is enough).
struct DotWeights {
  std::uint32_t low_01 = 0, low_2 = 0, high = 0;
  std::int32_t offset = 0, most = 0, shift = 0;

  DotWeights() = default;
  // first, second, third: the coefficients in the order of the bytes in memory.
  DotWeights(std::int32_t first, std::int32_t second, std::int32_t third, const FixedFilter& filter)
      : offset(filter.offset), most(fixed_one << filter.shift), shift(filter.shift) {
    const auto low = [](std::int32_t c) { return static_cast<std::uint16_t>(c); };
    const auto above = [](std::int32_t c) {
      const std::int32_t digit = (c - static_cast<std::int16_t>(c)) / 65536;
      require(digit >= -128 && digit <= 127, "a coefficient of ", c, " does not fit three signed bytes");
      return std::uint32_t{static_cast<std::uint8_t>(digit)};
    };
    low_01 = std::uint32_t{low(second)} << 16 | low(first);
    low_2 = low(third);
    high = above(third) << 16 | above(second) << 8 | above(first);
  }

  template <class Layout>
  TRIPTYCH_HD std::uint32_t of(std::uint32_t word) const {
    const auto upper = static_cast<std::uint32_t>(detail::dot_4(word, high, 0));
    auto w = static_cast<std::int32_t>((upper << 16) + static_cast<std::uint32_t>(offset));
    w = detail::dot_2<true>(word, low_2, detail::dot_2<false>(word, low_01, w));
#ifdef __CUDA_ARCH__
    return static_cast<std::uint32_t>(__vimin_s32_relu(w, most)) >> shift;
#else
    return static_cast<std::uint32_t>(w < 0 ? 0 : w > most ? most : w) >> shift;
#endif
  }
};

// The weight of a pixel's word by a table of all colours.
struct TableWeights {
  const std::uint16_t* table = nullptr;
  std::uint32_t order = 0x4012;  // the bytes blue, green, red among those in memory

  template <class Layout>
  TRIPTYCH_HD std::uint32_t of(std::uint32_t word) const {
    std::uint32_t colour;
    if constexpr (channels_of(Layout::format) == Channels::rgb) {
      colour = detail::choose_bytes(word, 0, order);
    } else {
      const Rgb8 c =
          rgb_of_yuv(static_cast<std::int32_t>(word & 255), static_cast<std::int32_t>(word >> 8 & 255),
                     static_cast<std::int32_t>(word >> 16 & 255));
      colour = std::uint32_t{c.r} << 16 | std::uint32_t{c.g} << 8 | c.b;
    }
#ifdef __CUDA_ARCH__
    return __ldg(table + colour);
#else
    return table[colour];
#endif
  }
};

}  // namespace triptych::skin_tracker
