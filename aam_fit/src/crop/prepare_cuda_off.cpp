// Without CUDA: these functions link and throw Unavailable.
#include <triptych/aam_fit/prepare.hpp>
#include <triptych/core/device.hpp>

namespace triptych::aam_fit {

void prepare_cuda(DeviceImageView<const Grey8>, const Crop&, const Features&, DeviceSpan<float>,
                  DeviceImageView<float>, StreamRef) {
  throw_cuda_unavailable("prepare_cuda");
}
std::int64_t prepare_scratch(const Crop&, const Features&) { throw_cuda_unavailable("prepare_scratch"); }

}  // namespace triptych::aam_fit
