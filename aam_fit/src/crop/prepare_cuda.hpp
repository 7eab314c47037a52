// prepare_cuda for many faces at once, each with a frame and a crop that lie on the device: what the GPU
// engine of Fitter uses, so that a level's crop can follow from the level before without the host.
#pragma once

#include <triptych/aam_fit/prepare.hpp>
#include <triptych/core/stream.hpp>

#include <cstdint>

namespace triptych::aam_fit {

struct FrameOnDevice {
  const std::uint8_t* data = nullptr;
  std::int64_t pitch = 0;  // bytes
  std::int32_t width = 0, height = 0;
};

struct PrepareTask {
  std::int32_t faces = 1;
  std::int32_t width = 0, height = 0;     // of a crop
  FrameOnDevice frame;                    // for all faces, unless frames are given ...
  Crop crop;                              // ... and crops, whose sizes are those above
  const FrameOnDevice* frames = nullptr;  // on the device
  const Crop* crops = nullptr;
  float* scratch = nullptr;  // faces times scratch_floats()
  float* planes = nullptr;   // the channels of a face below each other
  std::int64_t pitch = 0;    // of planes, in floats
  std::int64_t face = 0;     // from one face's planes to the next one's
};

std::int64_t scratch_floats(std::int32_t width, std::int32_t height, const Features& features);
void launch_prepare(const PrepareTask& task, const Features& features, StreamRef stream);

}  // namespace triptych::aam_fit
