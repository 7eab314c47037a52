// Without CUDA: these functions link and throw Unavailable.
#include <triptych/capsule_likelihood/rays.hpp>
#include <triptych/core/device.hpp>

namespace triptych::capsule_likelihood {

struct DeviceRays::Data {};
DeviceRays::DeviceRays(std::int64_t, const SensorModel&) { throw_cuda_unavailable("DeviceRays"); }
DeviceRays::DeviceRays(DeviceRays&&) noexcept = default;
DeviceRays& DeviceRays::operator=(DeviceRays&&) noexcept = default;
DeviceRays::~DeviceRays() = default;
void DeviceRays::set(DeviceSpan<const Vec3>, DeviceSpan<const float>, Workspace&, StreamRef) {
  throw_cuda_unavailable("DeviceRays::set");
}
void DeviceRays::set(DeviceSpan<const Vec3>, DeviceSpan<const float>, const std::int64_t*, Workspace&,
                     StreamRef) {
  throw_cuda_unavailable("DeviceRays::set");
}
PointCount DeviceRays::count(StreamRef) const { throw_cuda_unavailable("DeviceRays::count"); }
double DeviceRays::max_loss(StreamRef) const { throw_cuda_unavailable("DeviceRays::max_loss"); }
const SensorModel& DeviceRays::sensor() const { throw_cuda_unavailable("DeviceRays::sensor"); }

}  // namespace triptych::capsule_likelihood
