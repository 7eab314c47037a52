// The convex hull of the landmarks that triangles use.
#pragma once

#include <triptych/aam_fit/shape.hpp>
#include <triptych/aam_fit/triangulation.hpp>

#include <span>
#include <vector>

namespace triptych::aam_fit {

// Indices of landmarks, turning from +x towards +y; those on an edge of the hull are left out.
std::vector<int> convex_hull(std::span<const Point> shape, std::span<const Triangle> triangles);

}  // namespace triptych::aam_fit
