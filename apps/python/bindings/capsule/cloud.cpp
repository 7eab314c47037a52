// Cloud, and its files.
#include <triptych/capsule_likelihood/cloud.hpp>

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include "../array_protocol.hpp"
#include "../compute.hpp"
#include "capsule.hpp"
#include "values.hpp"

namespace triptych::python::capsule {

namespace {

// The points in the memory of the cloud, which cannot be written.
nb::object view_of(nb::handle self) {
  const auto& points = nb::cast<const cl::Cloud&>(self).points;
  return nb::cast(nb::ndarray<nb::numpy, const float>(reinterpret_cast<const float*>(points.data()),
                                                      {points.size(), 3}, self));
}

bool same(const cl::Cloud& a, const cl::Cloud& b) {
  return a.points == b.points && a.dropped == b.dropped && a.too_far == b.too_far;
}

}  // namespace

void bind_cloud(nb::module_& m) {
  auto type = nb::class_<cl::Cloud>(
      m, "Cloud",
      "Points in metres, in the camera's frame: x right, y up or down as the data have it, z\n"
      "forward.\n"
      "\n"
      "It can be given wherever an array (n, 3) of points is expected; numpy.asarray(cloud) and\n"
      "cloud.points share its memory and cannot be written.");
  type.def_prop_ro(
          "points", [](nb::handle self) { return FloatArray(view_of(self)); }, "(n, 3) float32, metres.")
      .def_ro("dropped", &cl::Cloud::dropped,
              "Points that had no measurement, or one that is not finite or out of range.")
      .def_ro("too_far", &cl::Cloud::too_far, "Of these: a coordinate is beyond 1000 m.")
      .def("__len__", [](const cl::Cloud& self) { return self.points.size(); })
      .def(
          "__array__",
          [](nb::handle self, Anything dtype, Anything copy) -> FloatArray {
            return as_array(view_of(self), dtype, copy);
          },
          nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none())
      .def("__getstate__",
           [](const cl::Cloud& self) {
             return nb::make_tuple(to_bytes(self.points), self.dropped, self.too_far);
           })
      .def("__setstate__",
           [](cl::Cloud& self, const nb::tuple& state) {
             cl::Cloud cloud{from_bytes<cl::Vec3>(state[0]), nb::cast<std::int64_t>(state[1]),
                             nb::cast<std::int64_t>(state[2])};
             new (&self) cl::Cloud(std::move(cloud));
           })
      .def("__repr__", [](const cl::Cloud& self) {
        return "<Cloud: " + std::to_string(self.points.size()) + " points, " + std::to_string(self.dropped) +
               " dropped>";
      });
  bind_equality(type, [](const cl::Cloud& a, const cl::Cloud& b) { return same(a, b); });
  m.def(
      "read_cloud",
      [](const std::filesystem::path& path, double metres_per_unit) {
        return compute([&] { return cl::read_cloud(path, metres_per_unit); });
      },
      nb::arg("path"), nb::kw_only(), nb::arg("metres_per_unit") = 1.0,
      "Reads points from a PLY file (ascii or binary) or from text (x y z and anything more in each\n"
      "line); a Cloud.\n"
      "\n"
      "Coordinates are multiplied by metres_per_unit. ParseError with the line and the reason; in\n"
      "binary data the number of the point.");
  m.def(
      "write_ply",
      [](const std::filesystem::path& path, ArrayLike points) {
        const Array array = cloud_array(points, "points");
        const auto span = host_points(array);
        compute([&] { cl::write_ply(path, span); });
      },
      nb::arg("path"), nb::arg("points"),
      "Writes points, (n, 3) float32, as a binary PLY file, which is replaced atomically.");
  m.def(
      "subsample",
      [](ArrayLike points, Whole<"count", std::int64_t> count, Whole<"seed", std::uint64_t> seed) {
        const Array array = cloud_array(points, "points");
        const auto span = host_points(array);
        return FloatArray(numpy_of(
            naming("count", [&] { return compute([&] { return cl::subsample(span, count, seed); }); })));
      },
      nb::arg("points"), nb::arg("count"), nb::kw_only(), nb::arg("seed") = 1,
      "At most count of the points, (n, 3) float32, in their order: one at random from each of count equal "
      "runs. The same seed gives the same points.");
}

}  // namespace triptych::python::capsule
