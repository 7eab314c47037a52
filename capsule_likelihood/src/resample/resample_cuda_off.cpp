// Without CUDA: these functions link and throw Unavailable.
#include <triptych/capsule_likelihood/resample.hpp>
#include <triptych/core/device.hpp>

namespace triptych::capsule_likelihood {

void temper_cuda(DeviceSpan<const double>, double, DeviceSpan<std::uint32_t>, Tempering*, StreamRef, double) {
  throw_cuda_unavailable("temper_cuda");
}

void resample_cuda(DeviceSpan<const std::uint32_t>, std::uint32_t, DeviceSpan<std::int32_t>, Workspace&,
                   StreamRef) {
  throw_cuda_unavailable("resample_cuda");
}

}  // namespace triptych::capsule_likelihood
