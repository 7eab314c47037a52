// Calibrated cameras as matrices: camera_from_world, (4, 4) or (3, 4).
#pragma once

#include <triptych/capsule_likelihood/rigid_transform.hpp>

#include <vector>

#include "inputs.hpp"

namespace triptych::python::capsule {

cl::RigidTransform transform_of(nb::handle matrix, const char* argument);
// (4, 4) float32.
FloatArray matrix_of(const cl::RigidTransform& transform);
// A sequence of matrices; empty for None.
std::vector<cl::RigidTransform> transforms_of(nb::handle matrices, const char* argument);

}  // namespace triptych::python::capsule
