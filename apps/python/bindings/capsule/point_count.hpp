// PointCount as text.
#pragma once

#include <triptych/capsule_likelihood/rays.hpp>

#include <string>

namespace triptych::python::capsule {

inline std::string text_of(const capsule_likelihood::PointCount& points) {
  return std::to_string(points.used) + " points used, " + std::to_string(points.not_finite) +
         " not finite, " + std::to_string(points.not_in_front) + " not in front";
}

}  // namespace triptych::python::capsule
