// The CUDA forms in a build without CUDA: they link, and say why they cannot run.
#include <triptych/capsule_likelihood/likelihood.hpp>
#include <triptych/capsule_likelihood/rays.hpp>
#include <triptych/capsule_likelihood/tune.hpp>
#include <triptych/core/device.hpp>
#include <triptych/core/error.hpp>

#include <string>

namespace triptych::capsule_likelihood {

namespace {

[[noreturn]] void unavailable(const char* name) {
  throw Unavailable(std::string(name) + ": " + cuda_unavailable_reason() + ": use the CPU form");
}

}  // namespace

struct DeviceRays::Data {};
DeviceRays::DeviceRays(std::int64_t, const Measure&) { unavailable("DeviceRays"); }
DeviceRays::DeviceRays(DeviceRays&&) noexcept = default;
DeviceRays& DeviceRays::operator=(DeviceRays&&) noexcept = default;
DeviceRays::~DeviceRays() = default;
void DeviceRays::set(DeviceSpan<const Vec3>, DeviceSpan<const float>, Workspace&, StreamRef) {
  unavailable("DeviceRays::set");
}
void DeviceRays::set(DeviceSpan<const Vec3>, DeviceSpan<const float>, const std::int64_t*, Workspace&,
                     StreamRef) {
  unavailable("DeviceRays::set");
}
PointCount DeviceRays::count(StreamRef) const { unavailable("DeviceRays::count"); }
const Measure& DeviceRays::measure() const { unavailable("DeviceRays::measure"); }

void evaluate_cuda(const DeviceRays&, DeviceMatrixView<const Capsule>, DeviceSpan<double>,
                   const EvaluateOptions&, Workspace&, StreamRef) {
  unavailable("evaluate_cuda");
}

EvaluateOptions tune_evaluate_cuda(reduction::TuningCache&, const DeviceRays&,
                                   DeviceMatrixView<const Capsule>, Method, Workspace&, StreamRef) {
  unavailable("tune_evaluate_cuda");
}

}  // namespace triptych::capsule_likelihood
