// Rotations in double precision: for files, fitting and rendering.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>
#include <triptych/core/host_device.hpp>

#include <array>
#include <cmath>
#include <span>

namespace triptych::capsule_likelihood::detail {

struct Vec {
  double x = 0, y = 0, z = 0;

  Vec() = default;
  TRIPTYCH_HD Vec(double x_, double y_, double z_) : x(x_), y(y_), z(z_) {}
  TRIPTYCH_HD explicit Vec(const Vec3& v) : x(v.x), y(v.y), z(v.z) {}
  explicit Vec(const std::array<double, 3>& v) : x(v[0]), y(v[1]), z(v[2]) {}

  TRIPTYCH_HD Vec3 to_float() const {
    return {static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)};
  }
  TRIPTYCH_HD friend Vec operator+(const Vec& a, const Vec& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  TRIPTYCH_HD friend Vec operator-(const Vec& a, const Vec& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  TRIPTYCH_HD friend Vec operator*(double s, const Vec& a) { return {s * a.x, s * a.y, s * a.z}; }
};

TRIPTYCH_INLINE_HD double dot(const Vec& a, const Vec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
TRIPTYCH_INLINE_HD Vec cross(const Vec& a, const Vec& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
TRIPTYCH_INLINE_HD double length(const Vec& a) { return std::sqrt(dot(a, a)); }
// The direction of a; fallback when a is as good as 0.
TRIPTYCH_INLINE_HD Vec unit_or(const Vec& a, const Vec& fallback) {
  const double l = length(a);
  return l > 1e-12 ? (1 / l) * a : fallback;
}

// Whether the limits leave a whole turn: they are none then.
inline bool turns_freely(const Rotation& rotation) {
  return double{rotation.upper_rad} - double{rotation.lower_rad} > 6.28;
}

struct Rot {
  double m[9];  // row by row

  TRIPTYCH_HD double& operator[](std::size_t i) { return m[i]; }
  TRIPTYCH_HD const double& operator[](std::size_t i) const { return m[i]; }
};

inline constexpr Rot identity = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};

TRIPTYCH_INLINE_HD Rot operator*(const Rot& a, const Rot& b) {
  Rot c = {};
  TRIPTYCH_UNROLL
  for (std::size_t i = 0; i < 3; ++i) {
    TRIPTYCH_UNROLL
    for (std::size_t j = 0; j < 3; ++j) {
      TRIPTYCH_UNROLL
      for (std::size_t k = 0; k < 3; ++k) c[3 * i + j] += a[3 * i + k] * b[3 * k + j];
    }
  }
  return c;
}
TRIPTYCH_INLINE_HD Vec operator*(const Rot& r, const Vec& v) {
  return {r[0] * v.x + r[1] * v.y + r[2] * v.z, r[3] * v.x + r[4] * v.y + r[5] * v.z,
          r[6] * v.x + r[7] * v.y + r[8] * v.z};
}
inline Rot transposed(const Rot& r) { return {{r[0], r[3], r[6], r[1], r[4], r[7], r[2], r[5], r[8]}}; }

// About a unit axis.
Rot rotation_about(const Vec& axis, double radians);
Rot rotation_about(Axis axis, double radians);
// The product of rotations about the axes, in the order of the list.
Rot rotation_of_angles(std::span<const Axis> axes, std::span<const double> angles);
// The smallest rotation that takes direction a to direction b (unit vectors).
Rot rotation_between(const Vec& a, const Vec& b);

// The angles of a rotation about three different axes, in the order of the list: the middle one within a
// quarter turn, the others within half a turn. Where the outer two are not unique the last is 0.
std::array<double, 3> angles_of(const Rot& r, const std::array<Axis, 3>& axes);

// w x y z, unit, w >= 0.
std::array<double, 4> quaternion_of(const Rot& r);
// w x y z, of any length but 0.
TRIPTYCH_INLINE_HD Rot rotation_of_quaternion(double w, double x, double y, double z) {
  const double s = 2 / (w * w + x * x + y * y + z * z);
  return {{1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y), s * (x * y + w * z),
           1 - s * (x * x + z * z), s * (y * z - w * x), s * (x * z - w * y), s * (y * z + w * x),
           1 - s * (x * x + y * y)}};
}
inline Rot rotation_of_quaternion(const std::array<double, 4>& q) {
  return rotation_of_quaternion(q[0], q[1], q[2], q[3]);
}

}  // namespace triptych::capsule_likelihood::detail
