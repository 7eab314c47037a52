// The CUDA forms in a build without CUDA: they link, and say why they cannot run.
#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/core/device.hpp>
#include <triptych/core/error.hpp>

#include <string>

namespace triptych::capsule_likelihood {

namespace {

[[noreturn]] void unavailable(const char* name) {
  throw Unavailable(std::string(name) + ": " + cuda_unavailable_reason() + ": use the CPU form");
}

}  // namespace

struct DeviceSkeleton::Data {};
DeviceSkeleton::DeviceSkeleton(const Skeleton&) { unavailable("DeviceSkeleton"); }
DeviceSkeleton::DeviceSkeleton(DeviceSkeleton&&) noexcept = default;
DeviceSkeleton& DeviceSkeleton::operator=(DeviceSkeleton&&) noexcept = default;
DeviceSkeleton::~DeviceSkeleton() = default;

void pose_cuda(const DeviceSkeleton&, DeviceMatrixView<const float>, DeviceMatrixView<Vec3>,
               DeviceMatrixView<Capsule>, StreamRef) {
  unavailable("pose_cuda");
}

}  // namespace triptych::capsule_likelihood
