// What a Fitter runs on: the CPU or one GPU. Arguments were checked by Fitter.
//
// Both engines go through the levels alike. For each level: the crop around the shape so far (crop_for), its
// planes (prepare), the shape's parameters there (parameters_of), the fit with level_options(), and the shape
// back in the frame. A level that shares_planes() with the one before it keeps that one's crop and planes. A
// fit that is lost (outside or without contrast) on a level ends there, with the landmarks it had. Fit::error
// is the last level's |r|^2 over its samples, iterations the sum of all levels', status that of
// overall_status() for the last level.
#pragma once

#include <triptych/aam_fit/fitter.hpp>
#include <triptych/aam_fit/prepare.hpp>

#include <memory>
#include <span>
#include <vector>

namespace triptych::aam_fit {

class FitterEngine {
 public:
  virtual ~FitterEngine() = default;
  virtual std::vector<Fit> fit(std::span<const Face> faces) = 0;
  // At most Fitter::most_in_flight are submitted and not yet fetched; next() is the oldest of them.
  virtual void submit(const Face& face) = 0;
  virtual Fit next() = 0;
};

std::unique_ptr<FitterEngine> make_cpu_fitter_engine(const Model& model, const FitterOptions& options,
                                                     int threads);
// Unavailable when built without CUDA.
std::unique_ptr<FitterEngine> make_cuda_fitter_engine(const Model& model, const FitterOptions& options,
                                                      int ordinal);

// The same resolution and features.
inline bool shares_planes(const Level& level, const Level& before) {
  return level.face_size_px == before.face_size_px && level.features == before.features;
}

inline FitOptions level_options(const FitterOptions& options, const Level& level) {
  FitOptions fit = options.fit;
  if (fit.most_iterations == 0) fit.most_iterations = level.iterations;
  return fit;
}

inline bool is_lost(FitStatus status) {
  return status == FitStatus::lost_outside || status == FitStatus::lost_contrast;
}

// A level of one or two iterations is a stage of a cascade: it takes the steps it was trained for and is
// done, whether or not more of them would go on lowering the error.
inline FitStatus overall_status(const Level& level, FitStatus status) {
  return level.iterations <= 2 && !is_lost(status) ? FitStatus::converged : status;
}

}  // namespace triptych::aam_fit
