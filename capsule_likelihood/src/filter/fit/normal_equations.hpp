// The normal equations of a pose: what residuals at the joints say of the parameters that move them. Doubles
// in a fixed order and without libraries: same bits on all machines.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "filter/fit/rigid_sums.hpp"

namespace triptych::capsule_likelihood {

class NormalEquations {
 public:
  explicit NormalEquations(std::size_t parameters)
      : matrix_(parameters * parameters, 0.0), right_(parameters, 0.0) {}

  // The rows of parameters that move the same bodies: own of them, the last ones of moves. moves: these and
  // all others that move these bodies, ascending. twists: of each parameter, the velocities per unit of it.
  // sums: of these bodies.
  void add(std::span<const std::size_t> moves, std::size_t own, std::span<const Six> twists,
           const RigidSums& sums);
  // A parameter that is drawn towards a value `off` away.
  void add(std::size_t parameter, double off, double weight);

  // With the diagonal d raised by damping (d + floor), by Cholesky's factorisation. Empty when the matrix is
  // not positive definite or the solution is not finite.
  std::vector<double> solve(double damping, double floor) const;

 private:
  std::vector<double> matrix_, right_;  // the lower half, row by row
};

}  // namespace triptych::capsule_likelihood
