// fit.hpp on a GPU: a whole fit on the device, without the host; one face or many at once.
#pragma once

#include <triptych/aam_fit/fit.hpp>
#include <triptych/aam_fit/planes.hpp>
#include <triptych/core/buffer.hpp>
#include <triptych/core/span.hpp>
#include <triptych/core/stream.hpp>

#include <memory>
#include <span>

namespace triptych::aam_fit {

// The result of a fit, on the device.
struct DeviceLevelFit {
  float error = 0;
  std::int32_t iterations = 0, evaluations = 0;
  std::int32_t status = 0;  // FitStatus
};

// A level's matrices on the current GPU. Options are fixed when it is made, because they choose the kernels.
// Sums are added in a fixed order: a fit repeats its bits. Calls share scratch memory: on different streams
// they wait for each other on the device. Launches of a graph that holds such calls wait for nothing: order
// them with each other and with other calls.
class LevelFitterCuda {
 public:
  // max_faces: of a batch. Synchronises.
  LevelFitterCuda(const Level& level, const FitOptions& options, int max_faces, StreamRef stream);
  LevelFitterCuda(LevelFitterCuda&&) noexcept;
  LevelFitterCuda& operator=(LevelFitterCuda&&) noexcept;
  ~LevelFitterCuda();

  int parameter_count() const;  // modes + 4
  // Which kernels serve this level.
  std::string describe() const;
  // The errors at the start and after each iteration of the last fit_cuda: 1 + max_iterations a face, of
  // which 1 + DeviceLevelFit::iterations count.
  DeviceSpan<const float> errors() const;

  // parameters row i of the shape i (2 * points floats a row, interleaved, in the planes' pixels), as
  // LevelFitter::parameters_of; and the shapes of parameters.
  void parameters_of(std::span<const DevicePlanesView> planes, DeviceSpan<const float> shapes,
                     DeviceSpan<float> parameters, StreamRef stream);
  void shapes_of(DeviceSpan<const float> parameters, DeviceSpan<float> shapes, StreamRef stream);

 private:
  friend void fit_cuda(LevelFitterCuda&, std::span<const DevicePlanesView>, DeviceSpan<float>,
                       DeviceSpan<DeviceLevelFit>, StreamRef);
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Fits faces: planes[i] from row i of parameters, which the result replaces; results[i] says how it went. All
// planes have one size and number of channels. Enqueues and returns; no allocation, no synchronisation; can
// be captured in a graph. planes (the list, not what is in it) is read by the host during the call.
void fit_cuda(LevelFitterCuda& level, std::span<const DevicePlanesView> planes, DeviceSpan<float> parameters,
              DeviceSpan<DeviceLevelFit> results, StreamRef stream);

}  // namespace triptych::aam_fit
