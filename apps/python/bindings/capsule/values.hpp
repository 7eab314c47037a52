// What classes of values have in common: ==, and floats as people write them.
#pragma once

#include <nanobind/nanobind.h>

#include <charconv>

#include "inputs.hpp"

namespace triptych::python::capsule {

// Adds ==, by is_same(a, b), for objects that cannot be keys of a dict.
template <class T, class Same>
void bind_equality(nb::class_<T>& type, Same is_same) {
  type.def(
      "__eq__",
      [is_same](const T& self, nb::handle other) -> nb::object {
        if (!nb::isinstance<T>(other)) return nb::borrow(Py_NotImplemented);
        return nb::bool_(is_same(self, nb::cast<const T&>(other)));
      },
      nb::arg("other").none(), nb::sig("def __eq__(self, other: object, /) -> bool"));
  type.attr("__hash__") = nb::none();
}

// The float's shortest decimal as a double: 0.03, which is the same float again.
inline double shown(float number) {
  char text[64];
  double value = number;
  const auto end = std::to_chars(text, text + sizeof(text), number);
  std::from_chars(text, end.ptr, value);
  return value;
}

}  // namespace triptych::python::capsule
