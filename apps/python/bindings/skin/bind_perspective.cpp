// OneEuro, and head-coupled perspective.
#include <triptych/skin_tracker/one_euro.hpp>
#include <triptych/skin_tracker/perspective.hpp>
#include <triptych/skin_tracker/tracker.hpp>

#include <nanobind/stl/string.h>

#include "skin.hpp"
#include "values.hpp"

namespace triptych::python {

namespace {

using namespace skin_tracker;

// An Eye, or three numbers.
Eye eye_from(nb::handle eye) {
  if (nb::isinstance<Eye>(eye)) return nb::cast<Eye>(eye);
  const Array array = host_array<double>(eye, "eye");
  array.require_shape({3}, "an Eye, or 3 numbers (x_m, y_m, z_m)");
  const double* const v = array.contiguous<double>();
  return {v[0], v[1], v[2]};
}

void bind_types(nb::module_& m) {
  auto eye = nb::class_<Eye>(
      m, "Eye",
      "The eye in metres, from the middle of the screen: x to the right, y up, z towards the viewer.");
  bind_values(eye, "Eye", Field{"x_m", &Eye::x_m, "To the right."}, Field{"y_m", &Eye::y_m, "Up."},
              Field{"z_m", &Eye::z_m, "Towards the viewer."});
  eye.def(
         "__init__",
         [](Eye* self, double x, double y, double z) {
           new (self) Eye{x, y, z};
         },
         nb::arg("x_m"), nb::arg("y_m"), nb::arg("z_m"))
      .def(
          "__array__",
          [](const Eye& self, nb::handle dtype, nb::handle) {
            const nb::object array = to_numpy(std::vector<double>{self.x_m, self.y_m, self.z_m}, {3});
            return dtype.is_none() ? array : array.attr("astype")(dtype);
          },
          nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none(),
          nb::sig(
              "def __array__(self, dtype: numpy.typing.DTypeLike | None = None, copy: bool | None = None) "
              "-> numpy.ndarray"),
          "(3,) float64.");
  auto frustum =
      nb::class_<Frustum>(m, "Frustum", "Extents of a view at the near plane, as glFrustum takes them.");
  bind_values(frustum, "Frustum", Field{"left", &Frustum::left, "At the near plane."},
              Field{"right", &Frustum::right, "At the near plane."},
              Field{"bottom", &Frustum::bottom, "At the near plane."},
              Field{"top", &Frustum::top, "At the near plane."},
              Field{"near", &Frustum::near, "The distance of the near plane."},
              Field{"far", &Frustum::far, "The distance of the far plane."});
  frustum.def(
      "__init__",
      [](Frustum* self, double left, double right, double bottom, double top, double near, double far) {
        new (self) Frustum{left, right, bottom, top, near, far};
      },
      nb::arg("left"), nb::arg("right"), nb::arg("bottom"), nb::arg("top"), nb::arg("near"), nb::arg("far"));
}

}  // namespace

void bind_one_euro(nb::module_& m) {
  const OneEuroOptions defaults;
  nb::class_<OneEuro>(m, "OneEuro",
                      "The One-Euro filter: smooth when the signal is slow, quick when it is fast.\n\n"
                      ">>> smooth = OneEuro(min_cutoff_hz=1.0)\n>>> smooth(2.5, seconds=1 / 30)\n2.5")
      .def(
          "__init__",
          [](OneEuro* self, double min_cutoff_hz, double beta, double speed_cutoff_hz) {
            new (self) OneEuro({min_cutoff_hz, beta, speed_cutoff_hz});
          },
          nb::kw_only(), nb::arg("min_cutoff_hz") = defaults.min_cutoff_hz, nb::arg("beta") = defaults.beta,
          nb::arg("speed_cutoff_hz") = defaults.speed_cutoff_hz,
          "beta: how much speed (units a second) raises the cut-off. InvalidArgument unless the cut-offs are "
          "above 0 and beta is not below.")
      .def("__call__", &OneEuro::filter, nb::arg("value"), nb::arg("seconds") = 1.0 / 30,
           nb::sig("def __call__(self, value: float, seconds: float = 1 / 30) -> float"),
           "The next value, smoothed; seconds since the last one. InvalidArgument when a number is not "
           "finite or "
           "seconds is not above 0.")
      .def("reset", &OneEuro::reset, "As newly made.")
      .def("__repr__", [](const OneEuro&) { return "<triptych.skin: One-Euro filter>"; });
}

void bind_perspective(nb::module_& m) {
  bind_types(m);
  m.def(
      "off_axis_frustum",
      [](nb::handle eye, double screen_width_m, double screen_height_m, double near_m, double far_m) {
        return off_axis_frustum(eye_from(eye), screen_width_m, screen_height_m, near_m, far_m);
      },
      nb::arg("eye").none(), nb::arg("screen_width_m"), nb::arg("screen_height_m"), nb::arg("near_m"),
      nb::arg("far_m"),
      nb::sig(
          "def off_axis_frustum(eye: Eye | numpy.typing.ArrayLike, screen_width_m: float, screen_height_m: "
          "float, near_m: float, far_m: float) -> Frustum"),
      "The Frustum of an eye that looks at a screen as through a window.\n\n"
      "eye: an Eye or 3 numbers, in metres from the middle of the screen. InvalidArgument unless the screen "
      "has a size, the eye is in\nfront of it and 0 < near_m < far_m.");
  m.def(
      "projection_matrix",
      [](const Frustum& frustum) {
        const std::array<double, 16> columns = projection_matrix(frustum);
        std::vector<double> matrix(16);
        for (std::size_t i = 0; i < 16; ++i) matrix[i % 4 * 4 + i / 4] = columns[i];
        return to_numpy(std::move(matrix), {4, 4});
      },
      nb::arg("frustum"), nb::sig("def projection_matrix(frustum: Frustum) -> numpy.ndarray"),
      "The (4, 4) float64 matrix M of clip = M @ eye_space, z from -1 to 1; OpenGL takes M.T in C order.\n\n"
      "InvalidArgument unless left < right, bottom < top and 0 < near < far.");
  constexpr const char* doc =
      "Where the eye of a head is: at this place of the frame and this distance (along z), in pixels and "
      "metres.\n\n"
      "The camera sits in the plane of the screen, above_screen_middle_m above its middle, looks along z at "
      "the viewer, and has that\n"
      "horizontal angle of view. mirrored: the frame shows the user as a mirror does.\n"
      "InvalidArgument for a camera that cannot be, a position that is not finite, or a distance that is not "
      "above 0.";
  m.def(
      "eye_of",
      [](double x_px, double y_px, double distance_m, Whole<"width_px"> width_px,
         Whole<"height_px"> height_px, double angle_of_view_rad, double above_screen_middle_m,
         bool mirrored) {
        return eye_of(x_px, y_px, distance_m,
                      {width_px, height_px, angle_of_view_rad, above_screen_middle_m, mirrored});
      },
      nb::arg("x_px"), nb::arg("y_px"), nb::arg("distance_m"), nb::kw_only(), nb::arg("width_px"),
      nb::arg("height_px"), nb::arg("angle_of_view_rad") = 1.047, nb::arg("above_screen_middle_m") = 0.0,
      nb::arg("mirrored") = false, doc);
  m.def(
      "eye_of",
      [](const TrackedHead& head, Whole<"width_px"> width_px, Whole<"height_px"> height_px,
         double angle_of_view_rad, double above_screen_middle_m, bool mirrored) {
        return eye_of(head.x_px, head.y_px, head.distance_m,
                      {width_px, height_px, angle_of_view_rad, above_screen_middle_m, mirrored});
      },
      nb::arg("head"), nb::kw_only(), nb::arg("width_px"), nb::arg("height_px"),
      nb::arg("angle_of_view_rad") = 1.047, nb::arg("above_screen_middle_m") = 0.0,
      nb::arg("mirrored") = false, "The same for a TrackedHead.");
}

}  // namespace triptych::python
