// reduce_range(): reduces a range of any source on one thread with many independent accumulators, for the
// strategies simd and threads. The order of combination depends on the range alone.
#pragma once

#include <triptych/reduction/detail/wide_cpu.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

namespace triptych::reduction::detail::cpu {

// The general form for any source and monoid: element i goes to accumulator i mod 8.
template <class S>
inline void prefetch_source(const S&, std::int64_t) {}
template <class T, class Map>
inline void prefetch_source(const MappedArray<T, Map>& source, std::int64_t i) {
  prefetch<8 * int(sizeof(T))>(source.data + i);
}
template <class T, class A>
inline void prefetch_source(const ProductOfArrays<T, A>& source, std::int64_t i) {
  prefetch<8 * int(sizeof(T))>(source.a + i);
  prefetch<8 * int(sizeof(T))>(source.b + i);
}

template <class S, class M, std::size_t... I>
typename M::Value reduce_any(const S& source, std::int64_t first, std::int64_t last, M monoid,
                             std::index_sequence<I...>) {
  using Value = typename M::Value;
  constexpr std::int64_t count = sizeof...(I);
  Value acc[count] = {((void)I, Value(monoid.identity()))...};
  for (; last - first >= count; first += count) {
    prefetch_source(source, first);
    ((acc[I] = monoid(acc[I], source(first + std::int64_t(I)))), ...);
  }
  for (std::int64_t k = 0; first + k < last; ++k) acc[k] = monoid(acc[k], source(first + k));
  return combine_tree(acc, monoid);
}

template <class S, class M>
struct Range {
  static typename M::Value reduce(const S& source, std::int64_t first, std::int64_t last, M monoid) {
    if constexpr (Wide<S, M>::possible) {
      return reduce_wide(source, first, last, monoid, std::make_index_sequence<vectors>{});
    } else {
      return reduce_any(source, first, last, monoid, std::make_index_sequence<8>{});
    }
  }
};

template <class S, class M>
typename M::Value reduce_range(const S& source, std::int64_t first, std::int64_t last, M monoid) {
  return Range<S, M>::reduce(source, first, last, monoid);
}

// Arg-minimum and arg-maximum: the extreme of a block that fits the cache, and a search in that block only
// when it is better than all before. Extreme is Min or Max.
template <class T, class Arg, class Extreme>
Indexed<T> reduce_arg(const T* data, std::int64_t first, std::int64_t last) {
  constexpr std::int64_t block = 2048;
  const MappedArray<T, Convert<T>> values{data, {}};
  Indexed<T> best = Arg{}.identity();
  for (; first < last; first += block) {
    const std::int64_t end = std::min(last, first + block);
    const T extreme = reduce_range(values, first, end, Extreme{});
    const bool candidate = best.index == no_index || Arg{}(best, {extreme, no_index - 1}).index != best.index;
    if (!candidate) continue;
    for (std::int64_t i = first; i < end; ++i) {
      if (data[i] == extreme) {
        best = {data[i], i};
        break;
      }
    }
  }
  return best;
}

template <Number T>
struct Range<MappedArray<T, WithIndex<ArgMin<T>>>, ArgMin<T>> {
  static Indexed<T> reduce(const MappedArray<T, WithIndex<ArgMin<T>>>& source, std::int64_t first,
                           std::int64_t last, ArgMin<T>) {
    return reduce_arg<T, ArgMin<T>, Min<T>>(source.data, first, last);
  }
};

template <Number T>
struct Range<MappedArray<T, WithIndex<ArgMax<T>>>, ArgMax<T>> {
  static Indexed<T> reduce(const MappedArray<T, WithIndex<ArgMax<T>>>& source, std::int64_t first,
                           std::int64_t last, ArgMax<T>) {
    return reduce_arg<T, ArgMax<T>, Max<T>>(source.data, first, last);
  }
};

// The moments of one block in two passes over cached data: the mean, then the differences from it. The sum of
// the differences, which would be 0 without rounding, corrects both.
template <class T, std::size_t... I>
Moments block_moments(const T* data, std::int64_t first, std::int64_t last, std::index_sequence<I...> four) {
  using V = Pack<double>::V;
  constexpr std::int64_t lanes = 2 * sizeof...(I);
  const double count = static_cast<double>(last - first);
  const double mean =
      reduce_range(MappedArray<T, Convert<double>>{data, {}}, first, last, Sum<double>{}) / count;
  if (!std::isfinite(mean)) {  // the sum overflowed, or there is an infinity or a NaN
    return reduce_any(MappedArray<T, AsMoments>{data, {}}, first, last, MergeMoments{}, four);
  }
  V sum[] = {((void)I, V{})...};
  V square[] = {((void)I, V{})...};
  for (; last - first >= lanes; first += lanes) {
    const V d[] = {(Pack<double>::load_widened<int(I)>(data + first).v - mean)...};
    ((sum[I] += d[I], square[I] += d[I] * d[I]), ...);
  }
  V sums = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  V squares = (square[0] + square[1]) + (square[2] + square[3]);
  for (; first < last; ++first) {
    const double d = static_cast<double>(data[first]) - mean;
    sums[0] += d;
    squares[0] += d * d;
  }
  const double drift = sums[0] + sums[1];
  const double m2 = (squares[0] + squares[1]) - drift * (drift / count);
  return {count, mean + drift / count, m2 < 0 ? 0 : m2};
}

// Blocks are merged like the carries of a binary counter: a tree of equal parts for every number of blocks.
template <Number T>
requires simd::can_widen<T, double>
struct Range<MappedArray<T, AsMoments>, MergeMoments> {
  static Moments reduce(const MappedArray<T, AsMoments>& source, std::int64_t first, std::int64_t last,
                        MergeMoments merge) {
    constexpr std::int64_t block = 1024;
    std::array<Moments, 64> pending{};  // pending[k]: of 2^k blocks, when bit k of done is set
    std::uint64_t done = 0;
    constexpr std::make_index_sequence<4> four{};
    for (; last - first >= block; first += block, ++done) {
      Moments sum = block_moments(source.data, first, first + block, four);
      std::size_t k = 0;
      for (; done >> k & 1; ++k) sum = merge(pending[k], sum);
      pending[k] = sum;
    }
    Moments sum = first < last ? block_moments(source.data, first, last, four) : merge.identity();
    for (std::size_t k = 0; k < pending.size(); ++k) {
      if (done >> k & 1) sum = merge(pending[k], sum);
    }
    return sum;
  }
};

}  // namespace triptych::reduction::detail::cpu
