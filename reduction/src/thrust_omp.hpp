// Thrust's OpenMP backend for the operations of reduce.hpp. The order of combination depends on the number of
// threads. Unavailable in builds without CUDA, since Thrust is part of the CUDA Toolkit.
#pragma once

#include <triptych/reduction/monoid.hpp>
#include <triptych/reduction/source.hpp>

#include <cstdint>

#include "element_lists.hpp"

namespace triptych::reduction {

// threads 0: default_threads(). n >= 0.
template <class S, class M>
typename M::Value reduce_thrust_omp(const S& source, std::int64_t n, M monoid, int threads);

// The sources of the operations.
template <class A, class T>
using SumSource = MappedArray<T, Convert<A>>;
template <class A, class T>
using DotSource = ProductOfArrays<T, A>;
template <class T>
using ArgMinSource = MappedArray<T, WithIndex<ArgMin<T>>>;
template <class T>
using ArgMaxSource = MappedArray<T, WithIndex<ArgMax<T>>>;
template <class T>
using MomentSource = MappedArray<T, AsMoments>;

}  // namespace triptych::reduction

// Instantiates reduce_thrust_omp for all of them; used once, inside the namespace.
#define TRIPTYCH_THRUST_SUM(A, T) \
  template A reduce_thrust_omp(const SumSource<A, T>&, std::int64_t, Sum<A>, int);
#define TRIPTYCH_THRUST_DOT(A, T) \
  template A reduce_thrust_omp(const DotSource<A, T>&, std::int64_t, Sum<A>, int);
#define TRIPTYCH_THRUST_EXTREMES(T)                                                            \
  template T reduce_thrust_omp(const SumSource<T, T>&, std::int64_t, Min<T>, int);             \
  template T reduce_thrust_omp(const SumSource<T, T>&, std::int64_t, Max<T>, int);             \
  template Indexed<T> reduce_thrust_omp(const ArgMinSource<T>&, std::int64_t, ArgMin<T>, int); \
  template Indexed<T> reduce_thrust_omp(const ArgMaxSource<T>&, std::int64_t, ArgMax<T>, int);
#define TRIPTYCH_THRUST_MOMENTS(T) \
  template Moments reduce_thrust_omp(const MomentSource<T>&, std::int64_t, MergeMoments, int);
#define TRIPTYCH_INSTANTIATE_THRUST_OMP               \
  TRIPTYCH_FOR_EACH_SUM(TRIPTYCH_THRUST_SUM)          \
  TRIPTYCH_FOR_EACH_DOT(TRIPTYCH_THRUST_DOT)          \
  TRIPTYCH_FOR_EACH_ELEMENT(TRIPTYCH_THRUST_EXTREMES) \
  TRIPTYCH_FOR_EACH_MOMENT_ELEMENT(TRIPTYCH_THRUST_MOMENTS)
