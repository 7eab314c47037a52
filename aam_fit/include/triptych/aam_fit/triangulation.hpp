// Triangles over landmarks.
#pragma once

#include <triptych/aam_fit/shape.hpp>

#include <array>
#include <span>
#include <vector>

namespace triptych::aam_fit {

using Triangle = std::array<int, 3>;  // indices of landmarks, counter-clockwise as seen (y down)

// Delaunay. Points that coincide, or nearly do (against the shape's size), count as one: the later of them
// is no corner of any triangle. InvalidArgument when fewer than three points are distinct, or all lie on a
// line.
std::vector<Triangle> triangulate(std::span<const Point> points);

// Triangles given by a user: InvalidArgument when an index is out of range or repeated in a triangle.
void check_triangles(std::span<const Triangle> triangles, int points);

}  // namespace triptych::aam_fit
