// A ray and a capsule in double precision, written from the quadratics of sphere and cylinder: for rendering,
// where an answer that does not share the likelihood's formulas is wanted.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>

#include <cmath>
#include <limits>

#include "body/rotation.hpp"

namespace triptych::capsule_likelihood::detail {

inline constexpr double no_hit = std::numeric_limits<double>::infinity();

// The nearer crossing of the ray t v (v of unit length, from the origin) and a sphere; no_hit when it is
// missed or behind.
inline double sphere_hit(const Vec& v, const Vec& center, double radius) {
  const double along = dot(v, center);
  const Vec aside = center - along * v;
  const double inside = radius * radius - dot(aside, aside);
  if (inside < 0) return no_hit;
  const double t = along - std::sqrt(inside);
  return t >= 0 ? t : no_hit;
}

inline double capsule_hit(const Vec& v, const Vec& a, const Vec& b, double radius) {
  double hit = std::fmin(sphere_hit(v, a, radius), sphere_hit(v, b, radius));
  const Vec axis = b - a;
  const double squared = dot(axis, axis);
  if (squared == 0) return hit;
  // Across the axis the ray is a line in the plane, the cylinder a circle.
  const Vec v_across = v - (dot(v, axis) / squared) * axis;
  const Vec a_across = a - (dot(a, axis) / squared) * axis;
  const double speed = dot(v_across, v_across);
  if (speed <= 1e-24) return hit;
  const double nearest = dot(v_across, a_across) / speed;
  const Vec miss = a_across - nearest * v_across;
  const double inside = radius * radius - dot(miss, miss);
  if (inside < 0) return hit;
  const double t = nearest - std::sqrt(inside / speed);
  const double share = dot(t * v - a, axis);
  if (t >= 0 && share >= 0 && share <= squared) hit = std::fmin(hit, t);
  return hit;
}

}  // namespace triptych::capsule_likelihood::detail
