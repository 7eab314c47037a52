// Without CUDA: these functions link and throw Unavailable.
#include <triptych/core/device.hpp>
#include <triptych/skin_tracker/variants.hpp>

namespace triptych::skin_tracker {

void sum_gpu_variant(Variant, DeviceImageView<const Rgba8>, const LinearFilter&, FloatSums*, Workspace&,
                     StreamRef) {
  throw_cuda_unavailable("sum_gpu_variant");
}

}  // namespace triptych::skin_tracker
