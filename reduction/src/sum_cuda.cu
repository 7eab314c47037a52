// sum_cuda for every element and accumulator.
#include "element_lists.hpp"
#include "exact_cuda.hpp"
#include "reduce_cuda.cuh"

namespace triptych::reduction {

template <class A, class T>
requires SumPair<T, A>
void sum_cuda(DeviceSpan<const T> values, A* result_on_device, const Options& options, Workspace& workspace,
              StreamRef stream) {
  if constexpr (std::is_floating_point_v<T>) {
    if (options.determinism == Determinism::exact)
      return enqueue_exact_sum(values, result_on_device, options, workspace, stream);
  }
  reduce_mapped(values, Convert<A>{}, Sum<A>{}, result_on_device, options, workspace, stream);
}

#define TRIPTYCH_SUM(A, T) \
  template void sum_cuda<A, T>(DeviceSpan<const T>, A*, const Options&, Workspace&, StreamRef);
TRIPTYCH_FOR_EACH_SUM(TRIPTYCH_SUM)
#undef TRIPTYCH_SUM

}  // namespace triptych::reduction
