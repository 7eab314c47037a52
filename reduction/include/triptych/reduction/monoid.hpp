// Monoids: how two values combine. A monoid is commutative and has an identity; for host and device.
//
// A monoid is any struct with
//   using Value = ...;                          trivial (copyable and default constructible); the accumulator
//   static constexpr bool exact = ...;          true when every order of combination gives the same bits
//   Value identity() const;
//   Value operator()(Value a, Value b) const;   commutative and associative (up to rounding when not exact)
// and optionally `__device__ static void atomic(Value* address, Value v)` for the atomic strategies.
#pragma once

#include <triptych/core/host_device.hpp>

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace triptych::reduction {

template <class M>
concept Monoid = std::is_trivially_copyable_v<typename M::Value> &&
    std::is_trivially_default_constructible_v<typename M::Value> &&
    requires(const M& m, typename M::Value a, typename M::Value b) {
  { m.identity() } -> std::convertible_to<typename M::Value>;
  { m(a, b) } -> std::convertible_to<typename M::Value>;
  { M::exact } -> std::convertible_to<bool>;
};

template <class M>
inline constexpr bool is_expensive = requires {
  requires M::expensive;
};

template <class T>
concept Number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

// Integers wrap around (modulo 2^bits) instead of overflowing, signed ones too.
template <Number A>
struct Sum {
  using Value = A;
  static constexpr bool exact = std::is_integral_v<A>;
  TRIPTYCH_HD A identity() const { return A{0}; }
  TRIPTYCH_HD A operator()(A a, A b) const {
    if constexpr (std::is_integral_v<A>) {
      using U = std::make_unsigned_t<A>;
      return static_cast<A>(static_cast<U>(a) + static_cast<U>(b));
    } else {
      return a + b;
    }
  }
};

namespace detail {

template <Number T>
TRIPTYCH_HD constexpr T highest() {
  if constexpr (std::is_floating_point_v<T>) return std::numeric_limits<T>::infinity();
  return std::numeric_limits<T>::max();
}

template <Number T>
TRIPTYCH_HD constexpr T lowest() {
  if constexpr (std::is_floating_point_v<T>) return -std::numeric_limits<T>::infinity();
  return std::numeric_limits<T>::lowest();
}

template <Number T>
TRIPTYCH_HD inline bool is_nan([[maybe_unused]] T v) {
  if constexpr (std::is_floating_point_v<T>) return v != v;
  return false;
}

// The sign bit, of zeros too.
template <class T>
TRIPTYCH_HD inline bool is_negative(T v) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  return std::bit_cast<Bits>(v) < 0;
}

// Without short-circuit evaluation: a GPU uses predicates instead of branches.
template <Number T>
TRIPTYCH_HD inline T lower_of(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    const bool b_negative = is_negative(b);
    return (b < a) | (a != a) | ((a == b) & b_negative) ? b : a;
  } else {
    return b < a ? b : a;
  }
}

template <Number T>
TRIPTYCH_HD inline T higher_of(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    const bool a_negative = is_negative(a);
    return (b > a) | (a != a) | ((a == b) & a_negative) ? b : a;
  } else {
    return b > a ? b : a;
  }
}

#ifdef __CUDA_ARCH__
// One instruction for floats, with the same result for NaN and zeros.
__device__ inline float lower_of(float a, float b) { return fminf(a, b); }
__device__ inline float higher_of(float a, float b) { return fmaxf(a, b); }
#endif

}  // namespace detail

// The smallest value; +infinity or the largest value of the type for an empty range. NaNs are ignored, and -0
// is below +0, so that the bits do not depend on the order.
template <Number T>
struct Min {
  using Value = T;
  static constexpr bool exact = true;
  TRIPTYCH_HD T identity() const { return detail::highest<T>(); }
  TRIPTYCH_HD T operator()(T a, T b) const { return detail::lower_of(a, b); }
};

// The largest value; -infinity or the lowest value of the type for an empty range. NaNs are ignored, and +0
// is above -0.
template <Number T>
struct Max {
  using Value = T;
  static constexpr bool exact = true;
  TRIPTYCH_HD T identity() const { return detail::lowest<T>(); }
  TRIPTYCH_HD T operator()(T a, T b) const { return detail::higher_of(a, b); }
};

// A value and its index. index == no_index: there is no value (an empty range, or only NaNs).
inline constexpr std::int64_t no_index = std::numeric_limits<std::int64_t>::max();

template <Number T>
struct Indexed {
  T value;
  std::int64_t index;
  friend bool operator==(const Indexed&, const Indexed&) = default;
};

// The smallest value and its index; the lowest index of equal values. NaNs are ignored.
template <Number T>
struct ArgMin {
  using Value = Indexed<T>;
  static constexpr bool exact = true;
  TRIPTYCH_HD Value identity() const { return {detail::highest<T>(), no_index}; }
  TRIPTYCH_HD Value operator()(Value a, Value b) const {
    const bool take_b = (b.value < a.value) | ((b.value == a.value) & (b.index < a.index));
    return take_b ? b : a;
  }
};

template <Number T>
struct ArgMax {
  using Value = Indexed<T>;
  static constexpr bool exact = true;
  TRIPTYCH_HD Value identity() const { return {detail::lowest<T>(), no_index}; }
  TRIPTYCH_HD Value operator()(Value a, Value b) const {
    const bool take_b = (b.value > a.value) | ((b.value == a.value) & (b.index < a.index));
    return take_b ? b : a;
  }
};

// Count, mean and sum of squared differences from the mean.
struct Moments {
  double count;
  double mean;
  double m2;
  TRIPTYCH_HD double variance() const { return count > 0 ? m2 / count : 0; }  // of the population
  TRIPTYCH_HD double sample_variance() const { return count > 1 ? m2 / (count - 1) : 0; }  // unbiased
};

// The merge of Chan, Golub and LeVeque: one pass, without cancellation when the mean is far from zero.
struct MergeMoments {
  using Value = Moments;
  static constexpr bool exact = false;
  static constexpr bool expensive = true;  // a division
  TRIPTYCH_HD Moments identity() const { return {0, 0, 0}; }
  TRIPTYCH_HD Moments operator()(Moments a, Moments b) const {
    const double delta = b.mean - a.mean;
    if (a.count == b.count) {  // the common case in a tree; needs no division
      return {a.count + b.count, a.mean + 0.5 * delta, a.m2 + b.m2 + delta * delta * (0.5 * a.count)};
    }
    if (b.count == 0) return a;
    if (a.count == 0) return b;
    const double count = a.count + b.count;
    const double share = b.count / count;
    return {count, a.mean + delta * share, a.m2 + b.m2 + delta * delta * (a.count * share)};
  }
};

}  // namespace triptych::reduction
