// The refinement of a fit on the CPU.
#pragma once

#include <triptych/aam_fit/model.hpp>
#include <triptych/aam_fit/planes.hpp>

#include <span>
#include <vector>

#include "fit/refine/refine_math.hpp"

namespace triptych::aam_fit {

class RefinerCpu {
 public:
  // The model has a refinement.
  explicit RefinerCpu(const Model& model);
  // parameters: of the last level, replaced. They stay as they are when the patches have no contrast, the
  // equations no solution, or a landmark would go too far.
  void refine(PlanesView planes, int steps, std::span<float> parameters);

 private:
  bool step(PlanesView planes);
  void place_landmarks();
  void sample(PlanesView planes);
  bool normalise();
  void fit_texture();
  void add_up_patches();
  bool solve();

  Level level_;
  Refinement patches_;
  int side_, channels_, samples_, rows_, parameters_;
  double g0g0_;
  std::vector<double> start_, now_;
  std::vector<double> model_;    // 2 points: the landmarks, not posed
  std::vector<float> shape_;     // ... and posed
  std::vector<float> before_;    // the same at the start
  std::vector<float> texture_;   // the residual, then what the basis leaves of it
  std::vector<float> fitted_;    // the model's texture
  std::vector<float> gx_, gy_;   // G
  std::vector<float> weights_;   // of the rows of the basis in the residual
  std::vector<PatchSums> sums_;  // of each landmark
  std::vector<float> products_;  // basis times G: rows x 2 points
  std::vector<double> B_;        // 2 points x parameters
  std::vector<double> A_;        // basis times G B: rows x parameters
  std::vector<double> system_;   // (parameters + 1) x parameters: the normal equations; last row: right side
};

}  // namespace triptych::aam_fit
