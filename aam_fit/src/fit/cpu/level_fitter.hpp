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
  LevelFit fit(PlanesView planes, std::span<const float> start, const FitOptions& options);

 private:
  // Evaluates the image at trial_shape_ (one pass) or at the shape of the parameters (paper).
  aam_fit::Evaluation<double> evaluate_at(const PassPlanes& planes, const float* parameters, Form form);
  // The whole step of the last evaluation.
  void step(const float* parameters, Form form, double* dp);
  // The largest distance between landmarks of two shapes.
  double farthest(const float* a, const float* b) const;
  PassPlanes checked(PlanesView planes) const;
  void check_count(std::span<const float> parameters) const;

  Level level_;
  StackedLevel stacked_;  // without its matrix
  OnePass pass_;
  PaperFit<float> paper_;
  OnePass::Result sums_;
  PassSolution solution_;
  std::vector<float> now_, trial_;          // parameters
  std::vector<float> shape_, trial_shape_;  // x of the landmarks, then y, each padded
  std::vector<double> step_;
  bool texture_determines_c_;  // and Qg is not all zero
};

}  // namespace triptych::aam_fit
