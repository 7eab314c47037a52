// Job: the memory and the stream of one call of the GPU engine of Fitter.
#pragma once

#include <triptych/aam_fit/fit_cuda.hpp>
#include <triptych/core/buffer.hpp>
#include <triptych/core/graph.hpp>
#include <triptych/core/stream.hpp>

#include <cstdint>
#include <optional>

#include "crop/prepare_cuda.hpp"
#include "fitter/fitter_kernels.hpp"

namespace triptych::aam_fit {

// The faces of one call.
struct Job {
  Job(int max_faces, int points, int max_parameters)
      : pinned_frames(max_faces),
        pinned_landmarks(std::int64_t{max_faces} * 2 * points),
        pinned_kept(std::int64_t{max_faces} * max_parameters),
        pinned_summaries(max_faces),
        frames(max_faces),
        landmarks(pinned_landmarks.size()),
        kept(pinned_kept.size()),
        summaries(max_faces),
        crops(max_faces),
        shapes(pinned_landmarks.size()),
        parameters(pinned_kept.size()),
        fits(max_faces) {}

  Stream stream;
  Event done{Timing::off};
  PinnedBuffer<FrameOnDevice> pinned_frames;
  PinnedBuffer<double> pinned_landmarks;
  PinnedBuffer<float> pinned_kept;
  PinnedBuffer<FaceSummary> pinned_summaries;
  PinnedBuffer<std::uint8_t> staging;
  DeviceBuffer<FrameOnDevice> frames;
  DeviceBuffer<double> landmarks;
  DeviceBuffer<float> kept;
  DeviceBuffer<FaceSummary> summaries;
  DeviceBuffer<Crop> crops;
  DeviceBuffer<float> shapes, parameters;
  DeviceBuffer<DeviceLevelFit> fits;
  DeviceBuffer<std::uint8_t> pixels;
  bool warm = false;           // has run once: kernels are loaded
  std::optional<Graph> graph;  // of a fit of one face
};

}  // namespace triptych::aam_fit
