#include <triptych/capsule_likelihood/cameras_file.hpp>

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include "../compute.hpp"
#include "capsule.hpp"
#include "extrinsics.hpp"

namespace triptych::python::capsule {

cl::RigidTransform transform_of(nb::handle matrix, const char* argument) {
  const Array array = host_array<float>(matrix, argument);
  if (array.ndim() != 2 || array.shape(1) != 4 || (array.shape(0) != 3 && array.shape(0) != 4))
    throw InvalidArgument(std::string(argument) +
                          ": expected matrices camera_from_world of shape (4, 4) or (3, 4), not " +
                          array.describe());
  const float* const m = array.contiguous<float>();
  require(array.shape(0) == 3 || (m[12] == 0 && m[13] == 0 && m[14] == 0 && m[15] == 1), argument,
          ": the last row of a matrix (4, 4) must be 0, 0, 0, 1");
  cl::RigidTransform transform{{m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]}, {m[3], m[7], m[11]}};
  cl::check_transform(transform, argument);
  return transform;
}

FloatArray matrix_of(const cl::RigidTransform& transform) {
  const auto& r = transform.rotation;
  const cl::Vec3& t = transform.translation_m;
  return FloatArray(to_numpy(
      std::vector<float>{r[0], r[1], r[2], t.x, r[3], r[4], r[5], t.y, r[6], r[7], r[8], t.z, 0, 0, 0, 1},
      {4, 4}));
}

std::vector<cl::RigidTransform> transforms_of(nb::handle matrices, const char* argument) {
  std::vector<cl::RigidTransform> transforms;
  if (matrices.is_none()) return transforms;
  for (const nb::object& matrix : entries_of(matrices, argument, "matrices"))
    transforms.push_back(transform_of(matrix, argument));
  return transforms;
}

void bind_extrinsics(nb::module_& m) {
  m.def(
      "read_cameras",
      [](const std::filesystem::path& path) {
        nb::dict cameras;
        for (const cl::CalibratedCamera& camera : compute([&] { return cl::read_cameras(path); }))
          cameras[camera.name.c_str()] = matrix_of(camera.camera_from_world);
        return cameras;
      },
      nb::arg("path"), nb::sig("def read_cameras(path: str | os.PathLike) -> dict[str, numpy.ndarray]"),
      "Reads the extrinsic calibration of several cameras, a JSON file: camera_from_world of each, (4, 4)\n"
      "float32, by its name, in the order of the file. ParseError with the file and the reason.");
  m.def(
      "write_cameras",
      [](const std::filesystem::path& path, const nb::dict& cameras) {
        std::vector<cl::CalibratedCamera> all;
        for (const auto& [name, matrix] : cameras)
          all.push_back({nb::cast<std::string>(nb::str(name)), transform_of(matrix, "cameras")});
        compute([&] { cl::write_cameras(path, all); });
      },
      nb::arg("path"), nb::arg("cameras"),
      "Writes what read_cameras() reads: matrices camera_from_world, (4, 4) or (3, 4), by name.");
}

}  // namespace triptych::python::capsule
