// A body and a first pose: from the joints that a sensor's software found, or from a cloud alone.
#include <triptych/capsule_likelihood/fit_human.hpp>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "../compute.hpp"
#include "capsule.hpp"
#include "values.hpp"

namespace triptych::python::capsule {

namespace {

// Positions: (n, 3) numbers, converted when they are of another type.
std::vector<cl::Vec3> places_of(nb::handle object, const char* argument, std::size_t count) {
  const Array array = host_array<float>(object, argument);
  if (array.ndim() != 2 || array.shape(0) != static_cast<std::int64_t>(count) || array.shape(1) != 3)
    throw InvalidArgument(std::string(argument) + ": expected numbers of shape (" + std::to_string(count) +
                          ", 3), not " + array.describe());
  const auto* const first = static_cast<const cl::Vec3*>(array.data());
  return {first, first + count};
}

// FittedHuman with a Skeleton of Python's side.
struct FittedBody {
  Body skeleton;
  cl::FittedPose start;
};

nb::object pose_of(const cl::FittedPose& self) { return to_numpy(self.pose, {self.pose.size()}); }

void bind_results(nb::module_& m) {
  auto pose = nb::class_<cl::FittedPose>(m, "FittedPose", "A pose that was fitted to positions.");
  pose.def_prop_ro(
          "pose", [](const cl::FittedPose& self) { return FloatArray(pose_of(self)); },
          "(pose_size,) float32.")
      .def_ro("mean_error_m", &cl::FittedPose::mean_error_m,
              "Between the given positions and those of the pose, in metres.")
      .def("__getstate__",
           [](const cl::FittedPose& self) { return nb::make_tuple(to_bytes(self.pose), self.mean_error_m); })
      .def("__setstate__",
           [](cl::FittedPose& self, const nb::tuple& state) {
             cl::FittedPose fitted{from_bytes<float>(state[0]), nb::cast<double>(state[1])};
             new (&self) cl::FittedPose(std::move(fitted));
           })
      .def("__repr__", [](const cl::FittedPose& self) {
        return "<FittedPose: " + std::to_string(self.pose.size()) +
               " numbers, mean_error_m=" + text_of(self.mean_error_m) + ">";
      });
  const auto same_pose = [](const cl::FittedPose& a, const cl::FittedPose& b) {
    return a.pose == b.pose && a.mean_error_m == b.mean_error_m;
  };
  bind_equality(pose, same_pose);

  auto human =
      nb::class_<FittedBody>(m, "FittedHuman", "A skeleton and a pose that were fitted to positions.");
  human.def_ro("skeleton", &FittedBody::skeleton)
      .def_ro("start", &FittedBody::start, "Its pose, a FittedPose.")
      .def("__getstate__", [](const FittedBody& self) { return nb::make_tuple(self.skeleton, self.start); })
      .def("__setstate__",
           [](FittedBody& self, const nb::tuple& state) {
             new (&self) FittedBody{nb::cast<Body>(state[0]), nb::cast<cl::FittedPose>(state[1])};
           })
      .def("__repr__", [](const FittedBody& self) {
        return "<FittedHuman: " + std::to_string(self.skeleton.joint_count()) +
               " joints, mean_error_m=" + text_of(self.start.mean_error_m) + ">";
      });
  bind_equality(human, [same_pose](const FittedBody& a, const FittedBody& b) {
    return same(a.skeleton, b.skeleton) && same_pose(a.start, b.start);
  });

  auto person = nb::class_<cl::StandingPerson>(m, "StandingPerson", "A standing person in a cloud.");
  person.def_ro("height_m", &cl::StandingPerson::height_m)
      .def_prop_ro(
          "root", [](const cl::StandingPerson& self) { return to_tuple(self.root); },
          "Where the root of human(height_m) is, in metres.",
          nb::sig("def root(self) -> tuple[float, float, float]"))
      .def("__getstate__",
           [](const cl::StandingPerson& self) { return nb::make_tuple(self.height_m, to_tuple(self.root)); })
      .def("__setstate__",
           [](cl::StandingPerson& self, const nb::tuple& state) {
             new (&self) cl::StandingPerson{nb::cast<float>(state[0]), place_of(state[1], "state")};
           })
      .def("__repr__", [](const cl::StandingPerson& self) {
        return "StandingPerson(height_m=" + text_of(shown(self.height_m)) +
               ", root=" + nb::cast<std::string>(nb::repr(to_tuple(self.root))) + ")";
      });
  bind_equality(person, [](const cl::StandingPerson& a, const cl::StandingPerson& b) {
    return a.height_m == b.height_m && a.root == b.root;
  });

  nb::class_<cl::KinectJoint>(m, "KinectJoint",
                              "Where a joint of the Kinect lies in human(): between two of its joints.")
      .def_prop_ro(
          "kinect", [](const cl::KinectJoint& self) { return std::string(self.kinect); },
          "Its name, as in head, shoulder_center, left_elbow.")
      .def_prop_ro(
          "from_joint", [](const cl::KinectJoint& self) { return std::string(self.from); },
          "The joint of human() at share 0.")
      .def_prop_ro(
          "to_joint", [](const cl::KinectJoint& self) { return std::string(self.to); },
          "The joint of human() at share 1.")
      .def_ro("share", &cl::KinectJoint::share, "The share of the way.")
      .def("__repr__", [](const cl::KinectJoint& self) {
        return "KinectJoint('" + std::string(self.kinect) + "', from_joint='" + std::string(self.from) +
               "', to_joint='" + std::string(self.to) + "', share=" + text_of(shown(self.share)) + ")";
      });
}

// fit: fit_radii or fit_body.
template <typename Fit>
auto fitted_to_cloud(Fit fit, const Body& skeleton, ArrayLike pose, ArrayLike points, ArrayLike camera) {
  const Array wanted = pose_array(pose, skeleton, "pose");
  const Array cloud = cloud_array(points, "points");
  const auto span = host_points(cloud);
  require(!span.empty(), "points: there are none");
  const cl::Vec3 from = place_of(camera, "camera");
  return compute([&] { return fit(skeleton, pose_span(wanted), span, from); });
}

}  // namespace

void bind_fit(nb::module_& m) {
  bind_results(m);
  m.def(
      "kinect_joints",
      [] {
        const auto all = cl::kinect_joints();
        return std::vector<cl::KinectJoint>(all.begin(), all.end());
      },
      "The 20 joints of the Kinect.");
  m.def(
      "positions_of",
      [](const Body& skeleton, ArrayLike joints, Anything names) {
        const auto places = places_of(joints, "joints", static_cast<std::size_t>(skeleton.joint_count()));
        const auto wanted = texts_of(names, "names");
        return FloatArray(
            numpy_of(naming("names", [&] { return cl::positions_of(skeleton, places, wanted); })));
      },
      nb::arg("skeleton"), nb::arg("joints"), nb::arg("names"),
      nb::sig("def positions_of(skeleton: Skeleton, joints: numpy.typing.ArrayLike, names: "
              "collections.abc.Iterable[str]) -> numpy.typing.NDArray[numpy.float32]"),
      "(names, 3) float32: the positions of the Kinect's joints, in the order of the names, for the\n"
      "joints of a posed human(), (24, 3).\n"
      "A name may also be one of the human's own joints. InvalidArgument for other names.");
  m.def(
      "fit_pose",
      [](const Body& skeleton, Anything names, ArrayLike positions, Anything start) {
        const auto wanted = texts_of(names, "names");
        const auto places = places_of(positions, "positions", wanted.size());
        if (start.is_none()) return compute([&] { return cl::fit_pose(skeleton, wanted, places); });
        const Array pose = pose_array(start, skeleton, "start");
        return compute([&] { return cl::fit_pose(skeleton, wanted, places, pose_span(pose)); });
      },
      nb::arg("skeleton"), nb::arg("names"), nb::arg("positions"), nb::arg("start") = nb::none(),
      nb::sig("def fit_pose(skeleton: Skeleton, names: collections.abc.Iterable[str], positions: "
              "numpy.typing.ArrayLike, start: numpy.typing.ArrayLike | None = None) -> FittedPose"),
      "The pose of a human(), within its limits, that is nearest to the given positions; a\n"
      "FittedPose.\n"
      "\n"
      "names: of kinect_joints(), or of the human's own. positions: (names, 3) in metres; NaN is\n"
      "ignored. start: a pose to begin with; None: from the hips and shoulders, which must then be\n"
      "among the names. InvalidArgument for unknown names and positions beyond 1000 km.");
  m.def(
      "fit_human",
      [](Anything names, ArrayLike positions) {
        const auto wanted = texts_of(names, "names");
        const auto places = places_of(positions, "positions", wanted.size());
        cl::FittedHuman fitted = compute([&] { return cl::fit_human(wanted, places); });
        return FittedBody{std::move(fitted.skeleton), std::move(fitted.start)};
      },
      nb::arg("names"), nb::arg("positions"),
      nb::sig("def fit_human(names: collections.abc.Iterable[str], positions: numpy.typing.ArrayLike) -> "
              "FittedHuman"),
      "A human with the lengths and widths that the positions have, and its pose; a FittedHuman.\n"
      "\n"
      "names, positions: as of fit_pose(). Hips, knees, ankles, shoulders, elbows and wrists must\n"
      "be among them and finite.");
  m.def(
      "fit_radii",
      [](const Body& skeleton, ArrayLike pose, ArrayLike points, ArrayLike camera) {
        return Body(fitted_to_cloud(cl::fit_radii, skeleton, pose, points, camera));
      },
      nb::arg("skeleton"), nb::arg("pose"), nb::arg("points"),
      nb::arg("camera") = nb::make_tuple(0.0, 0.0, 0.0),
      "The human() with the radii of its torso, head, arms and legs scaled (each by 0.6 to 2) so\n"
      "that it explains a cloud, (n, 3) float32, best in a pose.\n"
      "InvalidArgument when the pose does not fit or is not finite, the camera is not finite, or\n"
      "there are no points.");
  m.def(
      "fit_body",
      [](const Body& skeleton, ArrayLike pose, ArrayLike points, ArrayLike camera) {
        cl::FittedBody fitted = fitted_to_cloud(cl::fit_body, skeleton, pose, points, camera);
        return nb::make_tuple(Body(std::move(fitted.skeleton)), to_numpy(fitted.pose, {fitted.pose.size()}));
      },
      nb::arg("skeleton"), nb::arg("pose"), nb::arg("points"),
      nb::arg("camera") = nb::make_tuple(0.0, 0.0, 0.0),
      nb::sig("def fit_body(skeleton: Skeleton, pose: numpy.typing.ArrayLike, points: "
              "numpy.typing.ArrayLike, camera: numpy.typing.ArrayLike = (0.0, 0.0, 0.0)) -> tuple[Skeleton, "
              "numpy.typing.NDArray[numpy.float32]]"),
      "fit_radii() for a pose that find() has found with the usual radii: (skeleton, pose).\n"
      "\n"
      "A body that is thinner than the person is found too near to the camera: the distance of the\n"
      "root is fitted together with the radii. InvalidArgument as of fit_radii().");
  m.def(
      "find_standing_person",
      [](ArrayLike points) {
        const Array cloud = cloud_array(points, "points");
        const auto span = host_points(cloud);
        return naming("points", [&] { return compute([&] { return cl::find_standing_person(span); }); });
      },
      nb::arg("points"),
      "A standing person alone in a cloud, (n, 3) float32, y up: how tall, and where its root is; a\n"
      "StandingPerson.\n"
      "InvalidArgument when there are fewer than 50 points that are finite.");
}

}  // namespace triptych::python::capsule
