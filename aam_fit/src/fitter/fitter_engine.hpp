// What a Fitter runs on: the CPU or one GPU. Fitter checks arguments, by check() among others.
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
  FitterEngine(const FitterEngine&) = delete;
  FitterEngine& operator=(const FitterEngine&) = delete;

  const Model& model() const { return model_; }
  // InvalidArgument when the face cannot be fitted.
  void check(const Face& face) const;

  virtual std::vector<Fit> fit(std::span<const Face> faces) = 0;
  // At most Fitter::max_in_flight are submitted and not yet fetched; next() is the oldest of them.
  virtual void submit(const Face& face) = 0;
  virtual Fit next() = 0;
  virtual int in_flight() const = 0;

 protected:
  FitterEngine(const Model& model, const FitterOptions& options) : model_(model), options_(options) {}
  virtual void check_for_engine(const Face&) const {}  // a part of check()

  const Model model_;
  const FitterOptions options_;
};

std::unique_ptr<FitterEngine> make_cpu_fitter_engine(const Model& model, const FitterOptions& options,
                                                     int threads);
// Unavailable when built without CUDA.
std::unique_ptr<FitterEngine> make_cuda_fitter_engine(const Model& model, const FitterOptions& options,
                                                      int ordinal);

// The same resolution and features.
bool shares_planes(const Level& level, const Level& before);
// The same planes, and one set of parameters means the same for both levels.
bool shares_parameters(const Level& level, const Level& before);

inline FitOptions level_options(const FitterOptions& options, const Level& level) {
  FitOptions fit = options.fit;
  if (fit.max_iterations == 0) fit.max_iterations = level.iterations;
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
