// The length of a vector in the plane, with the same bits on every machine: those of std::hypot depend on the
// C library.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>

namespace triptych {

// No product overflows or vanishes, whatever the size of the numbers.
template <std::floating_point T>
T length(T x, T y) {
  x = std::abs(x), y = std::abs(y);
  const T large = x > y ? x : y, small = x > y ? y : x;
  if (!(large > 0 && large <= std::numeric_limits<T>::max())) return x + y;  // 0, infinite or NaN
  const T ratio = small / large;
  return large * std::sqrt(1 + ratio * ratio);
}

}  // namespace triptych
