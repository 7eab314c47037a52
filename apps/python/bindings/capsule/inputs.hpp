// What the functions of triptych.capsule read from Python: clouds, poses, bodies, places, names; and the
// types of arguments and results as the stubs name them.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/matrix_view.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../arrays.hpp"
#include "../naming.hpp"

namespace triptych::python::capsule {

namespace cl = capsule_likelihood;

// Arguments that may be any object.
#define TRIPTYCH_PYTHON_ARGUMENT(Type, name)                            \
  class Type : public nb::handle {                                      \
   public:                                                              \
    static constexpr auto Name = nb::detail::const_name(name);          \
    Type(nb::handle given) : nb::handle(given) {}                       \
    Type(nb::handle given, nb::detail::borrow_t) : nb::handle(given) {} \
    Type(nb::handle given, nb::detail::steal_t) : nb::handle(given) {}  \
    static bool check_(nb::handle) { return true; }                     \
  }
TRIPTYCH_PYTHON_ARGUMENT(ArrayLike, "numpy.typing.ArrayLike");
TRIPTYCH_PYTHON_ARGUMENT(ArrayAnywhere, "numpy.typing.ArrayLike | triptych._triptych.DeviceArray");
TRIPTYCH_PYTHON_ARGUMENT(Anything, "typing.Any");
#undef TRIPTYCH_PYTHON_ARGUMENT

inline bool is_anything(PyObject*) { return true; }
#define TRIPTYCH_PYTHON_RESULT(Type, name)                   \
  class Type : public nb::object {                           \
    NB_OBJECT(Type, nb::object, name, is_anything)           \
    Type(nb::object taken) : nb::object(std::move(taken)) {} \
  }
TRIPTYCH_PYTHON_RESULT(FloatArray, "numpy.typing.NDArray[numpy.float32]");
TRIPTYCH_PYTHON_RESULT(LongArray, "numpy.typing.NDArray[numpy.int64]");
TRIPTYCH_PYTHON_RESULT(IntArray, "numpy.typing.NDArray[numpy.int32]");
TRIPTYCH_PYTHON_RESULT(UintArray, "numpy.typing.NDArray[numpy.uint32]");
TRIPTYCH_PYTHON_RESULT(ShortArray, "numpy.typing.NDArray[numpy.uint16]");
TRIPTYCH_PYTHON_RESULT(FloatArrayAnywhere,
                       "numpy.typing.NDArray[numpy.float32] | triptych._triptych.DeviceArray");
TRIPTYCH_PYTHON_RESULT(DoubleArrayAnywhere,
                       "numpy.typing.NDArray[numpy.float64] | triptych._triptych.DeviceArray");
#undef TRIPTYCH_PYTHON_RESULT

// An argument that is one of a few names. InvalidArgument, which lists them, for any other.
template <class E>
struct Name {
  const char* name;
  E value;
};
template <class E, std::size_t count>
E parse_name(std::string_view text, const char* argument, const Name<E> (&names)[count]) {
  std::string all;
  for (const Name<E>& one : names) {
    if (text == one.name) return one.value;
    if (!all.empty()) all.append(", ");
    all.append("'").append(one.name).append("'");
  }
  throw InvalidArgument(std::string(argument) + ": '" + std::string(text) + "' is none of " + all);
}
template <class E, std::size_t count>
const char* name_of(E value, const Name<E> (&names)[count]) {
  for (const Name<E>& one : names)
    if (value == one.value) return one.name;
  return "";
}

// A cloud: float32 of shape (n, 3) in C order, or a Cloud. host_points: InvalidArgument for one on a GPU.
void check_cloud(const Array& array);
Array cloud_array(nb::handle object, const char* argument, nb::handle stream = nb::none());
std::span<const cl::Vec3> host_points(const Array& array);
DeviceSpan<const cl::Vec3> device_points(const Array& array);

// Standard deviations: float32 of shape (n,), as many as points and in the same memory.
void check_sigmas(const Array& sigma, const Array& points);
std::span<const float> host_floats(const Array& array);
DeviceSpan<const float> device_floats(const Array& array);

// Bodies: float32 of shape (n, c, 7), the capsules of a body one after the other; or one body, (c, 7).
void check_bodies(const Array& bodies);
template <class View>
View bodies_view(const Array& bodies) {
  const std::int64_t c = bodies.shape(1);
  return View(static_cast<const cl::Capsule*>(bodies.data()), bodies.shape(0), c,
              bodies.shape(0) <= 1 ? c : bodies.stride(0) / 7);
}
std::span<const cl::Capsule> one_body(const Array& body);

// Three numbers.
cl::Vec3 place_of(nb::handle object, const char* argument);
nb::tuple to_tuple(const cl::Vec3& place);

// The entries of a list or any other iterable but a text; what: what they are. InvalidArgument for anything
// else.
std::vector<nb::object> entries_of(nb::handle object, const char* argument, const char* what);
// A list or any other iterable of texts.
std::vector<std::string> texts_of(nb::handle object, const char* argument);

nb::object numpy_of(const std::vector<cl::Vec3>& places);
nb::object numpy_of(const std::vector<cl::Capsule>& capsules);
nb::bytes to_bytes(const void* data, std::size_t size);
template <class T>
nb::bytes to_bytes(const std::vector<T>& values) {
  return to_bytes(values.data(), values.size() * sizeof(T));
}
// The values of to_bytes(). InvalidArgument when the size does not fit.
void copy_bytes(const nb::bytes& from, void* to, std::size_t element_bytes, std::size_t count);
template <class T>
std::vector<T> from_bytes(nb::handle object) {
  const auto bytes = nb::cast<nb::bytes>(object);
  std::vector<T> values(bytes.size() / sizeof(T));
  copy_bytes(bytes, values.data(), sizeof(T), values.size());
  return values;
}

}  // namespace triptych::python::capsule
