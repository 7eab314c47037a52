// __array__ of objects that show their values as a NumPy array.
#pragma once

#include <nanobind/nanobind.h>

namespace triptych::python {

namespace nb = nanobind;

// The result of __array__(dtype, copy): the array itself, or a copy when one is asked for.
inline nb::object as_array(const nb::object& array, nb::handle dtype, nb::handle copy) {
  if (dtype.is_none() && (copy.is_none() || !nb::cast<bool>(copy))) return array;
  return nb::module_::import_("numpy").attr("array")(array, nb::arg("dtype") = dtype);
}

}  // namespace triptych::python
