// The drawn face at rest: its 68 landmarks, the smooth curves through them, its relief, and the fields by
// which identity and expression move it. Units: half the width of the jaw is 1, the middle between the ears
// is the origin, y goes down, z towards the viewer.
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

// 0 below from, 1 above to, smooth between.
inline double rise(double x, double from, double to) {
  const double t = std::clamp((x - from) / (to - from), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}
// 1 in the middle, of this width.
inline double bump(double x, double y, double at_x, double at_y, double wide, double high) {
  const double dx = (x - at_x) / wide, dy = (y - at_y) / high;
  return std::exp(-0.5 * (dx * dx + dy * dy));
}

// A natural cubic spline through points of ascending x; straight on beyond its ends.
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

// The curves of the left half of the picture and of the middle; the right half is their mirror image.
struct Curves {
  Curve upper_lid, lower_lid, brow;
  Curve outer_upper_lip, outer_lower_lip, inner_upper_lip, inner_lower_lip;
  Curve outline;  // of face and forehead: distance from the origin by the angle from straight down, 0..pi
};
const Curves& curves();
// The outline in the direction of a point.
double outline_towards(double x, double y);

// How far the head stands out towards the viewer: gentle enough to be turned without hiding itself.
double relief(double x, double y);

// Where field k moves a point, for a parameter of 1.
Point field(int k, double x, double y);
// How far the lips part across the mouth, as a share of the middle.
inline double open_across(double x) {
  const double inwards = std::max(0.0, 1 - x * x / (0.35 * 0.35));
  return inwards * std::sqrt(std::sqrt(inwards));
}
// The parameter of the field of the open mouth for an opening of 0..1: at rest the lips nearly touch.
inline double opening(double open) { return open - 0.25; }

}  // namespace triptych::aam_fit::face
