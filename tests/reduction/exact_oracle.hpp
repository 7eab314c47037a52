// The exact sum as a naive big integer, and inputs that are hostile to sums. Rounding is by search: the
// nearest of all numbers, compared exactly.
#pragma once

#include <triptych/core/philox.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace triptych::test {

// An integer of 2560 bits in two's complement, in units of 2^-1140.
class BigInteger {
 public:
  static BigInteger of(double x) {
    int exponent = 0;
    const double fraction = std::frexp(x, &exponent);
    BigInteger big;
    big.add(static_cast<std::int64_t>(std::ldexp(fraction, 53)), exponent - 53 + 1140);
    return big;
  }
  static BigInteger power(int exponent) {
    BigInteger big;
    big.add(1, exponent + 1140);
    return big;
  }
  template <class T>
  static BigInteger sum_of(std::span<const T> values) {
    BigInteger sum;
    for (const T x : values) sum += of(static_cast<double>(x));
    return sum;
  }

  BigInteger& operator+=(const BigInteger& other) {
    std::uint64_t carry = 0;
    for (int k = 0; k < limbs; ++k) {
      carry += std::uint64_t{limb_[k]} + other.limb_[k];
      limb_[k] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    return *this;
  }
  BigInteger operator-() const {
    BigInteger result;
    for (int k = 0; k < limbs; ++k) result.limb_[k] = ~limb_[k];
    BigInteger one;
    one.limb_[0] = 1;
    return result += one;
  }
  BigInteger twice() const { return BigInteger(*this) += *this; }
  BigInteger operator-(const BigInteger& other) const { return BigInteger(*this) += -other; }
  bool negative() const { return limb_[limbs - 1] >> 31 != 0; }
  bool zero() const { return *this == BigInteger(); }
  friend bool operator==(const BigInteger&, const BigInteger&) = default;

 private:
  static constexpr int limbs = 80;

  // Adds v 2^position.
  void add(std::int64_t v, int position) {
    BigInteger shifted;
    const int limb = position / 32, shift = position % 32;
    for (int k = limb; k < limbs; ++k) {
      const int from = 32 * (k - limb) - shift;  // the lowest bit of v in this limb
      const std::int64_t part = from < 0 ? static_cast<std::int64_t>(static_cast<std::uint64_t>(v) << -from)
                                : from < 63 ? v >> from
                                            : v >> 63;
      shifted.limb_[k] = static_cast<std::uint32_t>(part);
    }
    *this += shifted;
  }

  std::uint32_t limb_[limbs] = {};
};

// The number of type A nearest to the sum, ties to even.
template <class A>
A nearest(const BigInteger& sum) {
  if (sum.zero()) return A{0};
  if (sum.negative()) return -nearest<A>(-sum);
  using Bits = std::conditional_t<sizeof(A) == 4, std::uint32_t, std::uint64_t>;
  const Bits infinity = std::bit_cast<Bits>(std::numeric_limits<A>::infinity());
  const auto exact = [&](Bits bits) {  // infinity counts as the next power of two
    return bits == infinity ? BigInteger::power(std::numeric_limits<A>::max_exponent)
                            : BigInteger::of(static_cast<double>(std::bit_cast<A>(bits)));
  };
  Bits below = 0, above = infinity;  // below <= sum; numbers are ordered as their bits
  if (!(sum - exact(infinity)).negative()) return std::numeric_limits<A>::infinity();
  while (above - below > 1) {
    const Bits middle = below + (above - below) / 2;
    ((sum - exact(middle)).negative() ? above : below) = middle;
  }
  const BigInteger excess = sum.twice() - exact(below) - exact(above);
  if (excess.zero()) return std::bit_cast<A>(below % 2 == 0 ? below : above);
  return std::bit_cast<A>(excess.negative() ? below : above);
}

enum class Numbers {
  uniform,     // -1 .. 1
  positive,    // 0 .. 1
  decades,     // ten decades
  wide,        // from one binade at the start of the array to 70 at its end
  any,         // any finite number
  cancelling,  // any number and its negative, most of which cancel
  subnormal,
  halves,  // powers of two: many ties
  large,   // near the largest number, both signs
  sparse   // mostly zeros of both signs
};
inline constexpr Numbers all_numbers[] = {
    Numbers::uniform,    Numbers::positive,  Numbers::decades, Numbers::wide,  Numbers::any,
    Numbers::cancelling, Numbers::subnormal, Numbers::halves,  Numbers::large, Numbers::sparse};
inline std::string name_of(Numbers kind) {
  constexpr const char* names[] = {"uniform",    "positive",  "decades", "wide",  "any",
                                   "cancelling", "subnormal", "halves",  "large", "sparse"};
  return names[static_cast<int>(kind)];
}

template <class T>
std::vector<T> hostile_values(std::int64_t count, Numbers kind, std::uint64_t seed) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr int fraction = std::numeric_limits<T>::digits - 1;
  constexpr Bits exponents = (Bits{1} << (8 * sizeof(T) - 1 - fraction)) - 1;
  PhiloxStream random(seed, static_cast<std::uint64_t>(kind));
  std::vector<T> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t high = random.next(), word = high << 32 | random.next();
    const T uniform = static_cast<T>(static_cast<double>(static_cast<std::int64_t>(word)) * 0x1p-63);
    const auto choice = static_cast<Bits>(random.next());
    const auto with_exponent = [&](Bits exponent) {
      return std::bit_cast<T>(static_cast<Bits>((static_cast<Bits>(word) & ~(exponents << fraction)) |
                                                (exponent % exponents) << fraction));
    };
    switch (kind) {
      case Numbers::uniform:
        values[i] = uniform;
        break;
      case Numbers::positive:
        values[i] = std::abs(uniform);
        break;
      case Numbers::decades:
        values[i] = std::ldexp(uniform, static_cast<int>(choice % 34));
        break;
      case Numbers::wide:
        values[i] = std::ldexp(uniform, static_cast<int>(choice % (1 + 70 * i / values.size())) - 35);
        break;
      case Numbers::any:
        values[i] = with_exponent(choice);
        break;
      case Numbers::cancelling:
        values[i] = i % 2 == 0         ? with_exponent(choice)
                    : choice % 50 == 0 ? values[i - 1] / 2
                                       : -values[i - 1];
        break;
      case Numbers::subnormal:
        values[i] = with_exponent(0);
        break;
      case Numbers::halves:
        values[i] = std::ldexp(T{word % 2 == 0 ? T{1} : T{-1}}, -static_cast<int>(choice % 70));
        break;
      case Numbers::large:
        values[i] = with_exponent(exponents - 1 - choice % 3);
        break;
      case Numbers::sparse:
        values[i] = choice % 8 == 0   ? with_exponent(static_cast<Bits>(word >> 33))
                    : choice % 2 == 0 ? T{0}
                                      : -T{0};
        break;
    }
  }
  return values;
}

}  // namespace triptych::test
