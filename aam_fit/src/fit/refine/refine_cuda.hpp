// The refinement of fits on a GPU.
#pragma once

#include <triptych/aam_fit/fit_cuda.hpp>
#include <triptych/aam_fit/model.hpp>
#include <triptych/core/buffer.hpp>
#include <triptych/core/span.hpp>
#include <triptych/core/stream.hpp>

#include <cstdint>

#include "fit/refine/refine_math.hpp"

namespace triptych::aam_fit {

// Arguments of the kernel; device pointers.
struct RefineTask {
  std::int32_t points, modes, side, channels, samples, rows, steps;
  float pitch_px, face_size_px;
  double g0g0, sum_g0;
  Normalisation normalisation;
  const WarpPixel* pixels;
  const float *g0, *basis, *s0;
  const float* Qs;             // a mode in each row
  const float* planes;         // of the first face
  std::int64_t face;           // from one face's planes to the next one's
  std::int32_t width, height;  // of a plane, without spare columns
  std::int32_t starts;         // fits of a face
  float* parameters;           // of each fit
  const DeviceLevelFit* fits;  // those that are lost stay as they are
  unsigned char* memory;       // of each fit, where shared memory is too small; else null
  std::int64_t memory_bytes;   // of a block
};

// The patches of a model on the current GPU. Calls share scratch memory: they must come one after the other.
class RefinerCuda {
 public:
  // The model has a refinement. Synchronises.
  RefinerCuda(const Model& model, int steps, int max_fits, StreamRef stream);
  // planes: of the first face, one below the other, each face `face` floats after the one before.
  // parameters: of the last level, replaced. Enqueues and returns.
  void refine(const float* planes, std::int64_t face, std::int32_t width, std::int32_t height, int starts,
              DeviceSpan<float> parameters, DeviceSpan<const DeviceLevelFit> fits, StreamRef stream);

 private:
  RefineTask task_{};
  bool has_clusters_ = false;
  DeviceBuffer<WarpPixel> pixels_;
  DeviceBuffer<float> g0_, basis_, s0_, Qs_;
  DeviceBuffer<unsigned char> memory_;
};

}  // namespace triptych::aam_fit
