// The CUDA forms in a build without CUDA: they link, and say why they cannot run.
#include <triptych/aam_fit/fit_cuda.hpp>
#include <triptych/core/device.hpp>
#include <triptych/core/error.hpp>

#include <string>

#include "fitter_engine.hpp"

namespace triptych::aam_fit {

namespace {

[[noreturn]] void unavailable(const char* name) {
  throw Unavailable(std::string(name) + ": " + cuda_unavailable_reason() + ": use the CPU form");
}

}  // namespace

class LevelFitterCuda::Impl {};
LevelFitterCuda::LevelFitterCuda(const Level&, const FitOptions&, int, StreamRef) {
  unavailable("LevelFitterCuda");
}
LevelFitterCuda::LevelFitterCuda(LevelFitterCuda&&) noexcept = default;
LevelFitterCuda& LevelFitterCuda::operator=(LevelFitterCuda&&) noexcept = default;
LevelFitterCuda::~LevelFitterCuda() = default;
int LevelFitterCuda::parameter_count() const { unavailable("LevelFitterCuda"); }
std::string LevelFitterCuda::describe() const { unavailable("LevelFitterCuda"); }
DeviceSpan<const float> LevelFitterCuda::errors() const { unavailable("LevelFitterCuda"); }
void LevelFitterCuda::parameters_of(std::span<const DevicePlanesView>, DeviceSpan<const float>,
                                    DeviceSpan<float>, StreamRef) {
  unavailable("LevelFitterCuda::parameters_of");
}
void LevelFitterCuda::shapes_of(DeviceSpan<const float>, DeviceSpan<float>, StreamRef) {
  unavailable("LevelFitterCuda::shapes_of");
}

void fit_cuda(LevelFitterCuda&, std::span<const DevicePlanesView>, DeviceSpan<float>,
              DeviceSpan<DeviceLevelFit>, StreamRef) {
  unavailable("fit_cuda");
}

void prepare_cuda(DeviceImageView<const Grey8>, const Crop&, const Features&, DeviceSpan<float>,
                  DeviceImageView<float>, StreamRef) {
  unavailable("prepare_cuda");
}
std::int64_t prepare_scratch(const Crop&, const Features&) { unavailable("prepare_scratch"); }

std::unique_ptr<FitterEngine> make_cuda_fitter_engine(const Model&, const FitterOptions&, int) {
  unavailable("Fitter");
}

}  // namespace triptych::aam_fit
