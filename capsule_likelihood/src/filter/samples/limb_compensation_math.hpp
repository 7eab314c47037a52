// Limb compensation: the linear map from the trunk's dimensions to the limb's that
// leaves the limb's joints where they are, in the sense of damped least squares. It follows from finite
// differences of the joints' positions; doubles in a fixed order.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>
#include <triptych/core/host_device.hpp>

#include <cmath>
#include <cstdint>

namespace triptych::capsule_likelihood {

inline constexpr float compensation_step = 0.02f;  // radians or metres, of the differences
// 0.003 m^2 times the square of the step: lever arms below about 5 cm do not compensate.
inline constexpr double compensation_damping = 0.003 * 0.02 * 0.02;
inline constexpr int max_limb_dims = 32, max_trunk_dims = 32;  // with more, no limb compensates

// The scalar product of the displacements of a limb's joints by two dimensions: row 0 of positions is the
// centre, row d + 1 has dimension d moved by compensation_step. (The square of the step, a factor of all
// products, cancels, except in compensation_damping.)
TRIPTYCH_INLINE_HD double slope_product(const Vec3* positions, std::int32_t joints,
                                        const std::int32_t* limb_joints, std::int32_t limb_joint_count,
                                        std::int32_t d, std::int32_t e) {
  double sum = 0;
  for (std::int32_t i = 0; i < limb_joint_count; ++i) {
    const std::int32_t joint = limb_joints[i];
    const Vec3 from = positions[joint], a = positions[std::int64_t{d + 1} * joints + joint],
               b = positions[std::int64_t{e + 1} * joints + joint];
    sum = fma(static_cast<double>(a.x - from.x), static_cast<double>(b.x - from.x), sum);
    sum = fma(static_cast<double>(a.y - from.y), static_cast<double>(b.y - from.y), sum);
    sum = fma(static_cast<double>(a.z - from.z), static_cast<double>(b.z - from.z), sum);
  }
  return sum;
}

// Entry (i, j), j <= i, of the Cholesky factor, when the columns before j are done: matrix holds A on and
// below the diagonal and is overwritten by L.
TRIPTYCH_INLINE_HD double factor_entry(const double* matrix, int i, int j) {
  double x = matrix[i * max_limb_dims + j];
  for (int k = 0; k < j; ++k) x = fma(-matrix[i * max_limb_dims + k], matrix[j * max_limb_dims + k], x);
  return i == j ? sqrt(x) : x / matrix[j * max_limb_dims + j];
}

// Solves L L^T x = b in place, n entries that lie `stride` apart.
TRIPTYCH_INLINE_HD void solve_factored(const double* factor, int n, double* b, int stride) {
  for (int i = 0; i < n; ++i) {
    double x = b[i * stride];
    for (int k = 0; k < i; ++k) x = fma(-factor[i * max_limb_dims + k], b[k * stride], x);
    b[i * stride] = x / factor[i * max_limb_dims + i];
  }
  for (int i = n - 1; i >= 0; --i) {
    double x = b[i * stride];
    for (int k = i + 1; k < n; ++k) x = fma(-factor[k * max_limb_dims + i], b[k * stride], x);
    b[i * stride] = x / factor[i * max_limb_dims + i];
  }
}

}  // namespace triptych::capsule_likelihood
