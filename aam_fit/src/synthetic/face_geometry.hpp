// Geometry of the neutral face: 68 landmarks, splines through them, a height field, and the displacement
// fields of identity and expression. Units: half the width of the jaw is 1. The origin lies between the ears,
// y points down, z towards the viewer.
#pragma once

#include <triptych/aam_fit/shape.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace triptych::aam_fit::face {

constexpr int points = 68;
constexpr int fields = 12;  // 8 of identity, then smile, open mouth, raised brows, closed eyes

const std::array<Point, points>& landmarks();

// Smoothstep: 0 below from, 1 above to.
inline double rise(double x, double from, double to) {
  const double t = std::clamp((x - from) / (to - from), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}
// A Gaussian of height 1 with these standard deviations.
inline double bump(double x, double y, double at_x, double at_y, double wide, double high) {
  const double dx = (x - at_x) / wide, dy = (y - at_y) / high;
  return std::exp(-0.5 * (dx * dx + dy * dy));
}

// A natural cubic spline through points of ascending x, extrapolated linearly.
class Curve {
 public:
  explicit Curve(std::vector<Point> knots);
  double at(double x) const;
  double first_x() const { return knots_.front().x; }
  double last_x() const { return knots_.back().x; }

 private:
  std::vector<Point> knots_;
  std::vector<double> bend_;  // second derivatives
};

// Curves of the left half of the image and of the axis of symmetry; the right half mirrors them.
struct Curves {
  Curve upper_lid, lower_lid, brow;
  Curve outer_upper_lip, outer_lower_lip, inner_upper_lip, inner_lower_lip;
  Curve outline;  // of face and forehead: radius by the angle from the downward direction, 0..pi
};
const Curves& curves();
// The radius of the outline in the direction of a point.
double outline_towards(double x, double y);

// Height (z) of the face. Its slopes are small, so that small rotations cause no self-occlusion.
double relief(double x, double y);

// Displacement of a point by field k at a parameter of 1.
Point field(int k, double x, double y);
// Opening of the lips at x, relative to that at x = 0.
inline double open_across(double x) {
  const double inwards = std::max(0.0, 1 - x * x / (0.35 * 0.35));
  return inwards * std::sqrt(std::sqrt(inwards));
}
// The parameter of field 9 (open mouth) for an opening of 0..1; at 0 the lips are nearly closed.
inline double opening(double open) { return open - 0.25; }

}  // namespace triptych::aam_fit::face
