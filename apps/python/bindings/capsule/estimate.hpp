// Estimate as Python sees it.
#pragma once

#include <triptych/capsule_likelihood/particle_filter.hpp>

#include "capsule.hpp"

namespace triptych::python::capsule {

// All but the latency, bit by bit.
bool same(const cl::Estimate& a, const cl::Estimate& b);

}  // namespace triptych::python::capsule
