// The CUDA functions in a build without CUDA: they link, and throw Unavailable with the reason.
#include <triptych/core/device.hpp>
#include <triptych/reduction/autotune.hpp>
#include <triptych/reduction/exact.hpp>
#include <triptych/reduction/reduce.hpp>
#include <triptych/reduction/rows.hpp>

#include "automatic.hpp"
#include "element_lists.hpp"

namespace triptych::reduction {

int current_device() { throw_cuda_unavailable("current_device"); }
std::string device_name(int) { throw_cuda_unavailable("device_name"); }

template <class A, class T>
requires SumPair<T, A>
void sum_cuda(DeviceSpan<const T>, A*, const Options&, Workspace&, StreamRef) {
  throw_cuda_unavailable("sum_cuda");
}

template <ExactElement T>
void sum_exact_cuda(DeviceSpan<const T>, ExactSum<T>*, Workspace&, StreamRef) {
  throw_cuda_unavailable("sum_exact_cuda");
}
template void sum_exact_cuda(DeviceSpan<const float>, ExactSum<float>*, Workspace&, StreamRef);
template void sum_exact_cuda(DeviceSpan<const double>, ExactSum<double>*, Workspace&, StreamRef);

template <Element T>
void min_cuda(DeviceSpan<const T>, T*, const Options&, Workspace&, StreamRef) {
  throw_cuda_unavailable("min_cuda");
}

template <Element T>
void max_cuda(DeviceSpan<const T>, T*, const Options&, Workspace&, StreamRef) {
  throw_cuda_unavailable("max_cuda");
}

template <Element T>
void argmin_cuda(DeviceSpan<const T>, Indexed<T>*, const Options&, Workspace&, StreamRef) {
  throw_cuda_unavailable("argmin_cuda");
}

template <Element T>
void argmax_cuda(DeviceSpan<const T>, Indexed<T>*, const Options&, Workspace&, StreamRef) {
  throw_cuda_unavailable("argmax_cuda");
}

template <class A, class T>
requires DotAccumulator<T, A>
void dot_cuda(DeviceSpan<const T>, DeviceSpan<const T>, A*, const Options&, Workspace&, StreamRef) {
  throw_cuda_unavailable("dot_cuda");
}

template <MomentElement T>
void moments_cuda(DeviceSpan<const T>, Moments*, const Options&, Workspace&, StreamRef) {
  throw_cuda_unavailable("moments_cuda");
}

template <class A, class T>
requires SumPair<T, A> Strategy tune_sum_cuda(TuningCache&, DeviceSpan<const T>, Workspace&, StreamRef) {
  throw_cuda_unavailable("tune_sum_cuda");
}

#define TRIPTYCH_SUM(A, T)                                                                      \
  template void sum_cuda<A, T>(DeviceSpan<const T>, A*, const Options&, Workspace&, StreamRef); \
  template Strategy tune_sum_cuda<A, T>(TuningCache&, DeviceSpan<const T>, Workspace&, StreamRef);
#define TRIPTYCH_DOT(A, T)                                                                               \
  template void dot_cuda<A, T>(DeviceSpan<const T>, DeviceSpan<const T>, A*, const Options&, Workspace&, \
                               StreamRef);
#define TRIPTYCH_MOMENTS(T) \
  template void moments_cuda<T>(DeviceSpan<const T>, Moments*, const Options&, Workspace&, StreamRef);
#define TRIPTYCH_ORDER(T)                                                                                \
  template void min_cuda<T>(DeviceSpan<const T>, T*, const Options&, Workspace&, StreamRef);             \
  template void max_cuda<T>(DeviceSpan<const T>, T*, const Options&, Workspace&, StreamRef);             \
  template void argmin_cuda<T>(DeviceSpan<const T>, Indexed<T>*, const Options&, Workspace&, StreamRef); \
  template void argmax_cuda<T>(DeviceSpan<const T>, Indexed<T>*, const Options&, Workspace&, StreamRef);
TRIPTYCH_FOR_EACH_SUM(TRIPTYCH_SUM)
TRIPTYCH_FOR_EACH_DOT(TRIPTYCH_DOT)
TRIPTYCH_FOR_EACH_MOMENT_ELEMENT(TRIPTYCH_MOMENTS)
TRIPTYCH_FOR_EACH_ELEMENT(TRIPTYCH_ORDER)
#undef TRIPTYCH_ORDER
#undef TRIPTYCH_MOMENTS
#undef TRIPTYCH_DOT
#undef TRIPTYCH_SUM

RowDevice current_row_device() { throw_cuda_unavailable("current_row_device"); }

void row_sums_cuda(DeviceMatrixView<const float>, DeviceSpan<float>, const RowPlan&, Workspace&, StreamRef) {
  throw_cuda_unavailable("row_sums_cuda");
}

void multiply_cuda(DeviceMatrixView<const float>, DeviceSpan<const float>, DeviceSpan<float>, const RowPlan&,
                   Workspace&, StreamRef) {
  throw_cuda_unavailable("multiply_cuda");
}

RowPlan tune_multiply_cuda(TuningCache&, DeviceMatrixView<const float>, DeviceSpan<const float>,
                           DeviceSpan<float>, Workspace&, StreamRef) {
  throw_cuda_unavailable("tune_multiply_cuda");
}

RowPlan automatic_row_plan(std::int64_t, std::int64_t) { throw_cuda_unavailable("automatic_row_plan"); }

}  // namespace triptych::reduction
