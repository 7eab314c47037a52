// The parts of the extension module triptych._triptych: each fills one submodule.
#pragma once

#include <nanobind/nanobind.h>

namespace triptych::python {

namespace nb = nanobind;

void bind_errors(nb::module_& m);
void bind_devices(nb::module_& m);
void bind_device_array(nb::module_& m);
void bind_exchange(nb::module_& m);
void bind_reduce(nb::module_& m);
void bind_skin(nb::module_& m);
void bind_capsule(nb::module_& m);
void bind_aam(nb::module_& m);

}  // namespace triptych::python
