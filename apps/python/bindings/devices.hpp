// The argument device of objects, and their common methods.
#pragma once

#include <triptych/core/device.hpp>

#include <nanobind/nanobind.h>

namespace triptych::python {

namespace nb = nanobind;

// "auto", a text of Device::parse, a number of threads as "cpu:4", or an object whose text is one of these,
// as torch.device("cuda:0").
Device device_of(nb::handle device);

// "cpu", "cuda:0", "cuda:0,1" or "joint".
std::string name_of(const Device& device);

}  // namespace triptych::python
