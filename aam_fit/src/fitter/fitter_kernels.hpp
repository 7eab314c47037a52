// The small kernels of the GPU engine of Fitter: between the levels of a fit, for many faces.
#pragma once

#include <triptych/aam_fit/fit_cuda.hpp>
#include <triptych/core/stream.hpp>

#include <cstdint>

#include "crop/prepare_cuda.hpp"

namespace triptych::aam_fit {

// State of a fit after the levels so far; on the device.
struct FitSummary {
  float error = 0;  // of the last level
  std::int32_t iterations = 0, status = 0;
  std::int32_t level = 0;  // the last one
  // 1: in the fit of that level; 2: before it, with the parameters of the level before.
  std::int32_t lost = 0;
};

// Arguments of the kernels of one level; device pointers. A face has `starts` fits, side by side, which share
// its frame and crop.
struct FitterLevel {
  std::int32_t faces, starts;
  std::int32_t points, parameters, level;
  const float* s0;             // 2 points
  double centre_x, centre_y;   // of the mean shape's box
  std::int32_t width, height;  // of the crop
  bool keeps_planes;           // and with them the crop
  // A row per face.
  const FrameOnDevice* frames;
  Crop* crops;
  // A row per fit.
  double* landmarks;    // 2 points, in the frame's pixels
  float* shapes;        // 2 points, in the crop's pixels
  const float* fitted;  // parameters
  const DeviceLevelFit* fits;
  float* kept;  // kept_stride: the parameters of the last level
  std::int32_t kept_stride;
  FitSummary* summaries;
};

// All fits begin anew.
void launch_reset(const FitterLevel& level, StreamRef stream);
// The crop of each face, around the mean of the landmarks of its fits that are not lost, and the landmarks in
// it. When a crop is not within reach all fits of the face are lost.
void launch_begin_level(const FitterLevel& level, StreamRef stream);
// Copies a level's fits and shapes into the summaries and landmarks of fits that were not lost. A fit with a
// landmark that is not within reach is lost.
void launch_end_level(const FitterLevel& level, StreamRef stream);

// Copies the fit of each face with the least error to best, a row per face.
struct BestFits {
  double* landmarks;
  float* fitted;
  float* kept;
  FitSummary* summaries;
};
void launch_choose(const FitterLevel& level, const BestFits& best, StreamRef stream);

}  // namespace triptych::aam_fit
