#include <triptych/core/error.hpp>

#include "thrust_omp.hpp"

namespace triptych::reduction {

template <class S, class M>
typename M::Value reduce_thrust_omp(const S&, std::int64_t, M, int) {
  throw Unavailable(
      "the CPU strategy thrust_omp needs Thrust, which is part of the CUDA Toolkit: configure with "
      "TRIPTYCH_CUDA=ON, or use the strategy threads");
}

TRIPTYCH_INSTANTIATE_THRUST_OMP

}  // namespace triptych::reduction
