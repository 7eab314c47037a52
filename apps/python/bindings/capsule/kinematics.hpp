// Skeleton's methods that take poses.
#pragma once

#include "capsule.hpp"

namespace triptych::python::capsule {

void bind_kinematics(nb::class_<Body>& type);

}  // namespace triptych::python::capsule
