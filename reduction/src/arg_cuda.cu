// argmin_cuda and argmax_cuda for every element.
#include "element_lists.hpp"
#include "reduce_cuda.cuh"

namespace triptych::reduction {

template <Element T>
void argmin_cuda(DeviceSpan<const T> values, Indexed<T>* result_on_device, const Options& options,
                 Workspace& workspace, StreamRef stream) {
  reduce_mapped(values, WithIndex<ArgMin<T>>{}, ArgMin<T>{}, result_on_device, options, workspace, stream);
}

template <Element T>
void argmax_cuda(DeviceSpan<const T> values, Indexed<T>* result_on_device, const Options& options,
                 Workspace& workspace, StreamRef stream) {
  reduce_mapped(values, WithIndex<ArgMax<T>>{}, ArgMax<T>{}, result_on_device, options, workspace, stream);
}

#define TRIPTYCH_ARG(T)                                                                                  \
  template void argmin_cuda<T>(DeviceSpan<const T>, Indexed<T>*, const Options&, Workspace&, StreamRef); \
  template void argmax_cuda<T>(DeviceSpan<const T>, Indexed<T>*, const Options&, Workspace&, StreamRef);
TRIPTYCH_FOR_EACH_ELEMENT(TRIPTYCH_ARG)
#undef TRIPTYCH_ARG

}  // namespace triptych::reduction
