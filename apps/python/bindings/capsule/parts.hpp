// Joints and capsules of a skeleton as Python data.
#pragma once

#include <vector>

#include "capsule.hpp"

namespace triptych::python::capsule {

bool same(const cl::Rotation& a, const cl::Rotation& b);
bool same(const cl::Joint& a, const cl::Joint& b);
bool same(const cl::BodyCapsule& a, const cl::BodyCapsule& b);

// Lists of Joint and BodyCapsule; a tuple or a dict stands for the arguments of their constructors.
std::vector<cl::Joint> joints_of(nb::handle list, const char* argument);
std::vector<cl::BodyCapsule> body_capsules_of(nb::handle list, const char* argument);

// The arguments of Skeleton, in plain Python numbers and texts.
nb::tuple state_of(const cl::Skeleton& skeleton);

}  // namespace triptych::python::capsule
