// Fitting one level of a model to planes: the paper's algorithm 1, corrected (docs/method.md), as operations.
//
// Form::paper is the ten steps of the paper, one after the other; Form::one_pass computes error and step in
// one pass over a stacked matrix. Both reach the same parameters within a derived bound.
#pragma once

#include <triptych/aam_fit/model.hpp>
#include <triptych/aam_fit/planes.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace triptych::aam_fit {

enum class Form { paper, one_pass };
// Of the stacked matrix (one_pass). On the CPU a LevelFitter has its own; that of the options is ignored.
enum class Storage { float32, float16 };

struct FitOptions {
  Form form = Form::one_pass;
  Storage storage = Storage::float32;
  int max_iterations = 20;
  int steps = 4;  // step sizes 1, 1/2, 1/4, ... that are tried; the first that lowers the error is taken
  bool always_step =
      false;  // whole steps, whether or not the error falls, max_iterations of them (the paper's timing)
  double min_relative_gain = 1e-3;     // converged when the error falls by less than this share of itself ...
  double min_move_px = 0.02;           // ... or when the step would move no landmark by more than this
  double max_outside_fraction = 0.25;  // lost when more than this share of the pixels lies outside the image
  bool batched_line_search =
      true;  // GPU: step sizes below 1 are evaluated in one pass; the result is the same
};

enum class FitStatus {
  converged,
  no_improvement,  // no step size lowered the error
  out_of_iterations,
  lost_outside,   // the shape has left the image
  lost_contrast,  // alpha is not positive: nothing there resembles the model
  completed,      // of Fitter: a level of a fixed number of steps has taken them; not checked for convergence
  lost_no_face    // of Fitter: Fit::confidence is below FitterOptions::min_confidence
};
std::string to_string(FitStatus status);
constexpr bool is_lost(FitStatus status) {
  return status == FitStatus::lost_outside || status == FitStatus::lost_contrast ||
         status == FitStatus::lost_no_face;
}

struct LevelFit {
  std::vector<float> parameters;  // c, then sx, sy, tx, ty
  double error = 0;               // |r|^2 at those; infinite when there is no contrast
  int iterations = 0;             // steps taken
  int evaluations = 0;            // of the error
  FitStatus status = FitStatus::converged;
  std::vector<double> errors;  // at the start and after each iteration
};

// A level with its matrices in the layout that fitting on the CPU needs. threads 0: all cores. One fit at a
// time.
class LevelFitter {
 public:
  explicit LevelFitter(Level level, Storage storage = Storage::float32, int threads = 0);
  LevelFitter(LevelFitter&&) noexcept;
  LevelFitter& operator=(LevelFitter&&) noexcept;
  ~LevelFitter();
  const Level& level() const;
  // The one-pass form of this level on this machine.
  std::string describe() const;

  // The parameters of a shape in the planes: its pose and, with the texture found there, c.
  std::vector<float> parameters_of(PlanesView planes, std::span<const Point> shape);
  // The landmarks of parameters.
  Shape shape_of(std::span<const float> parameters) const;

  // Error and step at parameters, by either form.
  struct Evaluation {
    double error = 0, alpha = 0, beta = 0;
    std::int64_t outside = 0;  // pixels
    std::vector<double> step;  // dp, for a whole step
  };
  Evaluation evaluate(PlanesView planes, std::span<const float> parameters, Form form);

 private:
  friend LevelFit fit_cpu(LevelFitter&, PlanesView, std::span<const float>, const FitOptions&);
  friend std::vector<LevelFit> fit_cpu(LevelFitter&, PlanesView, std::span<const std::span<const float>>,
                                       const FitOptions&);
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Fits from the start's parameters. Allocates nothing but the result. InvalidArgument when planes or
// parameters do not fit the level.
LevelFit fit_cpu(LevelFitter& level, PlanesView planes, std::span<const float> start,
                 const FitOptions& options);
// From each of several starts, with the bits of the fits one by one. Faster than these: the matrices are read
// once for all.
std::vector<LevelFit> fit_cpu(LevelFitter& level, PlanesView planes,
                              std::span<const std::span<const float>> starts, const FitOptions& options);

}  // namespace triptych::aam_fit
