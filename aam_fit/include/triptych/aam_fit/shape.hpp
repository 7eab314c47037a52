// Landmark shapes in the plane, the similarities that move them, and the error measure of fits.
// Pixel centres lie at integers, y goes down.
#pragma once

#include <triptych/core/box.hpp>

#include <span>
#include <vector>

namespace triptych::aam_fit {

struct Point {
  double x = 0, y = 0;
  friend bool operator==(const Point&, const Point&) = default;
};
using Shape = std::vector<Point>;

// X = (1 + sx) x - sy y + tx, Y = sy x + (1 + sx) y + ty: the pose of the model, zero at rest.
struct Similarity {
  double sx = 0, sy = 0, tx = 0, ty = 0;
  friend bool operator==(const Similarity&, const Similarity&) = default;
};

Point posed(const Similarity& pose, Point p);
Shape posed(const Similarity& pose, std::span<const Point> shape);
// posed(compose(b, a), p) == posed(b, posed(a, p)), and the way back. InvalidArgument when a pose shrinks to
// a point, or is not finite.
Similarity compose(const Similarity& after, const Similarity& before);
Similarity inverse(const Similarity& pose);
// The pose that brings `from` closest to `to` (least squares). InvalidArgument when the counts differ, there
// are fewer than two points, all points of `from` coincide, or a point is not finite.
Similarity align(std::span<const Point> from, std::span<const Point> to);

Box bounds(std::span<const Point> shape);       // InvalidArgument when empty
Point centre_of(std::span<const Point> shape);  // mean of the points; InvalidArgument when empty
// sqrt(width * height) of the shape's box: the unit of errors.
double face_size(std::span<const Point> shape);

// Scaled by one factor (the square root of the areas' ratio) and centred into a box. InvalidArgument when the
// shape has no area, or it or the box is not finite.
Shape place_in_box(std::span<const Point> shape, const Box& box);

// Mean distance of corresponding points over the square root of the area of the truth's box.
double shape_error(std::span<const Point> shape, std::span<const Point> truth);

// The five starts of the evaluation: the mean shape placed into the truth's box, then moved by shares of the
// box and scaled: (0,0,1), (0.06,0,1), (-0.06,0.04,1), (0,-0.06,1.06), (0.04,0.04,0.94).
std::vector<Shape> evaluation_starts(std::span<const Point> mean, std::span<const Point> truth);

}  // namespace triptych::aam_fit
