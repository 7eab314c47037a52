// Clouds from depth and disparity images, and the files of such images and their cameras.
#include <triptych/capsule_likelihood/cloud.hpp>
#include <triptych/capsule_likelihood/image_file.hpp>

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include "../compute.hpp"
#include "capsule.hpp"
#include "values.hpp"

namespace triptych::python::capsule {

namespace {

constexpr Name<cl::VerticalAxis> vertical_axes[] = {{"up", cl::VerticalAxis::up},
                                                    {"down", cl::VerticalAxis::down}};

nb::tuple to_tuple(const cl::Intrinsics& camera) {
  return nb::make_tuple(camera.fx, camera.fy, camera.cx, camera.cy);
}

// Four numbers, or the matrix [[fx, 0, cx], [0, fy, cy], [0, 0, 1]].
cl::Intrinsics intrinsics_of(nb::handle object) {
  const Array array = host_array<double>(object, "intrinsics");
  const double* const k = array.contiguous<double>();
  if (array.ndim() == 1 && array.size() == 4) return {k[0], k[1], k[2], k[3]};
  if (array.ndim() != 2 || array.shape(0) != 3 || array.shape(1) != 3)
    throw InvalidArgument("intrinsics: expected fx, fy, cx, cy or a matrix (3, 3), not " + array.describe());
  require(k[1] == 0 && k[3] == 0 && k[6] == 0 && k[7] == 0 && k[8] == 1,
          "intrinsics: expected a matrix [[fx, 0, cx], [0, fy, cy], [0, 0, 1]]");
  return {k[0], k[4], k[2], k[5]};
}

// (height, width) with contiguous rows, as in a region of a larger image.
template <class P>
ImageView<const P> image_of(const Array& image, const char* expected) {
  if (!image.is<P>() || image.ndim() != 2)
    throw InvalidArgument(std::string(image.argument()) + ": expected " + expected +
                          " of shape (height, width), not " + image.describe());
  image.require_on_host();
  const std::int64_t height = image.shape(0), width = image.shape(1);
  require(image.size() > 0, image.argument(), ": the image is empty: ", image.describe());
  require((width == 1 || image.stride(1) == 1) && (height == 1 || image.stride(0) >= width), image.argument(),
          ": the pixels of a row must be contiguous, and rows must follow each other");
  const std::int64_t pitch = height == 1 ? width : image.stride(0);
  return {static_cast<const P*>(image.data()), width, height, pitch * static_cast<std::int64_t>(sizeof(P))};
}

template <class P>
nb::object numpy_image(Image<P> image) {
  const auto height = static_cast<std::size_t>(image.height), width = static_cast<std::size_t>(image.width);
  return to_numpy(std::move(image.pixels), {height, width});
}

cl::StereoCalibration make_calibration(nb::handle intrinsics, double baseline_m, double offset_px, int width,
                                       int height) {
  return {intrinsics_of(intrinsics), offset_px, baseline_m, width, height};
}
nb::tuple arguments_of(const cl::StereoCalibration& self) {
  return nb::make_tuple(to_tuple(self.left), self.baseline_m, self.offset_px, self.width, self.height);
}

void bind_calibration(nb::module_& m) {
  auto type = nb::class_<cl::StereoCalibration>(
      m, "StereoCalibration",
      "A pair of cameras, rectified: the depth is baseline_m * fx / (disparity + offset_px).");
  type.def(
          "__init__",
          [](cl::StereoCalibration* self, ArrayLike intrinsics, double baseline_m, double offset_px,
             Whole<"width"> width, Whole<"height"> height) {
            new (self)
                cl::StereoCalibration(make_calibration(intrinsics, baseline_m, offset_px, width, height));
          },
          nb::arg("intrinsics"), nb::arg("baseline_m"), nb::arg("offset_px") = 0.0, nb::arg("width") = 0,
          nb::arg("height") = 0,
          "intrinsics: of the left camera: fx, fy, cx, cy in pixels, or a matrix (3, 3). offset_px: the "
          "difference of the cameras' cx. width, height: of the images; 0: not given.")
      .def_prop_ro(
          "intrinsics", [](const cl::StereoCalibration& self) { return to_tuple(self.left); },
          "fx, fy, cx, cy of the left camera, in pixels.",
          nb::sig("def intrinsics(self) -> tuple[float, float, float, float]"))
      .def_ro("baseline_m", &cl::StereoCalibration::baseline_m)
      .def_ro("offset_px", &cl::StereoCalibration::offset_px)
      .def_ro("width", &cl::StereoCalibration::width)
      .def_ro("height", &cl::StereoCalibration::height)
      .def("__reduce__",
           [](nb::handle self) {
             return nb::make_tuple(nb::borrow(self.type()),
                                   arguments_of(nb::cast<const cl::StereoCalibration&>(self)));
           })
      .def("__repr__", [](const cl::StereoCalibration& self) {
        return "StereoCalibration" + nb::cast<std::string>(nb::repr(arguments_of(self)));
      });
  bind_equality(type, [](const cl::StereoCalibration& a, const cl::StereoCalibration& b) {
    return arguments_of(a).equal(arguments_of(b));
  });
  m.def(
      "read_calibration",
      [](const std::filesystem::path& path) { return compute([&] { return cl::read_calibration(path); }); },
      nb::arg("path"),
      "Reads calib.txt of the Middlebury stereo data (version 3). ParseError with the line and the reason.");
}

constexpr const char* cloud_doc =
    "nearest_m, farthest_m: the range of depths that is kept. y: \"up\" or \"down\", the direction of\n"
    "y of the points; the rows of images go down.\n"
    "step: takes every step-th column and row. InvalidArgument when the image, the camera or an\n"
    "option is not as said.";

}  // namespace

void bind_cameras(nb::module_& m) {
  bind_calibration(m);
  constexpr float infinity = std::numeric_limits<float>::infinity();
  m.def(
      "cloud_from_depth",
      [](ArrayLike depth, ArrayLike intrinsics, double metres_per_unit, float nearest_m, float farthest_m,
         std::string_view y, Whole<"step"> step) {
        const Array array(depth, "depth");
        const auto image = image_of<std::uint16_t>(array, "uint16");
        const cl::Intrinsics camera = intrinsics_of(intrinsics);
        const cl::DepthOptions options{metres_per_unit, nearest_m, farthest_m,
                                       parse_name(y, "y", vertical_axes), step};
        return compute([&] { return cl::cloud_from_depth(image, camera, options); });
      },
      nb::arg("depth"), nb::arg("intrinsics"), nb::kw_only(), nb::arg("metres_per_unit") = 0.001,
      nb::arg("nearest_m") = 0.0f, nb::arg("farthest_m") = infinity, nb::arg("y") = "up", nb::arg("step") = 1,
      nb::sig("def cloud_from_depth(depth: numpy.typing.ArrayLike, intrinsics: numpy.typing.ArrayLike, *, "
              "metres_per_unit: float = 0.001, nearest_m: float = 0.0, farthest_m: float = float('inf'), y: "
              "str = 'up', step: int = 1) -> Cloud"),
      (std::string(
           "A point for each pixel of a depth image, row by row; a Cloud.\n"
           "\n"
           "depth: (height, width) uint16, distances along z in units of metres_per_unit; 0 is no\n"
           "measurement. Rows may lie apart.\n"
           "intrinsics: fx, fy, cx, cy in pixels, the centre of the first pixel at (0, 0); or a matrix\n"
           "(3, 3).\n") +
       cloud_doc)
          .c_str());
  m.def(
      "cloud_from_disparity",
      [](ArrayLike disparity, const cl::StereoCalibration& calibration, float nearest_m, float farthest_m,
         std::string_view y, Whole<"step"> step) {
        const Array array(disparity, "disparity");
        const auto image = image_of<float>(array, "float32");
        cl::DepthOptions options;
        options.nearest_m = nearest_m;
        options.farthest_m = farthest_m;
        options.y = parse_name(y, "y", vertical_axes);
        options.step = step;
        return compute([&] { return cl::cloud_from_disparity(image, calibration, options); });
      },
      nb::arg("disparity"), nb::arg("calibration"), nb::kw_only(), nb::arg("nearest_m") = 0.0f,
      nb::arg("farthest_m") = infinity, nb::arg("y") = "up", nb::arg("step") = 1,
      nb::sig(
          "def cloud_from_disparity(disparity: numpy.typing.ArrayLike, calibration: StereoCalibration, *, "
          "nearest_m: float = 0.0, farthest_m: float = float('inf'), y: str = 'up', step: int = 1) -> Cloud"),
      (std::string(
           "A point for each pixel of a disparity image of the left camera, row by row; a Cloud.\n"
           "\n"
           "disparity: (height, width) float32, in pixels. One that is not finite, or not above 0 with\n"
           "its offset, is dropped. Rows may lie apart.\n") +
       cloud_doc)
          .c_str());
  m.def(
      "read_pgm",
      [](const std::filesystem::path& path) {
        return ShortArray(numpy_image(compute([&] { return cl::read_pgm(path); })));
      },
      nb::arg("path"),
      "Reads a binary PGM file (P5) of 8 or 16 bits: (height, width) uint16. ParseError with the line and "
      "the reason.");
  m.def(
      "read_pfm",
      [](const std::filesystem::path& path) {
        return FloatArray(numpy_image(compute([&] { return cl::read_pfm(path); })));
      },
      nb::arg("path"),
      "Reads a PFM file of one channel (Pf): (height, width) float32, the first row at the top. ParseError "
      "with the line and the reason.");
}

}  // namespace triptych::python::capsule
