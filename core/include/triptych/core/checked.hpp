// Arithmetic on sizes and coordinates of the caller or of a file: InvalidArgument, which begins with `what`,
// instead of undefined behaviour.
#pragma once

#include <triptych/core/error.hpp>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>

namespace triptych {

std::int64_t checked_multiply(std::int64_t a, std::int64_t b, const char* what);
std::int64_t checked_add(std::int64_t a, std::int64_t b, const char* what);

// x rounded towards zero. InvalidArgument when x is NaN, infinite or outside of I.
template <std::integral I>
I checked_cast(double x, const char* what) {
  constexpr auto lowest = static_cast<double>(std::numeric_limits<I>::min());
  const double above = std::ldexp(1.0, std::numeric_limits<I>::digits);  // one above the largest I
  const double whole = std::trunc(x);
  require(whole >= lowest && whole < above, what, " is ", x, ", out of range");
  return static_cast<I>(whole);
}

}  // namespace triptych
