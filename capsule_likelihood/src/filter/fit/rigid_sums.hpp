// Sums over the residuals of a rigid body, by its six velocities: the same bits on host and device.
#pragma once

#include <triptych/core/host_device.hpp>

#include "body/rotation.hpp"

namespace triptych::capsule_likelihood {

// Velocities of a rigid body, or what belongs to them: linear x y z, angular x y z.
struct Six {
  double v[6] = {};
};

TRIPTYCH_INLINE_HD Six six_of(const detail::Vec& linear, const detail::Vec& angular) {
  return {{linear.x, linear.y, linear.z, angular.x, angular.y, angular.z}};
}

TRIPTYCH_INLINE_HD double dot(const Six& a, const Six& b) {
  double sum = 0;
  TRIPTYCH_UNROLL
  for (int i = 0; i < 6; ++i) sum += a.v[i] * b.v[i];
  return sum;
}

// One residual. row: the derivative of the prediction by the velocities; off: measured minus predicted.
struct Residual {
  Six row;
  double off = 0, weight = 0;
};

// slope: the derivative of the prediction by the position of `at`.
TRIPTYCH_INLINE_HD Residual residual_of(const detail::Vec& at, const detail::Vec& slope, double off,
                                        double weight) {
  return {six_of(slope, cross(at, slope)), off, weight};
}

// The normal equations of a rigid body's velocities.
struct RigidSums {
  static constexpr int matrix_size = 21, size = matrix_size + 6;
  double v[size] = {};  // the lower half of the matrix, row by row, then the right side

  void add(const Residual& residual) {
    int k = 0;
    for (int i = 0; i < 6; ++i) {
      const double weighted = residual.weight * residual.row.v[i];
      for (int j = 0; j <= i; ++j) v[k++] += weighted * residual.row.v[j];
      v[matrix_size + i] += weighted * residual.off;
    }
  }
  void add(const RigidSums& other) {
    for (int i = 0; i < size; ++i) v[i] += other.v[i];
  }
};

// The matrix of the sums times velocities. sums: RigidSums::v.
TRIPTYCH_INLINE_HD Six pushed(const double* sums, const Six& velocities) {
  Six result;
  int k = 0;
  TRIPTYCH_UNROLL
  for (int i = 0; i < 6; ++i) {
    TRIPTYCH_UNROLL
    for (int j = 0; j < i; ++j, ++k) {
      result.v[i] += sums[k] * velocities.v[j];
      result.v[j] += sums[k] * velocities.v[i];
    }
    result.v[i] += sums[k++] * velocities.v[i];
  }
  return result;
}

// The velocities of a rigid body per unit of a parameter, times the right side of the sums.
TRIPTYCH_INLINE_HD double right_of(const double* sums, const Six& velocities) {
  double sum = 0;
  TRIPTYCH_UNROLL
  for (int i = 0; i < 6; ++i) sum += velocities.v[i] * sums[RigidSums::matrix_size + i];
  return sum;
}

}  // namespace triptych::capsule_likelihood
