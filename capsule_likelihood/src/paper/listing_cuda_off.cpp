// Without CUDA: this function links and throws Unavailable.
#include <triptych/capsule_likelihood/listing.hpp>
#include <triptych/core/device.hpp>

namespace triptych::capsule_likelihood {

void evaluate_listing_cuda(DeviceSpan<const Vec3>, DeviceMatrixView<const Capsule>, const Vec3&, float,
                           DeviceSpan<float>, Workspace&, StreamRef) {
  throw_cuda_unavailable("evaluate_listing_cuda");
}

}  // namespace triptych::capsule_likelihood
