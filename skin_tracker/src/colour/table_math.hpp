// The entries of a table of weights. Host and device.
#pragma once

#include <triptych/core/host_device.hpp>
#include <triptych/skin_tracker/filter.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "colour/classifier_math.hpp"

namespace triptych::skin_tracker {

// A weight as an entry of type T: clamped to 0 .. 1 (NaN becomes 0) and rounded to the nearest step.
//
// The product of 24 and 16 bits is exact. After adding 2^52 a double has no fractional bits, so the sum is
// rounded to the nearest step, which is in its lowest bits. On a GPU this is faster than a conversion. The
// only weight halfway between two steps is 1/2; it is rounded to the even step, 128 or 32768.
template <class T>
TRIPTYCH_INLINE_HD T stored(float weight) {
  const float w = weight > 0 ? (weight < 1 ? weight : 1.0f) : 0.0f;
  if constexpr (std::is_same_v<T, float>) {
    return w;
  } else {
    constexpr double one = std::is_same_v<T, std::uint8_t> ? 255 : fixed_one;
    const double sum = w * one + 0x1p52;
    std::uint64_t bits = 0;
    std::memcpy(&bits, &sum, sizeof bits);
    return static_cast<T>(bits);
  }
}

// 16 bytes of a table of T. The first colour is in the lowest bits of the first word.
template <class T>
struct TablePack {
  static constexpr int colours = 16 / sizeof(T);
  static constexpr int colours_per_word = 4 / sizeof(T);
  std::uint32_t words[4];
};

// The entries of `colours` colours from index `first`, a multiple of `colours`: their red and green are
// equal.
template <class T, class Numbers>
TRIPTYCH_INLINE_HD TablePack<T> table_pack(const Numbers& numbers, std::uint32_t first) {
  // The other blue values are sums, which are faster than conversions.
  using Channel = std::conditional_t<std::is_same_v<Numbers, HistogramNumbers>, int, double>;
  const auto red = static_cast<Channel>(first >> 16);
  const auto green = static_cast<Channel>(first >> 8 & 255);
  const auto blue = static_cast<Channel>(first & 255);
  TablePack<T> pack{};
  TRIPTYCH_UNROLL
  for (int k = 0; k < TablePack<T>::colours; ++k) {
    const auto weight = weight_of(numbers, red, green, blue + static_cast<Channel>(k));
    const T entry = stored<T>(static_cast<float>(weight));
    std::uint32_t bits = 0;
    if constexpr (std::is_same_v<T, float>) {
      std::memcpy(&bits, &entry, sizeof bits);
    } else {
      bits = entry;
    }
    constexpr int entry_bits = 8 * static_cast<int>(sizeof(T));
    pack.words[k / TablePack<T>::colours_per_word] |= bits
                                                      << (k % TablePack<T>::colours_per_word * entry_bits);
  }
  return pack;
}

}  // namespace triptych::skin_tracker
