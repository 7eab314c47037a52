#include <triptych/core/error.hpp>
#include <triptych/reduction/exact.hpp>
#include <triptych/reduction/reduce.hpp>
#include <triptych/reduction/transform_reduce_cpu.hpp>

#include "thrust_omp.hpp"

namespace triptych::reduction {

namespace {

template <class T>
const T* checked(std::span<const T> values) {
  require(values.data() != nullptr || values.empty(), "a span of ", values.size(),
          " elements has no data (null pointer)");
  return values.data();
}

template <class S, class M>
typename M::Value run(const S& source, std::size_t size, M monoid, const CpuOptions& options) {
  const auto n = static_cast<std::int64_t>(size);
  if (options.strategy != CpuStrategy::thrust_omp) return transform_reduce_cpu(source, n, monoid, options);
  detail::cpu::check(n, options, M::exact);
  return reduce_thrust_omp(source, n, monoid, options.threads);
}

}  // namespace

template <class A, class T>
requires SumPair<T, A> A sum_cpu(std::span<const T> values, const CpuOptions& options) {
  if constexpr (std::is_floating_point_v<T>) {
    if (options.determinism == Determinism::exact) {
      require(options.strategy == CpuStrategy::automatic,
              "the determinism exact of a sum of floats needs the CPU strategy automatic, not ",
              to_string(options.strategy));
      return sum_exact_cpu(values, options.threads).template value<A>();
    }
  }
  return run(SumSource<A, T>{checked(values), {}}, values.size(), Sum<A>{}, options);
}

template <Element T>
T min_cpu(std::span<const T> values, const CpuOptions& options) {
  return run(SumSource<T, T>{checked(values), {}}, values.size(), Min<T>{}, options);
}

template <Element T>
T max_cpu(std::span<const T> values, const CpuOptions& options) {
  return run(SumSource<T, T>{checked(values), {}}, values.size(), Max<T>{}, options);
}

template <Element T>
Indexed<T> argmin_cpu(std::span<const T> values, const CpuOptions& options) {
  return run(ArgMinSource<T>{checked(values), {}}, values.size(), ArgMin<T>{}, options);
}

template <Element T>
Indexed<T> argmax_cpu(std::span<const T> values, const CpuOptions& options) {
  return run(ArgMaxSource<T>{checked(values), {}}, values.size(), ArgMax<T>{}, options);
}

template <class A, class T>
requires DotAccumulator<T, A> A dot_cpu(std::span<const T> a, std::span<const T> b,
                                        const CpuOptions& options) {
  require(a.size() == b.size(), "a dot product of ", a.size(), " and ", b.size(),
          " elements: the lengths must be equal");
  return run(DotSource<A, T>{checked(a), checked(b)}, a.size(), Sum<A>{}, options);
}

template <MomentElement T>
Moments moments_cpu(std::span<const T> values, const CpuOptions& options) {
  return run(MomentSource<T>{checked(values), {}}, values.size(), MergeMoments{}, options);
}

#define TRIPTYCH_SUM_CPU(A, T) template A sum_cpu<A, T>(std::span<const T>, const CpuOptions&);
TRIPTYCH_FOR_EACH_SUM(TRIPTYCH_SUM_CPU)

#define TRIPTYCH_EXTREMES_CPU(T)                                         \
  template T min_cpu(std::span<const T>, const CpuOptions&);             \
  template T max_cpu(std::span<const T>, const CpuOptions&);             \
  template Indexed<T> argmin_cpu(std::span<const T>, const CpuOptions&); \
  template Indexed<T> argmax_cpu(std::span<const T>, const CpuOptions&);
TRIPTYCH_FOR_EACH_ELEMENT(TRIPTYCH_EXTREMES_CPU)

#define TRIPTYCH_DOT_CPU(A, T) \
  template A dot_cpu<A, T>(std::span<const T>, std::span<const T>, const CpuOptions&);
TRIPTYCH_FOR_EACH_DOT(TRIPTYCH_DOT_CPU)

#define TRIPTYCH_MOMENTS_CPU(T) template Moments moments_cpu(std::span<const T>, const CpuOptions&);
TRIPTYCH_FOR_EACH_MOMENT_ELEMENT(TRIPTYCH_MOMENTS_CPU)

}  // namespace triptych::reduction
