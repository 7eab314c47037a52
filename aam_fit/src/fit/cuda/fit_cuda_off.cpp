// Without CUDA: these functions link and throw Unavailable.
#include <triptych/aam_fit/fit_cuda.hpp>
#include <triptych/core/device.hpp>

namespace triptych::aam_fit {

class LevelFitterCuda::Impl {};
LevelFitterCuda::LevelFitterCuda(const Level&, const FitOptions&, int, StreamRef) {
  throw_cuda_unavailable("LevelFitterCuda");
}
LevelFitterCuda::LevelFitterCuda(LevelFitterCuda&&) noexcept = default;
LevelFitterCuda& LevelFitterCuda::operator=(LevelFitterCuda&&) noexcept = default;
LevelFitterCuda::~LevelFitterCuda() = default;
int LevelFitterCuda::parameter_count() const { throw_cuda_unavailable("LevelFitterCuda"); }
std::string LevelFitterCuda::describe() const { throw_cuda_unavailable("LevelFitterCuda"); }
DeviceSpan<const float> LevelFitterCuda::errors() const { throw_cuda_unavailable("LevelFitterCuda"); }
void LevelFitterCuda::parameters_of(std::span<const DevicePlanesView>, DeviceSpan<const float>,
                                    DeviceSpan<float>, StreamRef) {
  throw_cuda_unavailable("LevelFitterCuda::parameters_of");
}
void LevelFitterCuda::shapes_of(DeviceSpan<const float>, DeviceSpan<float>, StreamRef) {
  throw_cuda_unavailable("LevelFitterCuda::shapes_of");
}

void fit_cuda(LevelFitterCuda&, std::span<const DevicePlanesView>, DeviceSpan<float>,
              DeviceSpan<DeviceLevelFit>, StreamRef) {
  throw_cuda_unavailable("fit_cuda");
}

}  // namespace triptych::aam_fit
