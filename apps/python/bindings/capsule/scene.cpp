// Clouds as they come: unit, axes, planes, and the person among other things.
#include <triptych/capsule_likelihood/scene.hpp>

#include <nanobind/stl/string.h>

#include "../compute.hpp"
#include "capsule.hpp"
#include "values.hpp"

namespace triptych::python::capsule {

namespace {

constexpr Name<cl::CloudAxes> all_axes[] = {
    {"y_up", cl::CloudAxes::y_up}, {"y_down", cl::CloudAxes::y_down}, {"z_up", cl::CloudAxes::z_up}};

void bind_convention(nb::module_& m) {
  auto type = nb::class_<cl::CloudConvention>(m, "CloudConvention", "The unit and the axes of a cloud.");
  type.def_ro("metres_per_unit", &cl::CloudConvention::metres_per_unit, "1, 0.01 or 0.001.")
      .def_prop_ro(
          "axes", [](const cl::CloudConvention& self) { return std::string(name_of(self.axes, all_axes)); },
          "\"y_up\", \"y_down\" (as the rows of images) or \"z_up\" (of robots and laser scanners).")
      .def_ro("quarter_turns", &cl::CloudConvention::quarter_turns,
              "Of \"z_up\": from +y to forward, anticlockwise seen from above.")
      .def_ro("axes_from", &cl::CloudConvention::axes_from, "What the axes follow from, a phrase.")
      .def("__getstate__",
           [](const cl::CloudConvention& self) {
             return nb::make_tuple(self.metres_per_unit, static_cast<int>(self.axes), self.quarter_turns,
                                   self.axes_from);
           })
      .def("__setstate__",
           [](cl::CloudConvention& self, const nb::tuple& state) {
             new (&self) cl::CloudConvention{nb::cast<double>(state[0]),
                                             static_cast<cl::CloudAxes>(nb::cast<int>(state[1])),
                                             nb::cast<int>(state[2]), nb::cast<std::string>(state[3])};
           })
      .def("__repr__", [](const cl::CloudConvention& self) {
        return "<CloudConvention: metres_per_unit=" + text_of(self.metres_per_unit) + ", " +
               std::string(name_of(self.axes, all_axes)) + " by " + self.axes_from + ">";
      });
  bind_equality(type, [](const cl::CloudConvention& a, const cl::CloudConvention& b) {
    return a.metres_per_unit == b.metres_per_unit && a.axes == b.axes && a.quarter_turns == b.quarter_turns &&
           a.axes_from == b.axes_from;
  });
}

}  // namespace

void bind_scene(nb::module_& m) {
  bind_convention(m);
  m.def(
      "guess_convention",
      [](ArrayLike points) {
        const Array cloud = cloud_array(points, "points");
        const auto span = host_points(cloud);
        return naming("points", [&] { return compute([&] { return cl::guess_convention(span); }); });
      },
      nb::arg("points"),
      "The unit (metres, centimetres, millimetres) and the axes of a cloud, (n, 3) float32, of a\n"
      "standing person, alone or in a room; a CloudConvention. The unit follows from the extent, the\n"
      "axes from the floor when there is one, else from the longest side and the shape of a person.\n"
      "InvalidArgument when there are fewer than 50 points that are finite.");
  m.def(
      "to_camera_frame",
      [](ArrayLike points, const cl::CloudConvention& convention) {
        const Array cloud = cloud_array(points, "points");
        const auto span = host_points(cloud);
        return FloatArray(numpy_of(compute([&] { return cl::to_camera_frame(span, convention); })));
      },
      nb::arg("points"), nb::arg("convention"),
      "(n, 3) float32: the cloud in metres, x right, y up, z forward, as a ParticleFilter wants it.");
  const cl::PlaneOptions planes;
  m.def(
      "remove_planes",
      [](ArrayLike points, Whole<"max_planes"> max_planes, float tolerance_m, float min_area_m2,
         double min_share, Whole<"seed", std::uint64_t> seed) {
        const Array cloud = cloud_array(points, "points");
        const auto span = host_points(cloud);
        const cl::PlaneOptions options{max_planes, tolerance_m, min_area_m2, min_share, seed};
        const cl::WithoutPlanes rest = compute([&] { return cl::remove_planes(span, options); });
        std::vector<float> values;
        for (const cl::Plane& p : rest.planes)
          values.insert(values.end(), {p.normal.x, p.normal.y, p.normal.z, p.distance_m});
        return nb::make_tuple(numpy_of(rest.points), to_numpy(std::move(values), {rest.planes.size(), 4}));
      },
      nb::arg("points"), nb::kw_only(), nb::arg("max_planes") = planes.max_planes,
      nb::arg("tolerance_m") = shown(planes.tolerance_m), nb::arg("min_area_m2") = shown(planes.min_area_m2),
      nb::arg("min_share") = planes.min_share, nb::arg("seed") = planes.seed,
      nb::sig("def remove_planes(points: typing.Any, *, max_planes: int = 4, tolerance_m: float = 0.03, "
              "min_area_m2: float = 1.5, min_share: float = 0.05, seed: int = 1) -> "
              "tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32]]"),
      "Floor, walls and other large planes removed from a cloud, (n, 3) float32: the rest, (m, 3), and\n"
      "the planes, (k, 4): unit normal and distance, of the points p with normal . p = distance.\n"
      "\n"
      "tolerance_m: of a point's distance from the plane. min_area_m2: seen by points; a person has\n"
      "less. min_share: of the points. The same seed gives the same bits.");
  const cl::PersonOptions persons;
  m.def(
      "choose_person",
      [](ArrayLike points, Anything near, float gap_m, double min_share) {
        const Array cloud = cloud_array(points, "points");
        const auto span = host_points(cloud);
        cl::PersonOptions options;
        options.gap_m = gap_m;
        options.min_share = min_share;
        if (!near.is_none()) options.near = place_of(near, "near");
        return FloatArray(numpy_of(compute([&] { return cl::choose_person(span, options); })));
      },
      nb::arg("points"), nb::kw_only(), nb::arg("near") = nb::none(), nb::arg("gap_m") = shown(persons.gap_m),
      nb::arg("min_share") = persons.min_share,
      "(m, 3) float32: the points of one thing in a cloud, (n, 3) float32, y up, in their order: the one\n"
      "of the most points, or the one whose middle is nearest to near, (3,) metres.\n"
      "\n"
      "gap_m: parts farther apart than twice this are different things. min_share: of the points;\n"
      "smaller things are no candidates.");
}

}  // namespace triptych::python::capsule
