// Sums, dot products, minima and maxima of contiguous arrays in 16-byte vectors, which every x86_64 and
// aarch64 has.
//
// Element i of a range belongs to lane i mod Wide::lanes, whatever the address and the machine; the lanes
// meet as a tree.
#pragma once

#include <triptych/reduction/monoid.hpp>
#include <triptych/reduction/source.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace triptych::reduction::detail::cpu {

// How far ahead of the loads memory is asked for. Hardware prefetchers stop at the end of a page; this does
// not.
inline constexpr std::uintptr_t prefetch_bytes = 4096;
inline constexpr std::uintptr_t cache_line_bytes = 64;

template <int Bytes>
inline void prefetch(const void* p) {
  const auto address = reinterpret_cast<std::uintptr_t>(p) + prefetch_bytes;
  __builtin_prefetch(reinterpret_cast<const void*>(address));
  if constexpr (Bytes > int(cache_line_bytes)) {
    __builtin_prefetch(reinterpret_cast<const void*>(address + cache_line_bytes));
  }
}

template <class T, int Bytes = 16>
struct VectorOf {
  typedef T Type __attribute__((vector_size(Bytes)));
};
template <class T>
using Vector = typename VectorOf<T>::Type;

// Signed integers are added as unsigned ones, which wrap around.
template <class A>
struct LaneOf {
  using Type = A;
};
template <std::integral A>
struct LaneOf<A> {
  using Type = std::make_unsigned_t<A>;
};
template <class A>
using Lane = typename LaneOf<A>::Type;

inline constexpr int vectors =
    8;  // accumulators: enough to hide the latency of an addition, few enough for 16 registers

template <class T>
inline constexpr bool is_word =
    std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && (sizeof(T) == 4 || sizeof(T) == 8);

// Whether elements T can be read as vectors of accumulators A: the same kind and no narrower, or int32 as
// double.
template <class T, class A>
inline constexpr bool can_widen = is_word<T>&& is_word<A>&& std::is_signed_v<T> == std::is_signed_v<A> &&
                                  sizeof(T) <= sizeof(A) &&
                                  (std::is_floating_point_v<T> == std::is_floating_point_v<A> ||
                                   (std::is_floating_point_v<A> && sizeof(T) < sizeof(A)));

// Half I of the four elements at p, each as wide as A. Compilers convert vectors of 8 bytes well where the
// machine has them; SSE2 has not.
template <class A, int I, class T>
inline Vector<Lane<A>> widen(const T* p) {
#if defined(__SSE2__)
  if constexpr (std::is_same_v<T, float>) {
    double two_floats;
    std::memcpy(&two_floats, p + 2 * I, 8);
    return (Vector<Lane<A>>)_mm_cvtps_pd(_mm_castpd_ps(_mm_set_sd(two_floats)));
  } else if constexpr (std::is_floating_point_v<A>) {
    return (Vector<Lane<A>>)_mm_cvtepi32_pd(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p + 2 * I)));
  } else {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i above = std::is_signed_v<T> ? _mm_srai_epi32(v, 31) : _mm_setzero_si128();
    return (Vector<Lane<A>>)(I == 0 ? _mm_unpacklo_epi32(v, above) : _mm_unpackhi_epi32(v, above));
  }
#else
  typename VectorOf<T, 8>::Type two;
  std::memcpy(&two, p + 2 * I, 8);
  return (Vector<Lane<A>>)__builtin_convertvector(two, Vector<A>);
#endif
}

// Vector I of the `vectors` that the elements from p make, as lanes of A.
template <class A, int I, class T>
inline Vector<Lane<A>> load_vector(const T* p) {
  if constexpr (sizeof(T) == sizeof(A)) {
    Vector<Lane<A>> v;
    std::memcpy(&v, p + I * int(16 / sizeof(T)), 16);
    return v;
  } else {
    return widen<A, I % 2>(p + I / 2 * 4);
  }
}

// Vectors combined as a monoid combines values. NaNs are passed over by a comparison that is then false;
// zeros of both signs compare equal, and or-ing (and-ing) their bits leaves the lower (the higher) one.
template <class M>
struct VectorCombine;

template <Number A>
struct VectorCombine<Sum<A>> {
  static Vector<Lane<A>> identity() { return Vector<Lane<A>>{}; }
  static Vector<Lane<A>> apply(Vector<Lane<A>> acc, Vector<Lane<A>> v) { return acc + v; }
};

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

template <Number T>
struct VectorCombine<Min<T>> {
  static Vector<T> identity() { return Vector<T>{} + highest<T>(); }
  static Vector<T> apply(Vector<T> acc, Vector<T> v) {
    acc = v < acc ? v : acc;
    if constexpr (std::is_floating_point_v<T>) {
      using Bits = Vector<BitsOf<T>>;
      acc = (Vector<T>)((Bits)acc | ((Bits)v & (Bits)(v == acc)));
    }
    return acc;
  }
};

template <Number T>
struct VectorCombine<Max<T>> {
  static Vector<T> identity() { return Vector<T>{} + lowest<T>(); }
  static Vector<T> apply(Vector<T> acc, Vector<T> v) {
    acc = v > acc ? v : acc;
    if constexpr (std::is_floating_point_v<T>) {
      using Bits = Vector<BitsOf<T>>;
      acc = (Vector<T>)((Bits)acc & ~(~(Bits)v & (Bits)(v == acc)));
    }
    return acc;
  }
};

// What is read as vectors: Wide<S, M> names the elements, loads vector I of a step, and pads the last step.
template <class S, class M>
struct Wide {
  static constexpr bool possible = false;
};

template <class T, class A, class M>
struct WideArray {
  static constexpr bool possible = true;
  static constexpr int lanes = vectors * int(16 / sizeof(A));
  struct Step {
    T element[lanes];
  };
  template <int I, class S>
  static auto load(const S& source, std::int64_t first) {
    return load_vector<A, I>(source.data + first);
  }
  template <class S>
  static void ask_ahead(const S& source, std::int64_t first) {
    prefetch<int(sizeof(Step))>(source.data + first);
  }
  template <class S>
  static auto pad(const S& source, std::int64_t first, std::int64_t count, Step& step) {
    for (T& e : step.element) e = static_cast<T>(M{}.identity());
    std::memcpy(step.element, source.data + first, static_cast<std::size_t>(count) * sizeof(T));
    return S{step.element, source.map};
  }
};

template <class T, class A>
requires can_widen<T, A>
struct Wide<MappedArray<T, Convert<A>>, Sum<A>> : WideArray<T, A, Sum<A>> {
};

// 64-bit integers are compared faster one by one where vectors have no such comparison.
template <class T>
inline constexpr bool can_compare = is_word<T> && (std::is_floating_point_v<T> || sizeof(T) == 4);

template <class T>
requires can_compare<T>
struct Wide<MappedArray<T, Convert<T>>, Min<T>> : WideArray<T, T, Min<T>> {
  template <int I, class S>
  static auto load(const S& source, std::int64_t first) {
    return (Vector<T>)load_vector<T, I>(source.data + first);
  }
};

template <class T>
requires can_compare<T>
struct Wide<MappedArray<T, Convert<T>>, Max<T>> : WideArray<T, T, Max<T>> {
  template <int I, class S>
  static auto load(const S& source, std::int64_t first) {
    return (Vector<T>)load_vector<T, I>(source.data + first);
  }
};

template <class T, class A>
requires(can_widen<T, A>&& std::is_floating_point_v<A>) struct Wide<ProductOfArrays<T, A>, Sum<A>> {
  static constexpr bool possible = true;
  static constexpr int lanes = vectors * int(16 / sizeof(A));
  struct Step {
    T a[lanes], b[lanes];
  };
  template <int I>
  static auto load(const ProductOfArrays<T, A>& source, std::int64_t first) {
    return load_vector<A, I>(source.a + first) * load_vector<A, I>(source.b + first);
  }
  static void ask_ahead(const ProductOfArrays<T, A>& source, std::int64_t first) {
    prefetch<lanes* int(sizeof(T))>(source.a + first);
    prefetch<lanes* int(sizeof(T))>(source.b + first);
  }
  static ProductOfArrays<T, A> pad(const ProductOfArrays<T, A>& source, std::int64_t first,
                                   std::int64_t count, Step& step) {
    step = {};
    std::memcpy(step.a, source.a + first, static_cast<std::size_t>(count) * sizeof(T));
    std::memcpy(step.b, source.b + first, static_cast<std::size_t>(count) * sizeof(T));
    return {step.a, step.b};
  }
};

// The elements first .. last - 1 combined.
template <class S, class M, std::size_t... I>
typename M::Value reduce_wide(const S& source, std::int64_t first, std::int64_t last, M monoid,
                              std::index_sequence<I...>) {
  using W = Wide<S, M>;
  using C = VectorCombine<M>;
  using V = decltype(C::identity());
  V acc[vectors] = {((void)I, C::identity())...};
  for (; last - first >= W::lanes; first += W::lanes) {
    W::ask_ahead(source, first);
    ((acc[I] = C::apply(acc[I], W::template load<int(I)>(source, first))), ...);
  }
  if (first < last) {
    typename W::Step step;
    const S padded = W::pad(source, first, last - first, step);
    ((acc[I] = C::apply(acc[I], W::template load<int(I)>(padded, 0))), ...);
  }
  const V low = C::apply(C::apply(acc[0], acc[1]), C::apply(acc[2], acc[3]));
  const V high = C::apply(C::apply(acc[4], acc[5]), C::apply(acc[6], acc[7]));
  const V all = C::apply(low, high);
  typename M::Value lane[sizeof(V) / sizeof(typename M::Value)];
  std::memcpy(lane, &all, sizeof(all));
  return combine_tree(lane, monoid);
}

}  // namespace triptych::reduction::detail::cpu
