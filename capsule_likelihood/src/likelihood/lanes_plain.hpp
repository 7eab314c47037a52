// One float at a time, on every machine.
#pragma once

#include "geometry/exact_math.hpp"

namespace triptych::capsule_likelihood {

struct PlainLanes {
  static constexpr int lanes = 1;
  static constexpr std::uint32_t all_bits = 1;
  using Floats = float;
  using Mask = bool;

  static float load(const float* p) { return *p; }
  static void store(float* p, float v) { *p = v; }
  static float all(float v) { return v; }
  static float fused(float a, float b, float c) { return exact::fused(a, b, c); }
  static float times(float a, float b) { return a * b; }
  static float plus(float a, float b) { return a + b; }
  static float minus(float a, float b) { return a - b; }
  static float over(float a, float b) { return a / b; }
  static float root(float a) { return std::sqrt(a); }
  static float magnitude(float a) { return std::fabs(a); }
  static float with_sign(float a, float sign) { return std::copysign(a, sign); }
  static float smaller(float kept, float offered) { return exact::smaller(kept, offered); }
  static bool above(float a, float b) { return a > b; }
  static bool differs(float a, float b) { return a != b; }
  static bool both(bool a, bool b) { return a && b; }
  static bool either(bool a, bool b) { return a || b; }
  static bool any(bool m) { return m; }
  static std::uint32_t bits(bool m) { return m ? 1 : 0; }
  static float where(bool m, float yes, float no) { return m ? yes : no; }
};

}  // namespace triptych::capsule_likelihood
