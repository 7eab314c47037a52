// How the pixels of each format lie in memory, and how they are read. Compiles for the host too.
#pragma once

#include <triptych/core/host_device.hpp>
#include <triptych/reduction/source.hpp>

#include <cstdint>
#include <cstring>

#include "frame/pixel_math.hpp"

namespace triptych::skin_tracker {

// Pixels that a kernel reads more than once or may find in a cache; and those that it reads once.
enum class Reading { kept, once };

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

// Words from an address that is aligned to all of them (16, 8 or 4 bytes; 12 bytes: to 4).
template <Reading reading, int words>
TRIPTYCH_INLINE_HD void load_words(const std::uint8_t* from, std::uint32_t (&word)[words]) {
#ifdef __CUDA_ARCH__
  const auto* p = reinterpret_cast<const std::uint32_t*>(from);
  if constexpr (words == 4) {
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

// of(the layout in memory) of a format's pixels.
template <class Of>
void by_layout(FrameFormat format, Of of) {
  switch (format) {
    case FrameFormat::rgba:
    case FrameFormat::bgra:
      return of(Rgba4{});
    case FrameFormat::rgb:
    case FrameFormat::bgr:
      return of(Rgb4{});
    case FrameFormat::nv12:
      return of(Nv12x4{});
    case FrameFormat::yuyv:
      return of(Yuyv4{});
  }
}

}  // namespace triptych::skin_tracker
