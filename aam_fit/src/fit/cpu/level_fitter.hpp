// What a LevelFitter holds: both forms of one level, and the buffers of a fit.
#pragma once

#include <triptych/aam_fit/fit.hpp>

#include <vector>

#include "fit/cpu/one_pass.hpp"
#include "fit/cpu/paper_fit.hpp"
#include "fit/fit_math.hpp"
#include "fit/stacked_level.hpp"

namespace triptych::aam_fit {

// InvalidArgument when the arrays of a level have inconsistent sizes, or a pixel refers to a landmark that
// does not exist.
void check_level(const Level& level);

class LevelFitter::Impl {
 public:
  Impl(Level level, Storage storage, int threads, CpuPath path = CpuPath::simd);

  const Level& level() const { return level_; }
  int parameter_count() const { return level_.modes + 4; }

  std::vector<float> parameters_of(PlanesView planes, std::span<const Point> shape);
  Shape shape_of(std::span<const float> parameters) const;
  Evaluation evaluate(PlanesView planes, std::span<const float> parameters, Form form);
  // fits: as many as there are starts.
  void fit(PlanesView planes, std::span<const std::span<const float>> starts, const FitOptions& options,
           std::span<LevelFit> fits);

 private:
  // A fit under way.
  struct Track {
    std::vector<float> now, trial;          // parameters
    std::vector<float> shape, trial_shape;  // x of the landmarks, then y, each padded
    std::vector<double> step;
    FitState<double> state;
    // Of the last evaluation.
    OnePass::Result sums;
    PassSolution solution;
    aam_fit::Evaluation<double> found;
  };

  Track make_track() const;
  void fit_batch(const PassPlanes& planes, std::span<const std::span<const float>> starts,
                 const FitOptions& options, std::span<LevelFit> fits);
  // Evaluates the image at the trials, in one pass over all of them; the paper's form takes one.
  void evaluate_trials(const PassPlanes& planes, Form form, std::span<Track* const> tracks);
  // The whole step of the last evaluation.
  void step(const Track& track, const float* parameters, Form form, double* dp);
  // The largest distance between landmarks of two shapes.
  double farthest(const float* a, const float* b) const;
  PassPlanes checked(PlanesView planes) const;
  void check_count(std::span<const float> parameters) const;

  Level level_;
  StackedLevel stacked_;  // without its matrix
  OnePass pass_;
  PaperFit<float> paper_;
  std::vector<Track> tracks_;  // at least one
  std::vector<Track*> running_;
  std::vector<const float*> shapes_;  // of those
  bool texture_determines_c_;         // and Qg is not all zero
};

}  // namespace triptych::aam_fit
