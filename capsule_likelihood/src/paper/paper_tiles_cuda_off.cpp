// Without CUDA: this function links and throws Unavailable.
#include <triptych/capsule_likelihood/paper_loop.hpp>
#include <triptych/core/device.hpp>

namespace triptych::capsule_likelihood {

void evaluate_paper_tiles_cuda(DeviceSpan<const Vec3>, DeviceMatrixView<const Capsule>, const Vec3&, float,
                               DeviceSpan<float>, Workspace&, StreamRef) {
  throw_cuda_unavailable("evaluate_paper_tiles_cuda");
}

}  // namespace triptych::capsule_likelihood
