// head_pose(), HeadPose and PoseSmoother.
#include <triptych/aam_fit/head_pose.hpp>

#include <algorithm>
#include <cmath>

#include "aam.hpp"

namespace triptych::python {

using aam_fit::HeadPose;
using aam_fit::PinholeCamera;
using aam_fit::Point3;
using aam_fit::PoseSmoother;
using aam_fit::Shape;

namespace {

template <std::size_t n>
nb::object array_of(const std::array<double, n>& values, std::initializer_list<std::size_t> shape) {
  return to_numpy(std::vector<double>(values.begin(), values.end()), shape);
}

PinholeCamera camera_from(double focal, nb::handle centre) {
  constexpr double max_px = 1e6;
  require(focal >= 1 && focal <= max_px, "focal: expected 1 to ", max_px, " pixels, not ", focal);
  const Array array = host_array<double>(centre, "centre");
  array.require_shape({2}, "2 numbers (x, y), in pixels");
  const double* const at = array.contiguous<double>();
  require(std::abs(at[0]) <= max_px && std::abs(at[1]) <= max_px, "centre: expected numbers within ", max_px,
          " pixels, not ", at[0], ", ", at[1]);
  return {focal, at[0], at[1]};
}

std::vector<Point3> reference_of(nb::handle reference) {
  const Array array = host_array<double>(reference, "reference");
  array.require_shape({-1, 3}, "points (n, 3), in metres");
  const double* const at = array.contiguous<double>();
  std::vector<Point3> points(static_cast<std::size_t>(array.shape(0)));
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = {at[3 * i], at[3 * i + 1], at[3 * i + 2]};
  return points;
}

std::vector<double> weights_of(nb::handle weights) {
  if (weights.is_none()) return {};
  const Array array = host_array<double>(weights, "weights");
  array.require_shape({-1}, "a number for each landmark");
  require(array.shape(0) > 0, "weights: there are none");
  const double* const values = array.contiguous<double>();
  return {values, values + array.shape(0)};
}

HeadPose head_pose(nb::handle landmarks, double focal, nb::handle centre, nb::handle reference,
                   nb::handle weights, double length_deviation) {
  const Shape shape = shape_of(landmarks, "landmarks");
  const PinholeCamera camera = camera_from(focal, centre);
  const std::vector<double> given = weights_of(weights);
  const aam_fit::HeadPoseOptions options{.length_deviation = length_deviation, .weights = given};
  if (reference.is_none()) return estimate_head_pose(shape, camera, options);
  return estimate_head_pose(shape, reference_of(reference), camera, options);
}

auto fields_of(const HeadPose& p) {
  return std::tie(p.camera_from_head, p.quaternion, p.x_m, p.y_m, p.z_m, p.yaw, p.pitch, p.roll, p.covariance,
                  p.length_factor, p.error_px, p.error, p.converged);
}

nb::object numbers_of(const HeadPose& p) {
  std::vector<double> all(p.camera_from_head.begin(), p.camera_from_head.end());
  all.insert(all.end(), p.quaternion.begin(), p.quaternion.end());
  for (const double value :
       {p.x_m, p.y_m, p.z_m, p.yaw, p.pitch, p.roll, p.length_factor, p.error_px, p.error})
    all.push_back(value);
  all.insert(all.end(), p.covariance.begin(), p.covariance.end());
  return to_numpy(std::move(all), {58});
}

HeadPose pose_of(const nb::tuple& state) {
  const Array array(state[0], "state");
  array.require_shape({58}, "the numbers of a HeadPose");
  const double* from = array.contiguous<double>();
  HeadPose p;
  const auto take = [&](auto& to) {
    std::copy_n(from, to.size(), to.begin());
    from += to.size();
  };
  take(p.camera_from_head);
  take(p.quaternion);
  for (double* value :
       {&p.x_m, &p.y_m, &p.z_m, &p.yaw, &p.pitch, &p.roll, &p.length_factor, &p.error_px, &p.error})
    *value = *from++;
  take(p.covariance);
  p.converged = nb::cast<bool>(state[1]);
  return p;
}

#define TRIPTYCH_DOUBLES(name) nb::sig("def " name "(self) -> numpy.typing.NDArray[numpy.float64]")

void bind_result(nb::module_& m) {
  nb::class_<HeadPose>(
      m, "HeadPose",
      "The pose of a head in the camera's axes: x to the right of the image, y down, z away from the "
      "camera.\n\n"
      "camera = rotation @ head + translation. The head's axes are the same when it faces the camera; its "
      "origin\nis the point midway between the eyes.")
      .def_prop_ro(
          "rotation",
          [](const HeadPose& p) {
            return array_of(p.camera_from_head, {3, 3});
          },
          TRIPTYCH_DOUBLES("rotation"), "The matrix from the head's axes to the camera's, (3, 3) float64.")
      .def_prop_ro(
          "translation",
          [](const HeadPose& p) {
            return to_numpy(std::vector<double>{p.x_m, p.y_m, p.z_m}, {3});
          },
          TRIPTYCH_DOUBLES("translation"), "The point between the eyes in metres, (3,) float64.")
      .def_prop_ro(
          "quaternion", [](const HeadPose& p) { return array_of(p.quaternion, {4}); },
          TRIPTYCH_DOUBLES("quaternion"), "The rotation as (w, x, y, z), (4,) float64.")
      .def_ro("yaw", &HeadPose::yaw, "Radians; above 0 the nose points to the right of the image.")
      .def_ro("pitch", &HeadPose::pitch, "Radians; above 0 the nose points up.")
      .def_ro("roll", &HeadPose::roll, "Radians; above 0 the head leans clockwise in the image.")
      .def_prop_ro(
          "covariance",
          [](const HeadPose& p) {
            return array_of(p.covariance, {6, 6});
          },
          TRIPTYCH_DOUBLES("covariance"),
          "Of yaw, pitch, roll (radians) and the translation (metres), (6, 6) float64. It does not contain "
          "what a wrong focal length\nor another size of the head than the mean does to the distance.")
      .def_ro("length_factor", &HeadPose::length_factor, "Length of the face over that of the reference.")
      .def_ro(
          "error_px", &HeadPose::error_px,
          "Root of the weighted mean squared distance between the landmarks and the reference, in pixels.")
      .def_ro("error", &HeadPose::error, "The same over the face's size.")
      .def_ro("converged", &HeadPose::converged, "False when the iterations ran out.")
      .def(
          "__eq__",
          [](const HeadPose& self, nb::handle other) {
            return nb::isinstance<HeadPose>(other) &&
                   fields_of(self) == fields_of(nb::cast<const HeadPose&>(other));
          },
          nb::arg("other").none())
      .def("__getstate__", [](const HeadPose& p) { return nb::make_tuple(numbers_of(p), p.converged); })
      .def("__setstate__", [](HeadPose& p, const nb::tuple& state) { new (&p) HeadPose(pose_of(state)); })
      .def("__repr__", [](const HeadPose& p) {
        return "HeadPose(yaw=" + text_of(p.yaw) + ", pitch=" + text_of(p.pitch) +
               ", roll=" + text_of(p.roll) + ", translation=(" + text_of(p.x_m) + ", " + text_of(p.y_m) +
               ", " + text_of(p.z_m) + "), error_px=" + text_of(p.error_px) + ")";
      });
}

// The options of one of the three filters.
OneEuroOptions filter_of(double min_cutoff_hz, const char* keyword, double beta, double speed_cutoff_hz) {
  require(beta >= 0 && beta <= OneEuro::max_beta, keyword, ": expected 0 to ", OneEuro::max_beta, ", not ",
          beta);
  return {min_cutoff_hz, beta, speed_cutoff_hz};
}

void bind_smoother(nb::module_& m) {
  const aam_fit::PoseSmootherOptions o;
  nb::class_<PoseSmoother>(
      m, "PoseSmoother",
      "Smooths the poses of a video by One-Euro filters: still heads a lot, moving heads little.\n\n"
      "Call reset() when the face was lost.")
      .def(
          "__init__",
          [](PoseSmoother* self, double min_cutoff_hz, double direction_beta, double distance_beta,
             double rotation_beta, double speed_cutoff_hz) {
            new (self)
                PoseSmoother({filter_of(min_cutoff_hz, "direction_beta", direction_beta, speed_cutoff_hz),
                              filter_of(min_cutoff_hz, "distance_beta", distance_beta, speed_cutoff_hz),
                              filter_of(min_cutoff_hz, "rotation_beta", rotation_beta, speed_cutoff_hz)});
          },
          nb::kw_only(), nb::arg("min_cutoff_hz") = o.direction.min_cutoff_hz,
          nb::arg("direction_beta") = o.direction.beta, nb::arg("distance_beta") = o.distance.beta,
          nb::arg("rotation_beta") = o.rotation.beta,
          nb::arg("speed_cutoff_hz") = o.direction.speed_cutoff_hz,
          "direction_beta, rotation_beta: how much a speed in radians per second raises the cut-off, in "
          "hertz; "
          "distance_beta: the\nsame for the change of the distance over itself per second. InvalidArgument "
          "unless the cut-offs are above 0 and the others not below.")
      .def("__call__", &PoseSmoother::smooth, nb::arg("pose"), nb::arg("seconds") = 1.0 / 30,
           nb::sig("def __call__(self, pose: HeadPose, seconds: float = 1 / 30) -> HeadPose"),
           "The next HeadPose with smoothed rotation and translation; seconds since the last one, above 0.")
      .def("reset", &PoseSmoother::reset, "As newly made.")
      .def("__repr__", [](const PoseSmoother&) { return "<triptych.aam: smoother of head poses>"; });
}

}  // namespace

void bind_aam_pose(nb::module_& m) {
  bind_result(m);
  bind_smoother(m);
  m.def(
      "mean_face_68",
      [] {
        const auto& face = aam_fit::mean_face_68();
        return to_numpy_of<double>(face.data(), face.size(), {face.size(), 3});
      },
      nb::sig("def mean_face_68() -> numpy.typing.NDArray[numpy.float64]"),
      "The 68 landmarks of 300-W on the mean face of an adult, (68, 3) in metres: x to the right of the "
      "image, y down, z away from\nthe camera, from the point midway between the eyes.");
  const aam_fit::HeadPoseOptions defaults;
  m.def(
      "head_pose", &head_pose, nb::arg("landmarks").none(), nb::kw_only(), nb::arg("focal"),
      nb::arg("centre").none(), nb::arg("reference") = nb::none(), nb::arg("weights") = nb::none(),
      nb::arg("length_deviation") = defaults.length_deviation,
      nb::sig(
          "def head_pose(landmarks: numpy.typing.ArrayLike, *, focal: float, centre: "
          "collections.abc.Sequence[float] | numpy.typing.ArrayLike, reference: numpy.typing.ArrayLike | "
          "None = None, weights: numpy.typing.ArrayLike | None = None, length_deviation: float = 0.06) -> "
          "HeadPose"),
      "The HeadPose with six degrees of freedom, from the landmarks of a face.\n\n"
      "landmarks: (68, 2) in the order of 300-W, in pixels; or (n, 2) with a reference.\n"
      "focal, centre: the focal length and where the optical axis passes, (x, y), in pixels. When unknown: "
      "the "
      "width of the image, and\n((width - 1) / 2, (height - 1) / 2). A wrong focal length makes the distance "
      "wrong by the same factor.\n"
      "reference: (n, 3), a point in metres for each landmark, in the axes of mean_face_68(), which is the "
      "default.\n"
      "weights: (n,), of each landmark; by default 0 for the jaw's contour, 0.5 for the mouth and 1 for the "
      "others of the 68, and 1 with a\nreference.\n"
      "length_deviation: the standard deviation of the faces' length against the reference; 0: the reference "
      "is exact.\n"
      "InvalidArgument when an argument is out of range, or the landmarks lie on a line.");
}

}  // namespace triptych::python
