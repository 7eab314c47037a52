// BVH files, and poses as CSV.
#include <triptych/capsule_likelihood/bvh_skeleton.hpp>
#include <triptych/capsule_likelihood/pose_file.hpp>

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include "../compute.hpp"
#include "capsule.hpp"
#include "values.hpp"

namespace triptych::python::capsule {

void bind_motion_files(nb::module_& m) {
  auto scale = nb::class_<cl::BvhScale>(
      m, "BvhScale", "The unit of length of a BVH file, guessed from the size of the body.");
  scale.def_ro("metres_per_unit", &cl::BvhScale::metres_per_unit)
      .def_ro("size_m", &cl::BvhScale::size_m, "The size of the body in its zero pose, in metres.")
      .def_ro("unit", &cl::BvhScale::unit, "The name of the unit.")
      .def("__getstate__",
           [](const cl::BvhScale& self) {
             return nb::make_tuple(self.metres_per_unit, self.size_m, self.unit);
           })
      .def("__setstate__",
           [](cl::BvhScale& self, const nb::tuple& state) {
             cl::BvhScale made{nb::cast<double>(state[0]), nb::cast<double>(state[1]),
                               nb::cast<std::string>(state[2])};
             new (&self) cl::BvhScale(std::move(made));
           })
      .def("__repr__", [](const cl::BvhScale& self) {
        return "BvhScale(metres_per_unit=" + text_of(self.metres_per_unit) +
               ", size_m=" + text_of(self.size_m) + ", unit='" + self.unit + "')";
      });
  bind_equality(scale, [](const cl::BvhScale& a, const cl::BvhScale& b) {
    return a.metres_per_unit == b.metres_per_unit && a.size_m == b.size_m && a.unit == b.unit;
  });
  m.def(
      "guess_bvh_scale",
      [](const std::filesystem::path& path) {
        return compute([&] { return guess_scale(cl::read_bvh(path)); });
      },
      nb::arg("path"),
      "The unit of length of a BVH file, which the file does not say: of metre, decimetre,\n"
      "centimetre, millimetre, inch, foot and CMU's inch / 0.45, the one that gives a body closest\n"
      "to the size of a person.");
  m.def(
      "load_bvh",
      [](const std::filesystem::path& path, double metres_per_unit, Whole<"fixed_at_frame"> fixed_at_frame) {
        return compute([&] {
          const cl::Bvh bvh = cl::read_bvh(path);
          const double unit = metres_per_unit == 0 ? cl::guess_scale(bvh).metres_per_unit : metres_per_unit;
          Body skeleton(cl::make_skeleton(bvh, {.metres_per_unit = unit, .fixed_at_frame = fixed_at_frame}));
          cl::Motion motion = cl::poses_of(bvh, skeleton, unit);
          return std::pair(std::move(skeleton), std::move(motion));
        });
      },
      nb::arg("path"), nb::kw_only(), nb::arg("metres_per_unit") = 0.0, nb::arg("fixed_at_frame") = 0,
      "Reads a BVH file: (Skeleton, Motion).\n"
      "\n"
      "The joints are those of the file, with its rotations in their order; capsules and limits\n"
      "follow from the joints' names.\n"
      "metres_per_unit: 0: guess_bvh_scale(). fixed_at_frame: fingers, toes and joints at the\n"
      "position of their parent keep the angles of this frame; -1: they are as free as the others.\n"
      "ParseError with the line and the reason; InvalidArgument when a joint other than the root\n"
      "moves.");
  m.def(
      "save_bvh",
      [](const std::filesystem::path& path, const Body& skeleton, Anything poses, double metres_per_unit,
         std::optional<double> frame_time_s) {
        const cl::Motion motion = motion_of(poses, skeleton, "poses", frame_time_s);
        compute([&] { cl::write_poses_bvh(path, skeleton, motion, metres_per_unit); });
      },
      nb::arg("path"), nb::arg("skeleton"), nb::arg("poses"), nb::kw_only(), nb::arg("metres_per_unit") = 1.0,
      nb::arg("frame_time_s") = nb::none(),
      nb::sig("def save_bvh(path: str | os.PathLike, skeleton: Skeleton, poses: Motion | "
              "collections.abc.Sequence[Estimate] | numpy.typing.ArrayLike, *, metres_per_unit: float = 1.0, "
              "frame_time_s: float | None = None) -> None"),
      "Writes poses as a BVH file, which is replaced atomically.\n"
      "\n"
      "poses: a Motion, an array (n, pose_size), or a list of Estimates. Lengths are divided by\n"
      "metres_per_unit. frame_time_s: instead of the Motion's;\n"
      "without a Motion 1/30 s. InvalidArgument when the poses do not fit the skeleton or are not\n"
      "finite.");
  m.def(
      "write_poses_csv",
      [](const std::filesystem::path& path, const Body& skeleton, Anything poses,
         Whole<"first_frame", std::int64_t> first_frame) {
        const cl::Motion motion = motion_of(poses, skeleton, "poses", std::nullopt);
        compute([&] { cl::write_poses_csv(path, skeleton, motion, first_frame); });
      },
      nb::arg("path"), nb::arg("skeleton"), nb::arg("poses"), nb::kw_only(), nb::arg("first_frame") = 0,
      nb::sig(
          "def write_poses_csv(path: str | os.PathLike, skeleton: Skeleton, poses: Motion | "
          "collections.abc.Sequence[Estimate] | numpy.typing.ArrayLike, *, first_frame: int = 0) -> None"),
      "Writes the positions of all joints as CSV (frame,joint,x_m,y_m,z_m), which read_joints_csv()\n"
      "reads.\n"
      "\n"
      "poses: as of save_bvh(). The frames are numbered first_frame, first_frame + 1, ...");
}

}  // namespace triptych::python::capsule
