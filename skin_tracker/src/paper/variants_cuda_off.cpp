// Without CUDA: these functions link and throw Unavailable.
#include <triptych/core/device.hpp>
#include <triptych/skin_tracker/variants.hpp>

namespace triptych::skin_tracker {

void moments_gpu_variant(Variant, DeviceImageView<const Rgba8>, const LinearFilter&, FloatMoments*,
                         Workspace&, StreamRef) {
  throw_cuda_unavailable("moments_gpu_variant");
}

}  // namespace triptych::skin_tracker
