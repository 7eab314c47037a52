// A level in the layout of the one-pass form: the rows R (modes + 4), Qg (modes) and g0 (1) in one matrix,
// and the products of those rows that no image changes, in double, from the rows as they are stored
// (equations: docs/method.md).
#pragma once

#include <triptych/aam_fit/fit.hpp>
#include <triptych/aam_fit/model.hpp>

#include <cstdint>
#include <vector>

namespace triptych::aam_fit {

struct StackedLevel {
  int modes = 0;
  std::int64_t samples = 0;
  int steps() const { return modes + 4; }     // parameters, and rows of R
  int rows() const { return 2 * modes + 5; }  // R, then Qg, then g0

  std::vector<float> matrix;  // rows x samples: the values that count, rounded when stored as halves
  std::vector<std::uint16_t>
      halves;                // Storage::float16: rows x samples, IEEE half; value = half * scale of its row
  std::vector<float> scale;  // a power of two a row; 1 for Storage::float32

  std::vector<double> R1, Rg0;  // steps: R 1, R g0
  std::vector<double> RQg;      // steps x modes: R Qg'
  std::vector<double> G;        // modes x modes: Qg Qg'
  std::vector<double> z1, z0;   // modes: Qg 1, Qg g0
  double g0g0 = 0, sum_g0 = 0;
  Normalisation normalisation = Normalisation::projection;
};

StackedLevel stack(const Level& level, Storage storage, int threads);

// Error, gain and step at c from the sums of one pass over x = texture - sample_offset. sums: rows R x, Qg x,
// g0.x in the order of the matrix; then S1 = sum x and S2 = sum x^2. step: dp, or null when it is not wanted.
// Returns alpha <= 0, an infinite error and no step when the texture has no contrast in common with the
// model.
struct PassSolution {
  double error = 0, alpha = 0, beta = 0;
};
PassSolution solve_pass(const StackedLevel& level, const double* sums, double S1, double S2, const float* c,
                        double* step);

}  // namespace triptych::aam_fit
