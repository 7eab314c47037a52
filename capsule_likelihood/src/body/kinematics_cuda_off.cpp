// Without CUDA: these functions link and throw Unavailable.
#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/core/device.hpp>

namespace triptych::capsule_likelihood {

struct DeviceSkeleton::Data {};
DeviceSkeleton::DeviceSkeleton(const Skeleton&) { throw_cuda_unavailable("DeviceSkeleton"); }
DeviceSkeleton::DeviceSkeleton(DeviceSkeleton&&) noexcept = default;
DeviceSkeleton& DeviceSkeleton::operator=(DeviceSkeleton&&) noexcept = default;
DeviceSkeleton::~DeviceSkeleton() = default;

void pose_cuda(const DeviceSkeleton&, DeviceMatrixView<const float>, DeviceMatrixView<Vec3>,
               DeviceMatrixView<Capsule>, StreamRef) {
  throw_cuda_unavailable("pose_cuda");
}

}  // namespace triptych::capsule_likelihood
