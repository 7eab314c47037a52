// The integer arithmetic of ExactSum, for host and device. A sum is an array of digits of 32 bits in words of
// 64 bits: its value is the sum of digit[k] 2^(32 k + scale).
#pragma once

#include <triptych/core/host_device.hpp>

#include <bit>
#include <cstdint>
#include <limits>

namespace triptych::reduction::detail {

// digits: enough for 2^63 times the largest number, with its sign. A finite number with the exponent bits e
// is an integer below 2^(fraction_bits + 1) times 2^(max(e, 1) + scale).
template <class T>
struct ExactFormat;
template <>
struct ExactFormat<float> {
  using Bits = std::uint32_t;
  static constexpr int fraction_bits = 23, max_exponent = 255, scale = -150, digits = 11;
};
template <>
struct ExactFormat<double> {
  using Bits = std::uint64_t;
  static constexpr int fraction_bits = 52, max_exponent = 2047, scale = -1075, digits = 68;
};

inline constexpr std::int64_t digit_mask = 0xffffffff;

// The two parts of v 2^shift, 0 <= shift < 32: v 2^shift = high 2^32 + low, 0 <= low < 2^32.
struct DigitPair {
  std::int64_t low, high;
};
TRIPTYCH_INLINE_HD constexpr DigitPair split_digits(std::int64_t v, int shift) {
  return {static_cast<std::int64_t>((static_cast<std::uint64_t>(v) << shift) & 0xffffffff),
          v >> (32 - shift)};
}

// Adds v 2^(position + scale) to the digits.
TRIPTYCH_INLINE_HD constexpr void add_integer(std::int64_t* digit, int position, std::int64_t v) {
  const DigitPair pair = split_digits(v, position % 32);
  digit[position / 32] += pair.low;
  digit[position / 32 + 1] += pair.high;
}

// The number x as an integer times 2^position.
struct PlacedInteger {
  int position;
  std::int64_t integer;
};
template <class T>
TRIPTYCH_INLINE_HD constexpr PlacedInteger to_integer(T x) {
  using F = ExactFormat<T>;
  using Bits = typename F::Bits;
  const auto bits = std::bit_cast<Bits>(x);
  const int exponent = static_cast<int>(bits >> F::fraction_bits) & F::max_exponent;
  const Bits hidden = exponent == 0 ? Bits{0} : Bits{1} << F::fraction_bits;
  const auto m = static_cast<std::int64_t>((bits & ((Bits{1} << F::fraction_bits) - 1)) | hidden);
  return {exponent == 0 ? 1 : exponent, bits >> (8 * sizeof(T) - 1) != 0 ? -m : m};
}

template <class T>
TRIPTYCH_INLINE_HD constexpr bool is_finite(T x) {
  using F = ExactFormat<T>;
  const auto bits = std::bit_cast<typename F::Bits>(x);
  return (static_cast<int>(bits >> F::fraction_bits) & F::max_exponent) != F::max_exponent;
}

// The word in which numbers that are not finite are counted: 0 NaN, 1 infinity, 2 -infinity.
template <class T>
TRIPTYCH_INLINE_HD constexpr int special_kind(T x) {
  return x != x ? 0 : x > 0 ? 1 : 2;
}

// Carries: afterwards every digit but the last is in [0, 2^32), and equal sums have equal digits.
TRIPTYCH_INLINE_HD constexpr void carry_digits(std::int64_t* digit, int digits) {
  for (int k = 0; k + 1 < digits; ++k) {
    digit[k + 1] += digit[k] >> 32;
    digit[k] &= digit_mask;
  }
}

// The number of bits of v. nvcc 13.0 compiles std::bit_width of 64 bits to a constant in device code.
TRIPTYCH_INLINE_HD constexpr int bit_width(std::uint64_t v) {
  int width = 0;
  for (int step = 32; step > 0; step /= 2) {
    if (v >> step == 0) continue;
    v >>= step;
    width += step;
  }
  return width + static_cast<int>(v);
}
static_assert(bit_width(0) == 0 && bit_width(1) == 1 && bit_width(0x80000000) == 32 &&
              bit_width(~0ull) == 64);

// 64 bits of the digits from bit `from` on.
TRIPTYCH_INLINE_HD constexpr std::uint64_t bits_from(const std::int64_t* digit, int digits, int from) {
  std::uint64_t window = 0;
  for (int k = from / 32; k < digits && 32 * k < from + 64; ++k) {
    const auto d = static_cast<std::uint64_t>(digit[k]);
    const int shift = 32 * k - from;
    window |= shift < 0 ? d >> -shift : d << shift;
  }
  return window;
}

TRIPTYCH_INLINE_HD constexpr bool any_below(const std::int64_t* digit, int bit) {
  for (int k = 0; k < bit / 32; ++k)
    if (digit[k] != 0) return true;
  return (digit[bit / 32] & ((std::int64_t{1} << bit % 32) - 1)) != 0;
}

// The number of type A nearest to the value of the digits of a T, ties to even; infinity above the largest
// number. Overwrites the digits.
template <class A, class T>
TRIPTYCH_INLINE_HD constexpr A round_digits(std::int64_t* digit) {
  using F = ExactFormat<A>;
  using Bits = typename F::Bits;
  constexpr int digits = ExactFormat<T>::digits;
  carry_digits(digit, digits);
  const bool negative = digit[digits - 1] < 0;
  if (negative) {
    for (int k = 0; k < digits; ++k) digit[k] = -digit[k];
    carry_digits(digit, digits);
  }
  int top = digits - 1;
  while (top >= 0 && digit[top] == 0) --top;
  if (top < 0) return A{0};
  const int highest = 32 * top + bit_width(static_cast<std::uint64_t>(digit[top])) - 1;
  // The lowest bit of the result: bit 0 of a subnormal A, or fraction_bits below the highest.
  constexpr int subnormal = F::scale + 1 - ExactFormat<T>::scale;
  const int lowest = highest - F::fraction_bits > subnormal ? highest - F::fraction_bits : subnormal;
  std::uint64_t m = lowest < 0 ? bits_from(digit, digits, 0) << -lowest : bits_from(digit, digits, lowest);
  if (lowest > 0) {
    const bool half = (digit[(lowest - 1) / 32] >> (lowest - 1) % 32 & 1) != 0;
    if (half && ((m & 1) != 0 || any_below(digit, lowest - 1))) ++m;
  }
  // m has the hidden bit of a normal number, which increases the exponent bits by one.
  const std::uint64_t infinity = std::uint64_t{F::max_exponent} << F::fraction_bits;
  std::uint64_t bits = (static_cast<std::uint64_t>(lowest - subnormal) << F::fraction_bits) + m;
  if (bits > infinity) bits = infinity;
  return std::bit_cast<A>(static_cast<Bits>(bits | std::uint64_t{negative} << (8 * sizeof(A) - 1)));
}

// The same for the words of an ExactSum: the digits, and the numbers of NaN, infinity and -infinity.
template <class A, class T>
TRIPTYCH_INLINE_HD constexpr A round_words(std::int64_t* words) {
  const std::int64_t* special = words + ExactFormat<T>::digits;
  if (special[0] != 0 || (special[1] != 0 && special[2] != 0)) return std::numeric_limits<A>::quiet_NaN();
  if (special[1] != 0) return std::numeric_limits<A>::infinity();
  if (special[2] != 0) return -std::numeric_limits<A>::infinity();
  return round_digits<A, T>(words);
}

}  // namespace triptych::reduction::detail
