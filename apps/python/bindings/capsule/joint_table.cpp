// JointTable: positions of named joints in some frames, as CSV files hold them.
#include <triptych/capsule_likelihood/pose_file.hpp>

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>

#include "../compute.hpp"
#include "capsule.hpp"
#include "values.hpp"

namespace triptych::python::capsule {

namespace {

cl::JointTable make_table(nb::handle names, nb::handle frames, nb::handle joints) {
  cl::JointTable table;
  table.names = texts_of(names, "names");
  try {
    for (const nb::handle frame : nb::iter(frames))
      table.frames.push_back(nb::cast<std::int64_t>(nb::object(frame.attr("__index__")())));
  } catch (nb::python_error& problem) {
    if (!problem.matches(PyExc_TypeError) && !problem.matches(PyExc_AttributeError)) throw;
    throw InvalidArgument("frames: expected a list of whole numbers, not a " + type_text(frames));
  }
  const Array places = host_array<float>(joints, "joints");
  places.require_shape(
      {static_cast<std::int64_t>(table.frames.size()), static_cast<std::int64_t>(table.names.size()), 3},
      "numbers of shape (frames, names, 3)");
  const auto* const first = static_cast<const cl::Vec3*>(places.data());
  table.joints.assign(first, first + places.size() / 3);
  return table;
}

nb::object joints_of_table(const cl::JointTable& self) {
  return to_numpy_of<float>(self.joints.data(), self.joints.size(),
                            {self.frames.size(), self.names.size(), 3});
}

bool same(const cl::JointTable& a, const cl::JointTable& b) {  // NaN equals NaN
  return a.names == b.names && a.frames == b.frames && a.joints.size() == b.joints.size() &&
         (a.joints.empty() ||
          std::memcmp(a.joints.data(), b.joints.data(), a.joints.size() * sizeof(cl::Vec3)) == 0);
}

}  // namespace

void bind_joint_table(nb::module_& m) {
  auto type = nb::class_<cl::JointTable>(
      m, "JointTable",
      "The positions of named joints in some frames, in metres. len() is the number of frames.");
  type.def(
          "__init__",
          [](cl::JointTable* self, Anything names, Anything frames, ArrayLike joints) {
            new (self) cl::JointTable(make_table(names, frames, joints));
          },
          nb::arg("names"), nb::arg("frames"), nb::arg("joints"),
          nb::sig("def __init__(self, names: collections.abc.Iterable[str], frames: "
                  "collections.abc.Iterable[int], joints: numpy.typing.ArrayLike) -> None"),
          "names: of the joints. frames: the number of each frame. joints: (frames, names, 3); NaN where "
          "there is none.")
      .def_ro("names", &cl::JointTable::names, "The names of the joints.")
      .def_prop_ro(
          "frames",
          [](const cl::JointTable& self) { return LongArray(to_numpy(self.frames, {self.frames.size()})); },
          "(n,) int64: the number of each frame, rising.")
      .def_prop_ro(
          "joints", [](const cl::JointTable& self) { return FloatArray(joints_of_table(self)); },
          "(frames, names, 3) float32; NaN where the file has none.")
      .def(
          "find", [](const cl::JointTable& self, std::string_view name) { return self.find(name); },
          nb::arg("name"), "The column of the joint of that name; -1 when there is none.")
      .def("__len__", [](const cl::JointTable& self) { return self.frames.size(); })
      .def("__getstate__",
           [](const cl::JointTable& self) {
             return nb::make_tuple(self.names, self.frames, to_bytes(self.joints));
           })
      .def("__setstate__",
           [](cl::JointTable& self, const nb::tuple& state) {
             cl::JointTable table{nb::cast<std::vector<std::string>>(state[0]),
                                  nb::cast<std::vector<std::int64_t>>(state[1]),
                                  from_bytes<cl::Vec3>(state[2])};
             new (&self) cl::JointTable(std::move(table));
           })
      .def("__repr__", [](const cl::JointTable& self) {
        return "<JointTable: " + std::to_string(self.frames.size()) + " frames of " +
               std::to_string(self.names.size()) + " joints>";
      });
  bind_equality(type, [](const cl::JointTable& a, const cl::JointTable& b) { return same(a, b); });
  m.def(
      "read_joints_csv",
      [](const std::filesystem::path& path) { return compute([&] { return cl::read_joints_csv(path); }); },
      nb::arg("path"),
      "Reads a CSV file of lines frame,joint,x_m,y_m,z_m after a header; a JointTable. ParseError with the "
      "line and the reason.");
  m.def(
      "write_joints_csv",
      [](const std::filesystem::path& path, const cl::JointTable& table) {
        compute([&] { cl::write_joints_csv(path, table); });
      },
      nb::arg("path"), nb::arg("table"),
      "Writes a CSV file, from which read_joints_csv() reads the same bits. It is replaced atomically.");
}

}  // namespace triptych::python::capsule
