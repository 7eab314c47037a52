// Shape of faces with FaceDetail: more displacement fields, and a head whose sides recede.
#pragma once

#include <triptych/aam_fit/shape.hpp>

namespace triptych::aam_fit::face {

constexpr int more_fields = 16;

// Displacement of a point by field k (FaceDetail::shape) at a parameter of 1.
Point more_field(int k, double x, double y);

// Added to relief(), times FaceDetail::depth: zero in the middle of the face, steep towards its sides.
double recession(double x, double y);

}  // namespace triptych::aam_fit::face
