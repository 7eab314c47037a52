// The filter's GPU functions in a build without CUDA.
#include <triptych/capsule_likelihood/resample.hpp>
#include <triptych/core/device.hpp>
#include <triptych/core/error.hpp>

#include "filter_engine.hpp"

namespace triptych::capsule_likelihood {

void temper_cuda(DeviceSpan<const double>, double, DeviceSpan<std::uint32_t>, Tempering*, StreamRef) {
  throw Unavailable(cuda_unavailable_reason());
}

void resample_cuda(DeviceSpan<const std::uint32_t>, std::uint32_t, DeviceSpan<std::int32_t>, Workspace&,
                   StreamRef) {
  throw Unavailable(cuda_unavailable_reason());
}

std::unique_ptr<FilterEngine> make_cuda_engine(const Skeleton&, const Measure&, const FilterPlan&,
                                               std::int64_t, int) {
  throw Unavailable(cuda_unavailable_reason());
}

}  // namespace triptych::capsule_likelihood
