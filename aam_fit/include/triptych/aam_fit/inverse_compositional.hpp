// Inverse compositional fitting beside the regression: the step is found in the model's frame and the warp is
// composed with its inverse. project_out leaves the texture parameters aside; simultaneous solves for them
// too.
#pragma once

#include <triptych/aam_fit/fit.hpp>

#include <memory>

namespace triptych::aam_fit {

enum class Compositional { project_out, simultaneous };

// Needs a level with its parts (Level::Ps, Pg). Parameters of the result are those of LevelFitter for its
// shape.
class CompositionalFitter {
 public:
  CompositionalFitter(Level level, Compositional kind, int threads = 0);
  CompositionalFitter(CompositionalFitter&&) noexcept;
  CompositionalFitter& operator=(CompositionalFitter&&) noexcept;
  ~CompositionalFitter();

  struct Result {
    Shape shape;
    double error = 0;  // |r|^2 with the texture modes fitted
    int iterations = 0;
    FitStatus status = FitStatus::converged;
  };
  Result fit(PlanesView planes, std::span<const Point> start, const FitOptions& options);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace triptych::aam_fit
