#include <triptych/capsule_likelihood/cloud.hpp>

#include <array>
#include <cstring>

#include "inputs.hpp"

namespace triptych::python::capsule {

using cl::Vec3;

void check_cloud(const Array& array) {
  if (!array.is<float>() || array.ndim() != 2 || array.shape(1) != 3)
    throw InvalidArgument(std::string(array.argument()) + ": expected float32 of shape (n, 3), not " +
                          array.describe());
  array.contiguous<float>();
}

Array cloud_array(nb::handle object, const char* argument, nb::handle stream) {
  Array array(nb::isinstance<cl::Cloud>(object) ? nb::object(object.attr("points")) : nb::borrow(object),
              argument, stream);
  check_cloud(array);
  return array;
}

std::span<const Vec3> host_points(const Array& array) {
  array.require_on_host();
  return {static_cast<const Vec3*>(array.data()), static_cast<std::size_t>(array.shape(0))};
}
DeviceSpan<const Vec3> device_points(const Array& array) {
  return {static_cast<const Vec3*>(array.data()), array.shape(0)};
}

void check_sigmas(const Array& sigma, const Array& points) {
  if (!sigma.is<float>() || sigma.ndim() != 1 || sigma.shape(0) != points.shape(0))
    throw InvalidArgument(std::string(sigma.argument()) + ": expected float32 of shape (" +
                          std::to_string(points.shape(0)) + ",), one for each point, not " +
                          sigma.describe());
  if (sigma.ordinal() != points.ordinal())
    throw InvalidArgument(std::string(sigma.argument()) +
                          ": both arrays must be in the same memory: " + points.argument() + " is " +
                          points.describe() + ", " + sigma.argument() + " is " + sigma.describe());
  sigma.contiguous<float>();
}
std::span<const float> host_floats(const Array& array) {
  return {static_cast<const float*>(array.data()), static_cast<std::size_t>(array.size())};
}
DeviceSpan<const float> device_floats(const Array& array) {
  return {static_cast<const float*>(array.data()), array.size()};
}

void check_bodies(const Array& bodies) {
  if (!bodies.is<float>() || bodies.ndim() != 3 || bodies.shape(2) != 7)
    throw InvalidArgument(std::string(bodies.argument()) +
                          ": expected float32 of shape (bodies, capsules, 7), not " + bodies.describe());
  const bool rows =
      bodies.size() == 0 ||
      ((bodies.stride(2) == 1) && (bodies.shape(1) == 1 || bodies.stride(1) == 7) &&
       (bodies.shape(0) == 1 || (bodies.stride(0) % 7 == 0 && bodies.stride(0) >= 7 * bodies.shape(1))));
  if (!rows)
    throw InvalidArgument(std::string(bodies.argument()) +
                          ": the capsules of a body must be contiguous in C order; see "
                          "numpy.ascontiguousarray or .contiguous()");
}
std::span<const cl::Capsule> one_body(const Array& body) {
  if (body.ndim() != 2 || body.shape(1) != 7)
    throw InvalidArgument(std::string(body.argument()) + ": expected float32 of shape (capsules, 7), not " +
                          body.describe());
  return {reinterpret_cast<const cl::Capsule*>(body.contiguous<float>()),
          static_cast<std::size_t>(body.shape(0))};
}

Vec3 place_of(nb::handle object, const char* argument) {
  if (nb::isinstance<nb::tuple>(object) && nb::len(object) == 3) {
    std::array<float, 3> xyz{};
    bool numbers = true;
    for (std::size_t i = 0; i < 3; ++i) numbers = numbers && nb::try_cast(object[i], xyz[i]);
    if (numbers) return {xyz[0], xyz[1], xyz[2]};
  }
  const Array array = host_array<float>(object, argument);
  if (array.ndim() != 1 || array.size() != 3)
    throw InvalidArgument(std::string(argument) + ": expected three numbers, not " + array.describe());
  const float* const xyz = array.contiguous<float>();
  return {xyz[0], xyz[1], xyz[2]};
}
nb::tuple to_tuple(const Vec3& place) { return nb::make_tuple(place.x, place.y, place.z); }

std::vector<nb::object> entries_of(nb::handle object, const char* argument, const char* what) {
  if (nb::isinstance<nb::str>(object) || !nb::isinstance<nb::iterable>(object))
    throw InvalidArgument(std::string(argument) + ": expected a list of " + what + ", not a " +
                          type_text(object));
  std::vector<nb::object> entries;
  for (const nb::handle one : nb::borrow<nb::iterable>(object)) entries.push_back(nb::borrow(one));
  return entries;
}

std::vector<std::string> texts_of(nb::handle object, const char* argument) {
  std::vector<std::string> texts;
  for (const nb::object& one : entries_of(object, argument, "texts"))
    if (!nb::try_cast(one, texts.emplace_back()))
      throw InvalidArgument(std::string(argument) + ": expected a list of texts, not of " + type_text(one));
  return texts;
}

nb::object numpy_of(const std::vector<Vec3>& places) {
  return to_numpy_of<float>(places.data(), places.size(), {places.size(), 3});
}
nb::object numpy_of(const std::vector<cl::Capsule>& capsules) {
  return to_numpy_of<float>(capsules.data(), capsules.size(), {capsules.size(), 7});
}

nb::bytes to_bytes(const void* data, std::size_t size) { return nb::bytes(data, size); }

void copy_bytes(const nb::bytes& from, void* to, std::size_t element_bytes, std::size_t count) {
  require(from.size() == element_bytes * count, "state: ", from.size(), " bytes are not whole values of ",
          element_bytes);
  if (from.size() > 0) std::memcpy(to, from.data(), from.size());
}

}  // namespace triptych::python::capsule
