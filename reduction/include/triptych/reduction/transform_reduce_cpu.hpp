// Transform-reduce on the CPU: any source, any monoid, every CpuStrategy but thrust_omp.
//
//   struct Square { double operator()(std::int64_t i) const { return double(i) * double(i); } };
//   double sum = transform_reduce_cpu(Square{}, n, Sum<double>{}, CpuOptions{});
//
// The source is called once for each index in [0, n); the strategies threads and automatic call it from
// several threads. An exception of the source reaches the caller. The result of an empty range is the
// identity. Errors: InvalidArgument for a negative n or number of threads, and for compensated with a monoid
// that is neither exact nor a floating-point Sum, or Determinism::exact with one that is not exact;
// Unavailable for thrust_omp, which supports only the operations of reduce.hpp.
#pragma once

#include <triptych/core/error.hpp>
#include <triptych/reduction/collective/chunks.hpp>
#include <triptych/reduction/detail/compensated_cpu.hpp>
#include <triptych/reduction/detail/simd_cpu.hpp>
#include <triptych/reduction/monoid.hpp>
#include <triptych/reduction/source.hpp>
#include <triptych/reduction/strategy.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace triptych::reduction {

namespace detail::cpu {

template <class S, class M>
typename M::Value reduce_sequential(const S& source, std::int64_t first, std::int64_t last, M monoid) {
  typename M::Value acc = monoid.identity();
  for (std::int64_t i = first; i < last; ++i) acc = monoid(acc, source(i));
  return acc;
}

inline constexpr std::int64_t pairwise_base = 32;

template <class S, class M>
typename M::Value reduce_pairwise(const S& source, std::int64_t first, std::int64_t last, M monoid) {
  if (last - first <= pairwise_base) return reduce_sequential(source, first, last, monoid);
  const std::int64_t middle = first + (last - first) / 2;
  return monoid(reduce_pairwise(source, first, middle, monoid),
                reduce_pairwise(source, middle, last, monoid));
}

template <class S, class M>
typename M::Value reduce_compensated(const S& source, std::int64_t n, M monoid) {
  using Value = typename M::Value;
  if constexpr (IsFloatingSum<M>::value && IsProduct<S>::value) {
    return dot_compensated(source, n);
  } else if constexpr (IsFloatingSum<M>::value) {
    return sum_compensated<S, Value>(source, n);
  } else if constexpr (M::exact) {
    return reduce_sequential(source, 0, n, monoid);
  } else {
    throw InvalidArgument(
        "the strategy compensated supports floating-point sums and dot products, not this monoid: use "
        "pairwise "
        "for a small error");
  }
}

// The size of a chunk: a function of n alone, so that the bits do not depend on the number of threads.
inline std::int64_t chunk_of(std::int64_t n) {
  constexpr std::int64_t min_chunk = 8192, max_chunks = 4096, step = 1024;
  return std::max(min_chunk, (n / max_chunks / step + 1) * step);
}

template <class S, class M>
typename M::Value reduce_threads(const S& source, std::int64_t n, M monoid, int threads) {
  const std::int64_t chunk = chunk_of(n);
  const std::int64_t chunks = chunk_count(n, chunk);
  if (chunks <= 1) return reduce_range(source, 0, n, monoid);
  using Value = typename M::Value;
  std::vector<Slot<Value>> slots(static_cast<std::size_t>(chunks), Slot<Value>{monoid.identity()});
  split_among_threads(chunks, threads, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t c = first; c < last; ++c) {
      slots[static_cast<std::size_t>(c)].value =
          reduce_range(source, c * chunk, std::min(n, (c + 1) * chunk), monoid);
    }
  });
  return combine_pairwise<M>(slots, monoid);
}

// Below this number of elements, starting the threads takes longer than the work.
inline constexpr std::int64_t min_parallel_elements = 1 << 16;

inline void check(std::int64_t n, const CpuOptions& options, bool exact) {
  require(n >= 0, "cannot reduce ", n, " elements");
  require(options.determinism >= Determinism::not_guaranteed && options.determinism <= Determinism::exact,
          "there is no level of determinism number ", static_cast<int>(options.determinism));
  require(exact || options.determinism != Determinism::exact,
          "the determinism exact is available for sums of floats and for exact monoids: use a weaker level");
  require(options.threads >= 0, "cannot reduce with ", options.threads, " threads; 0 means all usable cores");
}

}  // namespace detail::cpu

template <Monoid M, class S>
requires Source<S, typename M::Value>
typename M::Value transform_reduce_cpu(const S& source, std::int64_t n, M monoid, const CpuOptions& options) {
  namespace cpu = detail::cpu;
  cpu::check(n, options, M::exact);
  switch (options.strategy) {
    case CpuStrategy::sequential:
      return cpu::reduce_sequential(source, 0, n, monoid);
    case CpuStrategy::compensated:
      return cpu::reduce_compensated(source, n, monoid);
    case CpuStrategy::pairwise:
      return cpu::reduce_pairwise(source, 0, n, monoid);
    case CpuStrategy::simd:
      return cpu::reduce_range(source, 0, n, monoid);
    case CpuStrategy::threads:
      return cpu::reduce_threads(source, n, monoid, options.threads);
    case CpuStrategy::automatic:
      if (n < cpu::min_parallel_elements) return cpu::reduce_range(source, 0, n, monoid);
      return cpu::reduce_threads(source, n, monoid, options.threads);
    case CpuStrategy::thrust_omp:
      throw Unavailable(
          "the strategy thrust_omp supports only the operations of triptych/reduction/reduce.hpp; use "
          "threads "
          "for other sources");
  }
  throw InvalidArgument("there is no such CPU strategy");
}

}  // namespace triptych::reduction
