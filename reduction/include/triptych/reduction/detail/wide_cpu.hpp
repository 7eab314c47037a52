// Sums, dot products, minima and maxima of contiguous arrays in packs of 16 bytes, on every x86_64 and
// aarch64.
//
// Element i of a range belongs to lane i mod Wide::lanes, for every address and machine. The lanes are
// combined in a tree.
#pragma once

#include <triptych/core/simd/pack_baseline.hpp>
#include <triptych/reduction/monoid.hpp>
#include <triptych/reduction/source.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace triptych::reduction::detail::cpu {

// The prefetch distance. Hardware prefetchers stop at the end of a page; software prefetches do not.
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

// The number of accumulators: enough to hide the latency of an addition, few enough for 16 registers.
inline constexpr int vectors = 8;

template <class T>
using Pack = simd::Pack<T, simd::Baseline>;

// The monoids on packs.
template <Number A>
Pack<A> combine(Sum<A>, Pack<A> acc, Pack<A> v) {
  return acc + v;
}
template <Number T>
Pack<T> combine(Min<T>, Pack<T> acc, Pack<T> v) {
  return min_ordered(acc, v);
}
template <Number T>
Pack<T> combine(Max<T>, Pack<T> acc, Pack<T> v) {
  return max_ordered(acc, v);
}

// Sources that are read as vectors: Wide<S, M> loads vector I of a step and pads the last step.
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
    return Pack<A>::template load_widened<I>(source.data + first);
  }
  template <class S>
  static void prefetch_step(const S& source, std::int64_t first) {
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
requires simd::can_widen<T, A>
struct Wide<MappedArray<T, Convert<A>>, Sum<A>> : WideArray<T, A, Sum<A>> {
};

// Not for 64-bit integers: baseline vectors have no comparison for them, and scalar code is faster.
template <class T>
inline constexpr bool can_compare = simd::is_word<T> && (std::is_floating_point_v<T> || sizeof(T) == 4);

template <class T>
requires can_compare<T>
struct Wide<MappedArray<T, Convert<T>>, Min<T>> : WideArray<T, T, Min<T>> {
};

template <class T>
requires can_compare<T>
struct Wide<MappedArray<T, Convert<T>>, Max<T>> : WideArray<T, T, Max<T>> {
};

template <class T, class A>
requires(simd::can_widen<T, A>&& std::is_floating_point_v<A>) struct Wide<ProductOfArrays<T, A>, Sum<A>> {
  static constexpr bool possible = true;
  static constexpr int lanes = vectors * int(16 / sizeof(A));
  struct Step {
    T a[lanes], b[lanes];
  };
  template <int I>
  static auto load(const ProductOfArrays<T, A>& source, std::int64_t first) {
    return Pack<A>::template load_widened<I>(source.a + first) *
           Pack<A>::template load_widened<I>(source.b + first);
  }
  static void prefetch_step(const ProductOfArrays<T, A>& source, std::int64_t first) {
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
  using P = Pack<typename M::Value>;
  P acc[vectors] = {((void)I, P::all(monoid.identity()))...};
  for (; last - first >= W::lanes; first += W::lanes) {
    W::prefetch_step(source, first);
    ((acc[I] = combine(monoid, acc[I], W::template load<int(I)>(source, first))), ...);
  }
  if (first < last) {
    typename W::Step step;
    const S padded = W::pad(source, first, last - first, step);
    ((acc[I] = combine(monoid, acc[I], W::template load<int(I)>(padded, 0))), ...);
  }
  const P low = combine(monoid, combine(monoid, acc[0], acc[1]), combine(monoid, acc[2], acc[3]));
  const P high = combine(monoid, combine(monoid, acc[4], acc[5]), combine(monoid, acc[6], acc[7]));
  const P all = combine(monoid, low, high);
  typename M::Value lane[P::lanes];
  all.store(lane);
  return combine_tree(lane, monoid);
}

}  // namespace triptych::reduction::detail::cpu
