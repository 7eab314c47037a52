// The checks of a result before it is timed. Each throws, and so fails its benchmark, when the result is
// wrong.
//
// Inputs of floating-point sums are in [0, 1), so that a chain of k additions has a relative error of at most
// k eps. No strategy with a fixed order has a chain above max_chain up to 2^30 elements.
#pragma once

#include <triptych/reduction/reduce.hpp>

#include <cmath>
#include <limits>
#include <span>
#include <sstream>
#include <stdexcept>

namespace triptych::bench {

inline constexpr double max_chain = 8192;

template <class T>
double rounding_error() {
  return static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
}

template <class T, class U>
void check_result(bool right, const char* operation, const T& got, const U& expected) {
  if (right) return;
  std::ostringstream message;
  message.precision(17);
  message << "wrong " << operation << ": " << got << ", expected " << expected;
  throw std::runtime_error(message.str());
}

inline void check_close(const char* operation, double got, double expected, double relative_bound) {
  check_result(std::abs(got - expected) <= relative_bound * std::abs(expected), operation, got, expected);
}

inline void check_min(float got, std::span<const float> a) {
  const float expected = reduction::min_cpu<float>(a, {});
  check_result(got == expected, "minimum", got, expected);
}

inline void check_argmin(const reduction::Indexed<float>& got, std::span<const float> a) {
  const auto expected = reduction::argmin_cpu<float>(a, {});
  check_result(got.value == expected.value, "minimum", got.value, expected.value);
  check_result(got.index == expected.index, "index of the minimum", got.index, expected.index);
}

// Each product is rounded once before the chain; the reference, in double precision, counts as exact.
inline void check_dot(float got, std::span<const float> a, std::span<const float> b) {
  check_close("dot product", static_cast<double>(got), reduction::dot_cpu<double, float>(a, b, {}),
              (max_chain + 1) * rounding_error<float>());
}

// A merge of moments has fewer than 16 roundings; both sides round.
inline void check_moments(const reduction::Moments& got, std::span<const float> a) {
  const auto expected = reduction::moments_cpu<float>(a, {});
  const double bound = 2 * 16 * max_chain * rounding_error<double>();
  check_result(got.count == expected.count, "count", got.count, expected.count);
  check_close("mean", got.mean, expected.mean, bound);
  check_close("sum of squared differences", got.m2, expected.m2, bound);
}

}  // namespace triptych::bench
