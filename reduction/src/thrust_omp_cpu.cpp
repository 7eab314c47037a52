#define THRUST_HOST_SYSTEM THRUST_HOST_SYSTEM_CPP
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_OMP

#include <triptych/core/parallel.hpp>

#include <omp.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/system/omp/execution_policy.h>
#include <thrust/transform_reduce.h>

#include "thrust_omp.hpp"

namespace triptych::reduction {

namespace {

// Sets the number of OpenMP threads, which Thrust uses, for a scope.
class WithThreads {
 public:
  explicit WithThreads(int threads) : before_(omp_get_max_threads()) {
    omp_set_num_threads(threads > 0 ? threads : default_threads());
  }
  ~WithThreads() { omp_set_num_threads(before_); }
  WithThreads(const WithThreads&) = delete;
  WithThreads& operator=(const WithThreads&) = delete;

 private:
  int before_;
};

}  // namespace

template <class S, class M>
typename M::Value reduce_thrust_omp(const S& source, std::int64_t n, M monoid, int threads) {
  const WithThreads with_threads(threads);
  const thrust::counting_iterator<std::int64_t> begin(0);
  const typename M::Value identity = monoid.identity();
  return thrust::transform_reduce(thrust::omp::par, begin, begin + n, source, identity, monoid);
}

TRIPTYCH_INSTANTIATE_THRUST_OMP

}  // namespace triptych::reduction
