#include <triptych/core/length.hpp>

#include <algorithm>

#include "body/rotation.hpp"

namespace triptych::capsule_likelihood::detail {

Rot rotation_about(const Vec& u, double radians) {
  const double c = std::cos(radians), s = std::sin(radians), t = 1 - c;
  return {{t * u.x * u.x + c, t * u.x * u.y - s * u.z, t * u.x * u.z + s * u.y, t * u.x * u.y + s * u.z,
           t * u.y * u.y + c, t * u.y * u.z - s * u.x, t * u.x * u.z - s * u.y, t * u.y * u.z + s * u.x,
           t * u.z * u.z + c}};
}

Rot rotation_about(Axis axis, double radians) {
  return rotation_about(Vec(axis == Axis::x, axis == Axis::y, axis == Axis::z), radians);
}

Rot rotation_of_angles(std::span<const Axis> axes, std::span<const double> angles) {
  Rot r = identity;
  for (std::size_t i = 0; i < axes.size(); ++i) r = r * rotation_about(axes[i], angles[i]);
  return r;
}

Rot rotation_between(const Vec& a, const Vec& b) {
  const Vec axis = cross(a, b);
  const double sine = length(axis), cosine = dot(a, b);
  if (sine > 1e-12) return rotation_about((1 / sine) * axis, std::atan2(sine, cosine));
  if (cosine > 0) return identity;
  const Vec other = std::abs(a.x) < 0.9 ? Vec(1, 0, 0) : Vec(0, 1, 0);
  return rotation_about(unit_or(cross(a, other), {0, 0, 1}), std::acos(-1.0));
}

std::array<double, 3> angles_of(const Rot& r, const std::array<Axis, 3>& axes) {
  // For axes i j k: r[i][k] = sign sin(middle), and the entries beside it hold the outer two.
  const auto i = static_cast<std::size_t>(axes[0]), j = static_cast<std::size_t>(axes[1]),
             k = static_cast<std::size_t>(axes[2]);
  const double sign = (j == (i + 1) % 3) ? 1.0 : -1.0;
  const auto at = [&](std::size_t row, std::size_t column) { return r[3 * row + column]; };
  const double cosine = triptych::length(at(i, i), at(i, j));
  const double middle = std::atan2(sign * at(i, k), cosine);
  if (cosine > 1e-9) {
    return {std::atan2(-sign * at(j, k), at(k, k)), middle, std::atan2(-sign * at(i, j), at(i, i))};
  }
  return {std::atan2(sign * at(k, j), at(j, j)), middle, 0.0};
}

std::array<double, 4> quaternion_of(const Rot& r) {
  // Of the four ways the one that divides by the largest component.
  const double w = 1 + r[0] + r[4] + r[8], x = 1 + r[0] - r[4] - r[8], y = 1 - r[0] + r[4] - r[8],
               z = 1 - r[0] - r[4] + r[8];
  std::array<double, 4> q;
  if (w >= x && w >= y && w >= z) {
    q = {w, r[7] - r[5], r[2] - r[6], r[3] - r[1]};
  } else if (x >= y && x >= z) {
    q = {r[7] - r[5], x, r[1] + r[3], r[2] + r[6]};
  } else if (y >= z) {
    q = {r[2] - r[6], r[1] + r[3], y, r[5] + r[7]};
  } else {
    q = {r[3] - r[1], r[2] + r[6], r[5] + r[7], z};
  }
  double norm = 0;
  for (const double value : q) norm += value * value;
  const double scale = (q[0] < 0 ? -1 : 1) / std::sqrt(norm);
  for (double& value : q) value *= scale;
  return q;
}

}  // namespace triptych::capsule_likelihood::detail
