// Motion, the synthetic walk, and its position in front of the camera.
#include <triptych/capsule_likelihood/particle_filter.hpp>
#include <triptych/capsule_likelihood/synthetic_walk.hpp>

#include <nanobind/stl/string.h>

#include "../array_protocol.hpp"
#include "../compute.hpp"
#include "capsule.hpp"
#include "values.hpp"

namespace triptych::python::capsule {

namespace {

cl::Motion motion_from(const Array& poses, double frame_time_s) {
  if (poses.ndim() != 2 || poses.shape(1) < 1)
    throw InvalidArgument(std::string(poses.argument()) + ": expected numbers of shape (n, pose_size), not " +
                          poses.describe());
  const std::span<const float> values = host_floats(poses);
  return {static_cast<int>(poses.shape(1)), frame_time_s, {values.begin(), values.end()}};
}

// The poses in the memory of the motion, which cannot be written.
nb::object view_of(nb::handle self) {
  const auto& motion = nb::cast<const cl::Motion&>(self);
  return nb::cast(nb::ndarray<nb::numpy, const float>(
      motion.values.data(),
      {static_cast<std::size_t>(motion.size()), static_cast<std::size_t>(motion.pose_size)}, self));
}

// A list of Estimates, if it is one.
std::optional<cl::Motion> motion_of_estimates(nb::handle object, int pose_size, const char* argument) {
  if (!nb::isinstance<nb::list>(object) && !nb::isinstance<nb::tuple>(object)) return std::nullopt;
  const std::size_t count = nb::len(object);
  if (count == 0 || !nb::isinstance<cl::Estimate>(object[0])) return std::nullopt;
  cl::Motion motion{.pose_size = pose_size};
  for (std::size_t i = 0; i < count; ++i) {
    const nb::object one = object[i];
    if (!nb::isinstance<cl::Estimate>(one))
      throw InvalidArgument(std::string(argument) + ": item " + std::to_string(i) + " is no Estimate but a " +
                            type_text(one));
    naming(argument, [&] { motion.push_back(nb::cast<const cl::Estimate&>(one).pose); });
  }
  return motion;
}

void bind_synthetic(nb::module_& m) {
  m.def(
      "make_walk",
      [](const Body& skeleton, Whole<"frames"> frames, double rate_hz, float speed_mps, float stride_hz,
         float heading_rad, float turn_rad_per_s) {
        return compute([&] {
          return cl::make_walk(skeleton,
                               {frames, rate_hz, speed_mps, stride_hz, heading_rad, turn_rad_per_s});
        });
      },
      nb::arg("skeleton"), nb::kw_only(), nb::arg("frames") = 150, nb::arg("rate_hz") = 30.0,
      nb::arg("speed_mps") = 0.8, nb::arg("stride_hz") = 0.85, nb::arg("heading_rad") = -0.5f,
      nb::arg("turn_rad_per_s") = 0.2,
      "A person of human() walking, the feet on the ground y = 0, from x = z = 0; a Motion.\n"
      "\n"
      "rate_hz: frames per second. speed_mps: along the path. stride_hz: full strides (two steps)\n"
      "per second. heading_rad: at first; 0 is towards the camera (-z), positive turns to +x.\n"
      "InvalidArgument when an option is out of range or the skeleton has other joints.");
  m.def(
      "place_in_view",
      [](const Body& skeleton, Anything motion, float distance_m, float nearest_m, float yaw_rad) {
        cl::Motion placed = motion_of(motion, skeleton, "motion", std::nullopt);
        compute([&] { cl::place_in_view(skeleton, placed, {distance_m, nearest_m, yaw_rad}); });
        return placed;
      },
      nb::arg("skeleton"), nb::arg("motion"), nb::kw_only(), nb::arg("distance_m") = 3.0f,
      nb::arg("nearest_m") = 2.0f, nb::arg("yaw_rad") = 0.0f,
      nb::sig("def place_in_view(skeleton: Skeleton, motion: Motion | numpy.typing.ArrayLike, *, distance_m: "
              "float = 3.0, nearest_m: float = 2.0, yaw_rad: float = 0.0) -> Motion"),
      "The motion, rotated and shifted as a whole to where a camera at the origin sees it; a new\n"
      "Motion.\n"
      "\n"
      "The range of its root is centred at x = 0 and y = 0. distance_m: of the root from the camera\n"
      "along z, on average. nearest_m: the motion is moved away until its root is never nearer.\n"
      "yaw_rad: rotates it about y first: pi for motions that face +z, as most BVH files do.\n"
      "InvalidArgument when the poses do not fit the skeleton or are not finite.");
}

}  // namespace

cl::Motion motion_of(nb::handle object, const cl::Skeleton& skeleton, const char* argument,
                     std::optional<double> frame_time_s) {
  cl::Motion motion;
  if (nb::isinstance<cl::Motion>(object)) {
    motion = nb::cast<const cl::Motion&>(object);
  } else if (auto estimates = motion_of_estimates(object, skeleton.pose_size(), argument)) {
    motion = std::move(*estimates);
  } else {
    motion = motion_from(host_array<float>(object, argument), motion.frame_time_s);
  }
  if (motion.pose_size != skeleton.pose_size())
    throw InvalidArgument(std::string(argument) + ": the skeleton has poses of " +
                          std::to_string(skeleton.pose_size()) + " numbers, not of " +
                          std::to_string(motion.pose_size));
  if (frame_time_s) motion.frame_time_s = *frame_time_s;
  return motion;
}

void bind_motion(nb::module_& m) {
  auto type = nb::class_<cl::Motion>(
      m, "Motion",
      "The poses of a skeleton over time: an array (n, pose_size) of float32 with the time between\n"
      "two poses.\n"
      "\n"
      "len() is the number of poses, motion[i] is one, motion[a:b] a shorter Motion.\n"
      "numpy.asarray(motion) and motion.poses share its memory and cannot be written.");
  type.def(
          "__init__",
          [](cl::Motion* self, ArrayLike poses, double frame_time_s) {
            new (self) cl::Motion(motion_from(host_array<float>(poses, "poses"), frame_time_s));
          },
          nb::arg("poses"), nb::arg("frame_time_s") = 1.0 / 30, "poses: (n, pose_size) numbers; copied.")
      .def("__len__", &cl::Motion::size)
      .def(
          "__getitem__",
          [](nb::handle self, Anything index) -> nb::object {
            nb::object rows = view_of(self)[index];
            if (!nb::isinstance<nb::slice>(index)) return rows;
            return nb::cast(motion_from(host_array<float>(rows, "index"),
                                        nb::cast<const cl::Motion&>(self).frame_time_s));
          },
          nb::arg("index"), nb::sig("def __getitem__(self, index: typing.Any) -> typing.Any"))
      .def(
          "__iter__", [](nb::handle self) { return nb::iter(view_of(self)); },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[numpy.typing.NDArray[numpy.float32]]"))
      .def(
          "__array__",
          [](nb::handle self, Anything dtype, Anything copy) -> FloatArray {
            return as_array(view_of(self), dtype, copy);
          },
          nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none())
      .def_prop_ro(
          "poses", [](nb::handle self) { return FloatArray(view_of(self)); }, "(n, pose_size) float32.")
      .def_prop_ro(
          "shape", [](const cl::Motion& self) { return nb::make_tuple(self.size(), self.pose_size); },
          nb::sig("def shape(self) -> tuple[int, int]"))
      .def_ro("pose_size", &cl::Motion::pose_size, "Numbers in a pose.")
      .def_ro("frame_time_s", &cl::Motion::frame_time_s, "From one pose to the next, in seconds.")
      .def("__getstate__",
           [](const cl::Motion& self) {
             return nb::make_tuple(self.pose_size, self.frame_time_s, to_bytes(self.values));
           })
      .def("__setstate__",
           [](cl::Motion& self, const nb::tuple& state) {
             cl::Motion motion{nb::cast<int>(state[0]), nb::cast<double>(state[1]),
                               from_bytes<float>(state[2])};
             new (&self) cl::Motion(std::move(motion));
           })
      .def("__repr__", [](const cl::Motion& self) {
        return "<Motion: " + std::to_string(self.size()) + " poses of " + std::to_string(self.pose_size) +
               " numbers, one every " + text_of(self.frame_time_s) + " s>";
      });
  bind_equality(type, [](const cl::Motion& a, const cl::Motion& b) { return a == b; });
  bind_synthetic(m);
}

}  // namespace triptych::python::capsule
