// The normal equations of a pose: what residuals at the joints say of the parameters that move them. Doubles
// in a fixed order and without libraries: same bits on all machines.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "body/rotation.hpp"

namespace triptych::capsule_likelihood {

// Sums over the residuals of one rigid body, for its six velocities (linear, angular).
struct RigidSums {
  std::array<double, 21> matrix{};  // the lower half, row by row
  std::array<double, 6> right{};

  // off: measured minus predicted. slope: the derivative of the prediction by the position of `at`.
  void add(const detail::Vec& at, const detail::Vec& slope, double off, double weight);
  void add(const RigidSums& other);
};

// How a parameter moves a rigid body: a unit of it.
struct Twist {
  detail::Vec linear, angular;
};

class NormalEquations {
 public:
  explicit NormalEquations(std::size_t parameters)
      : matrix_(parameters * parameters, 0.0), right_(parameters, 0.0) {}

  // The rows of parameters that move the same bodies: own of them, the last ones of moves. moves: these and
  // all others that move these bodies, ascending. sums: of these bodies.
  void add(std::span<const std::size_t> moves, std::size_t own, std::span<const Twist> twists,
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
