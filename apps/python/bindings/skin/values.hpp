// Classes of plain members: properties, ==, hash, pickle and repr from one list of the members.
#pragma once

#include <nanobind/nanobind.h>

#include <cmath>
#include <string>
#include <type_traits>
#include <utility>

#include "../arrays.hpp"

namespace triptych::python {

template <class T, class V>
struct Field {
  const char* name;
  V T::*member;
  const char* doc;
};
template <class T, class V>
Field(const char*, V T::*, const char*) -> Field<T, V>;

// Equal, or both not a number: a result is equal to its copy.
template <class V>
bool same(const V& a, const V& b) {
  if constexpr (std::is_floating_point_v<V>) {
    return a == b || (std::isnan(a) && std::isnan(b));
  } else {
    return a == b;
  }
}

// For a hash: one value for every NaN.
template <class V>
nb::object to_hash(const V& value) {
  if constexpr (std::is_floating_point_v<V>) {
    if (std::isnan(value)) return nb::none();
  }
  return nb::cast(value);
}

// ==, by equal(a, b).
template <class T, class Equal, class... Extra>
void bind_equal(nb::class_<T, Extra...>& type, Equal equal) {
  type.def(
      "__eq__",
      [equal](const T& self, nb::handle other) -> nb::object {
        if (!nb::isinstance<T>(other)) return nb::borrow(nb::handle(Py_NotImplemented));
        return nb::bool_(equal(self, nb::cast<const T&>(other)));
      },
      nb::arg("other").none(), nb::sig("def __eq__(self, other: object) -> bool"));
}

template <class T, class... V>
std::string text_of(const char* name, const T& value, const Field<T, V>&... fields) {
  std::string text;
  ((text += (text.empty() ? "" : ", ") + std::string(fields.name) + "=" +
            nb::cast<std::string>(nb::repr(nb::cast(value.*fields.member)))),
   ...);
  return name + ("(" + text + ")");
}

// T is an aggregate of these members, in this order.
template <class T, class... V>
void bind_values(nb::class_<T>& type, const char* name, Field<T, V>... fields) {
  (type.def_ro(fields.name, fields.member, fields.doc), ...);
  bind_equal(type, [fields...](const T& a, const T& b) {
    return (same(a.*fields.member, b.*fields.member) && ...);
  });
  type.def("__hash__", [fields...](const T& self) {
    return PyObject_Hash(nb::make_tuple(to_hash(self.*fields.member)...).ptr());
  });
  type.def("__getstate__",
           [fields...](const T& self) { return nb::make_tuple(nb::cast(self.*fields.member)...); });
  type.def("__setstate__", [](T& self, const nb::tuple& state) {
    [&]<std::size_t... i>(std::index_sequence<i...>) { new (&self) T{nb::cast<V>(state[i])...}; }
    (std::index_sequence_for<V...>());
  });
  type.def("__repr__", [name, fields...](const T& self) { return text_of(name, self, fields...); });
}

}  // namespace triptych::python
