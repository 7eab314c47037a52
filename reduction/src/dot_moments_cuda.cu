// dot_cuda and moments_cuda for every supported element type.
#include "element_lists.hpp"
#include "reduce_cuda.cuh"

namespace triptych::reduction {

template <class A, class T>
requires DotAccumulator<T, A>
void dot_cuda(DeviceSpan<const T> a, DeviceSpan<const T> b, A* result_on_device, const Options& options,
              Workspace& workspace, StreamRef stream) {
  if (a.size() != b.size())
    throw InvalidArgument("dot: the arrays have " + std::to_string(a.size()) + " and " +
                          std::to_string(b.size()) + " elements; the lengths must be equal");
  const ProductOfArrays<T, A> source{a.data(), b.data()};
  transform_reduce_cuda(source, a.size(), Sum<A>{}, result_on_device, options, workspace, stream,
                        WithLibraries{});
}

template <MomentElement T>
void moments_cuda(DeviceSpan<const T> values, Moments* result_on_device, const Options& options,
                  Workspace& workspace, StreamRef stream) {
  reduce_mapped(values, AsMoments{}, MergeMoments{}, result_on_device, options, workspace, stream);
}

#define TRIPTYCH_DOT(A, T)                                                                               \
  template void dot_cuda<A, T>(DeviceSpan<const T>, DeviceSpan<const T>, A*, const Options&, Workspace&, \
                               StreamRef);
TRIPTYCH_FOR_EACH_DOT(TRIPTYCH_DOT)
#undef TRIPTYCH_DOT

#define TRIPTYCH_MOMENTS(T) \
  template void moments_cuda<T>(DeviceSpan<const T>, Moments*, const Options&, Workspace&, StreamRef);
TRIPTYCH_FOR_EACH_MOMENT_ELEMENT(TRIPTYCH_MOMENTS)
#undef TRIPTYCH_MOMENTS

}  // namespace triptych::reduction
