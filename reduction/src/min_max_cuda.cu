// min_cuda and max_cuda for every element.
#include "element_lists.hpp"
#include "reduce_cuda.cuh"

namespace triptych::reduction {

template <Element T>
void min_cuda(DeviceSpan<const T> values, T* result_on_device, const Options& options, Workspace& workspace,
              StreamRef stream) {
  reduce_mapped(values, Convert<T>{}, Min<T>{}, result_on_device, options, workspace, stream);
}

template <Element T>
void max_cuda(DeviceSpan<const T> values, T* result_on_device, const Options& options, Workspace& workspace,
              StreamRef stream) {
  reduce_mapped(values, Convert<T>{}, Max<T>{}, result_on_device, options, workspace, stream);
}

#define TRIPTYCH_MIN_MAX(T)                                                                  \
  template void min_cuda<T>(DeviceSpan<const T>, T*, const Options&, Workspace&, StreamRef); \
  template void max_cuda<T>(DeviceSpan<const T>, T*, const Options&, Workspace&, StreamRef);
TRIPTYCH_FOR_EACH_ELEMENT(TRIPTYCH_MIN_MAX)
#undef TRIPTYCH_MIN_MAX

}  // namespace triptych::reduction
