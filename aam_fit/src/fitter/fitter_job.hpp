// Job: the memory and the stream of one call of the GPU engine of Fitter.
#pragma once

#include <triptych/aam_fit/fit_cuda.hpp>
#include <triptych/aam_fit/fitter.hpp>
#include <triptych/core/buffer.hpp>
#include <triptych/core/graph.hpp>
#include <triptych/core/stream.hpp>

#include <cstdint>
#include <optional>
#include <span>

#include "crop/prepare_cuda.hpp"
#include "fitter/fitter_kernels.hpp"

namespace triptych::aam_fit {

// Fits on their way through the levels; on the device, one row per fit.
struct FitBuffers {
  FitBuffers(std::int64_t fits, int points, int max_parameters)
      : landmarks(fits * 2 * points),
        parameters(fits * max_parameters),
        kept(fits * max_parameters),
        summaries(fits) {}

  DeviceBuffer<double> landmarks;
  DeviceBuffer<float> parameters, kept;
  DeviceBuffer<FitSummary> summaries;
};

// The faces of one call.
struct Job {
  Job(int max_faces, int starts, int points, int max_parameters)
      : Job(max_faces, std::int64_t{max_faces} * starts, points, max_parameters) {}

  // Frames are read in place, or copied aside and their upload enqueued.
  void set_frames(std::span<const DeviceFace> faces);
  void set_frames(std::span<const Face> faces);

  Stream stream;
  Event done{Timing::off};
  PinnedBuffer<FrameOnDevice> pinned_frames;
  PinnedBuffer<double> pinned_landmarks;  // first of every start, then of every face
  PinnedBuffer<float> pinned_kept;
  PinnedBuffer<FitSummary> pinned_summaries;
  PinnedBuffer<std::uint8_t> staging;
  FitBuffers tried, best;  // of every start; of every face
  DeviceBuffer<FrameOnDevice> frames;
  DeviceBuffer<Crop> crops;
  DeviceBuffer<float> shapes;
  DeviceBuffer<DeviceLevelFit> fits;
  DeviceBuffer<std::uint8_t> pixels;
  bool warm = false;               // has run once: kernels are loaded
  std::optional<Graph> graphs[2];  // of a fit of one face: from several starts, from its own alone

 private:
  Job(int max_faces, std::int64_t max_fits, int points, int max_parameters)
      : pinned_frames(max_faces),
        pinned_landmarks(max_fits * 2 * points),
        pinned_kept(std::int64_t{max_faces} * max_parameters),
        pinned_summaries(max_faces),
        tried(max_fits, points, max_parameters),
        best(max_faces, points, max_parameters),
        frames(max_faces),
        crops(max_faces),
        shapes(max_fits * 2 * points),
        fits(max_fits) {}
};

}  // namespace triptych::aam_fit
