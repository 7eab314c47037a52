// Packs of 16 bytes by the vector extension of the compiler, on every x86_64 and aarch64: no attribute, any
// number type of 4 or 8 bytes.
//
// Pack<T, Baseline>        load, store, all(value), + - * /; integers wrap around
//   load_widened<I>(p)       elements I lanes .. (I + 1) lanes - 1 of those at p, of a type that widens to T
//   min_ordered(kept, x)     the smaller; kept when x is NaN; -0 is below +0
//   max_ordered(kept, x)     the greater, likewise
// For aarch64, pack_neon.hpp adds the operations of pack.hpp on floats and int32.
#pragma once

#include <triptych/core/simd/instruction_set.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace triptych::simd {

template <class T>
inline constexpr bool is_word =
    std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && (sizeof(T) == 4 || sizeof(T) == 8);

// Whether elements T widen to A: the same kind and no narrower, or int32 as double.
template <class T, class A>
inline constexpr bool can_widen = is_word<T>&& is_word<A>&& std::is_signed_v<T> == std::is_signed_v<A> &&
                                  sizeof(T) <= sizeof(A) &&
                                  (std::is_floating_point_v<T> == std::is_floating_point_v<A> ||
                                   (std::is_floating_point_v<A> && sizeof(T) < sizeof(A)));

template <class T, int bytes = 16>
struct VectorOf {
  typedef T Type __attribute__((vector_size(bytes)));
};
template <class T, int bytes = 16>
using Vector = typename VectorOf<T, bytes>::Type;

// The element type of the vector of a pack of T: unsigned for integers, so that they wrap around.
template <class T>
struct HeldAs {
  using Type = T;
};
template <class T>
requires std::is_integral_v<T>
struct HeldAs<T> {
  using Type = std::make_unsigned_t<T>;
};

// Half I of the four elements at p, widened to A. SSE2 has no vectors of 8 bytes, so compilers convert them
// badly there.
template <class A, int I, class T>
TRIPTYCH_SIMD_INLINE Vector<A> widen(const T* p) {
#if defined(__SSE2__)
  if constexpr (std::is_same_v<T, float>) {
    double two_floats;
    std::memcpy(&two_floats, p + 2 * I, 8);
    return (Vector<A>)_mm_cvtps_pd(_mm_castpd_ps(_mm_set_sd(two_floats)));
  } else if constexpr (std::is_floating_point_v<A>) {
    return (Vector<A>)_mm_cvtepi32_pd(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p + 2 * I)));
  } else {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i above = std::is_signed_v<T> ? _mm_srai_epi32(v, 31) : _mm_setzero_si128();
    return (Vector<A>)(I == 0 ? _mm_unpacklo_epi32(v, above) : _mm_unpackhi_epi32(v, above));
  }
#else
  Vector<T, 8> two;
  std::memcpy(&two, p + 2 * I, 8);
  return __builtin_convertvector(two, Vector<A>);
#endif
}

template <class T>
struct Pack<T, Baseline> {
  static_assert(is_word<T>);
  static constexpr int lanes = int(16 / sizeof(T));
  using Held = typename HeldAs<T>::Type;
  using V = Vector<Held>;
  typedef Held Unaligned __attribute__((vector_size(16), aligned(sizeof(T)), may_alias));
  V v;

  TRIPTYCH_SIMD_INLINE static Pack load(const T* p) { return {*reinterpret_cast<const Unaligned*>(p)}; }
  template <int I, class Narrow>
  TRIPTYCH_SIMD_INLINE static Pack load_widened(const Narrow* p) {
    static_assert(can_widen<Narrow, T>);
    if constexpr (sizeof(Narrow) == sizeof(T)) {
      return load(p + I * lanes);
    } else {
      return {(V)widen<T, I % 2>(p + I / 2 * 4)};
    }
  }
  static Pack load_halves(const std::uint16_t* p);  // of floats, on aarch64
  TRIPTYCH_SIMD_INLINE static Pack all(T value) {
    const auto held = static_cast<Held>(value);
    if constexpr (lanes == 4) {
      return {V{held, held, held, held}};
    } else {
      return {V{held, held}};
    }
  }
  TRIPTYCH_SIMD_INLINE void store(T* p) const { *reinterpret_cast<Unaligned*>(p) = v; }

  TRIPTYCH_SIMD_INLINE friend Pack operator+(Pack a, Pack b) { return {a.v + b.v}; }
  TRIPTYCH_SIMD_INLINE friend Pack operator-(Pack a, Pack b) { return {a.v - b.v}; }
  TRIPTYCH_SIMD_INLINE friend Pack operator*(Pack a, Pack b) { return {a.v * b.v}; }
  TRIPTYCH_SIMD_INLINE friend Pack operator/(Pack a, Pack b) { return {a.v / b.v}; }

  // Comparisons with NaN are false, so NaNs are ignored. Zeros of both signs compare equal; the bitwise or
  // (and) of zeros is the lower (higher) one.
  TRIPTYCH_SIMD_INLINE friend Pack min_ordered(Pack kept, Pack x) {
    const Values a = (Values)x.v, b = (Values)kept.v, lower = a < b ? a : b;
    if constexpr (std::is_floating_point_v<T>) {
      return {(V)((Bits)lower | ((Bits)x.v & (Bits)(x.v == kept.v)))};
    } else {
      return {(V)lower};
    }
  }
  TRIPTYCH_SIMD_INLINE friend Pack max_ordered(Pack kept, Pack x) {
    const Values a = (Values)x.v, b = (Values)kept.v, higher = a > b ? a : b;
    if constexpr (std::is_floating_point_v<T>) {
      return {(V)((Bits)higher & ~(~(Bits)x.v & (Bits)(x.v == kept.v)))};
    } else {
      return {(V)higher};
    }
  }

 private:
  using Values = Vector<T>;
  using Bits = Vector<std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>;
};

}  // namespace triptych::simd
