// ParticleFilter.
#include <nanobind/stl/string.h>

#include "../frame_processor.hpp"
#include "follower.hpp"
#include "sensor.hpp"
#include "values.hpp"

namespace triptych::python::capsule {

namespace {

using Self = Held<Follower>;

constexpr Name<cl::MotionModel> motions[] = {{"random_walk", cl::MotionModel::random_walk},
                                             {"constant_velocity", cl::MotionModel::constant_velocity}};

// A cloud, and the sigmas of its points unless None.
struct CloudInput {
  CloudInput(Self& self, nb::handle cloud, nb::handle sigma, nb::handle stream)
      : points(cloud_array(cloud, "cloud", stream)) {
    const std::int64_t room = self.get().options().max_points;
    if (points.shape(0) > room)
      throw InvalidArgument("cloud: " + std::to_string(points.shape(0)) +
                            " points are more than max_points=" + std::to_string(room) +
                            "; make the filter with a larger max_points, or see subsample()");
    if (!sigma.is_none()) {
      sigmas.emplace(sigma, "sigma", stream);
      check_sigmas(*sigmas, points);
    }
    points.require_on(self.get().device());
  }

  cl::CloudView host() const {
    return {host_points(points), sigmas ? host_floats(*sigmas) : std::span<const float>()};
  }
  nb::object owner() const {
    return sigmas ? nb::object(nb::make_tuple(points.owner(), sigmas->owner())) : points.owner();
  }

  Array points;
  std::optional<Array> sigmas;
};

cl::Estimate find(Self& self, nb::handle cloud, nb::handle sigma, nb::handle stream) {
  const CloudInput input(self, cloud, sigma, stream);
  auto estimate =
      naming("cloud", [&] { return compute(self.mutex(), [&] { return self.get().find(input.host()); }); });
  self.forget_inputs();
  return estimate;
}

cl::Estimate step(Self& self, nb::handle cloud, nb::handle sigma, nb::handle stream) {
  const CloudInput input(self, cloud, sigma, stream);
  return compute(self.mutex(), [&] { return self.get().step(input.host()); });
}

void submit(Self& self, nb::handle cloud, nb::handle sigma, nb::handle stream) {
  const CloudInput input(self, cloud, sigma, stream);
  compute(self.mutex(), [&] { self.get().submit(input.host()); });
  self.keep(input.owner());
}

void start(Self& self, nb::handle pose) {
  const Array array = pose_array(pose, self.get().skeleton(), "pose");
  naming("pose", [&] { compute(self.mutex(), [&] { self.get().start(pose_span(array)); }); });
  self.forget_inputs();
}

// The keywords of the constructor.
nb::dict options_of(Self& self) {
  const cl::FilterOptions& o = self.get().options();
  nb::dict d;
  d["samples"] = o.samples;
  d["layers"] = o.layers;
  d["seed"] = o.seed;
  d["motion"] = name_of(o.motion, motions);
  d["max_points"] = o.max_points;
  d["min_score"] = o.min_score;
  d["position_spread_m"] = shown(o.position_spread_m);
  d["rotation_spread_rad"] = shown(o.rotation_spread_rad);
  d["limb_spread_m"] = shown(o.limb_spread_m);
  d["max_angle_spread_rad"] = shown(o.max_angle_spread_rad);
  d["min_spread"] = shown(o.min_spread);
  d["start_spread"] = shown(o.start_spread);
  d["shrink"] = shown(o.shrink);
  d["effective_share"] = shown(o.effective_share);
  d["partitioned"] = o.partitioned;
  d["velocity_follow"] = shown(o.velocity_follow);
  d["velocity_damp"] = shown(o.velocity_damp);
  d["loss"] = name_of(o.sensor.loss, losses);
  d["surface"] = name_of(o.sensor.surface, surfaces);
  d["inside"] = name_of(o.sensor.inside, insides);
  d["sigma_m"] = shown(o.sensor.sigma_m);
  d["tau_m"] = shown(o.sensor.tau_m);
  d["camera"] = to_tuple(o.sensor.camera);
  d["device"] = self.get().device_text();
  return d;
}

nb::object pose_of(Self& self) {
  const std::vector<float>& pose = self.get().pose();
  if (pose.empty()) return nb::none();
  return to_numpy(pose, {pose.size()});
}

void bind_constructor(nb::class_<Self>& type) {
  const cl::FilterOptions o;
  type.def(
      "__init__",
      [](Self* self, const Body& skeleton, int samples, int layers, std::uint64_t seed,
         std::string_view motion, std::int64_t max_points, double min_score, float position_spread_m,
         float rotation_spread_rad, float limb_spread_m, float max_angle_spread_rad, float min_spread,
         float start_spread, float shrink, float effective_share, bool partitioned, float velocity_follow,
         float velocity_damp, std::string_view loss, std::string_view surface, std::string_view inside,
         float sigma_m, float tau_m, ArrayLike camera, Anything device) {
        cl::FilterOptions options;
        options.sensor = sensor_of(loss, surface, inside, sigma_m, tau_m, camera);
        options.samples = samples;
        options.layers = layers;
        options.seed = seed;
        options.motion = parse_name(motion, "motion", motions);
        options.max_points = max_points;
        options.min_score = min_score;
        options.position_spread_m = position_spread_m;
        options.rotation_spread_rad = rotation_spread_rad;
        options.limb_spread_m = limb_spread_m;
        options.max_angle_spread_rad = max_angle_spread_rad;
        options.min_spread = min_spread;
        options.start_spread = start_spread;
        options.shrink = shrink;
        options.effective_share = effective_share;
        options.partitioned = partitioned;
        options.velocity_follow = velocity_follow;
        options.velocity_damp = velocity_damp;
        const Device where = device_of(device);
        std::string text = nb::cast<std::string>(nb::str(device));
        Follower follower = compute([&] { return Follower(skeleton, options, where, std::move(text)); });
        new (self) Self(std::move(follower));
      },
      nb::arg("skeleton"), nb::kw_only(), nb::arg("samples") = 0, nb::arg("layers") = o.layers,
      nb::arg("seed") = o.seed, nb::arg("motion") = "constant_velocity", nb::arg("max_points") = o.max_points,
      nb::arg("min_score") = o.min_score, nb::arg("position_spread_m") = shown(o.position_spread_m),
      nb::arg("rotation_spread_rad") = shown(o.rotation_spread_rad),
      nb::arg("limb_spread_m") = shown(o.limb_spread_m),
      nb::arg("max_angle_spread_rad") = shown(o.max_angle_spread_rad),
      nb::arg("min_spread") = shown(o.min_spread), nb::arg("start_spread") = shown(o.start_spread),
      nb::arg("shrink") = shown(o.shrink), nb::arg("effective_share") = shown(o.effective_share),
      nb::arg("partitioned") = o.partitioned, nb::arg("velocity_follow") = shown(o.velocity_follow),
      nb::arg("velocity_damp") = shown(o.velocity_damp), nb::arg("loss") = "squared",
      nb::arg("surface") = "closest", nb::arg("inside") = "exit_surface",
      nb::arg("sigma_m") = shown(o.sensor.sigma_m), nb::arg("tau_m") = shown(o.sensor.tau_m),
      nb::arg("camera") = nb::make_tuple(0.0, 0.0, 0.0), nb::arg("device") = "auto",
      (std::string(
           "samples: 0: 2000 on a GPU, 1000 on a CPU. layers: of annealing per cloud. motion: how the next "
           "pose is "
           "predicted, \"constant_velocity\" or\n"
           "\"random_walk\". max_points: per cloud. min_score: an estimate with a lower score is \"lost\".\n"
           "position_spread_m, rotation_spread_rad (of the root), limb_spread_m (of the far end of what a "
           "joint "
           "moves), max_angle_spread_rad: standard\n"
           "deviations of the motion between two clouds. They shrink while the predictions are good, down to "
           "min_spread of these. start_spread: of the\n"
           "samples about the pose of start(), times the spreads. shrink: factor of the spreads from layer "
           "to "
           "layer.\n"
           "effective_share: of the samples: tempering keeps this share effective; 0: no tempering. "
           "partitioned: "
           "the layers alternate between the trunk and\n"
           "each limb. velocity_follow, velocity_damp: the weight of the last observed motion in the "
           "velocity, and "
           "its factor from cloud to cloud.\n") +
       sensor_doc +
       "\ndevice: \"auto\", \"cpu\", \"cpu:4\", \"cuda:0\", or \"cuda:0,1\"; all give the same bits.\n"
       "InvalidArgument when the skeleton has no capsules or an option is out of range.")
          .c_str());
}

}  // namespace

void bind_filter(nb::module_& m) {
  auto type = nb::class_<Self>(m, "ParticleFilter",
                               "Follows a skeleton through clouds of points, one cloud per frame.\n\n"
                               "filter(cloud) gives an Estimate. A filter that was not started searches for "
                               "the first pose in its first "
                               "cloud, as find() does, which takes the time of\n"
                               "some 60 frames; then the cloud is processed as any other. When the person is "
                               "lost it does not search again "
                               "by itself: call find().\n"
                               "pickle keeps the arguments of the constructor and the pose (of start(), or "
                               "of the last result), with which "
                               "the copy is started; it keeps neither the\n"
                               "samples nor their velocities and spreads, and nothing that is in flight. "
                               "Calls from several threads take "
                               "turns.");
  bind_constructor(type);
  constexpr const char* cloud_doc =
      "\n\ncloud: (n, 3) float32 in C order, metres in the camera's frame, at most max_points; or a Cloud. "
      "Points "
      "that are not finite or not in front of the camera\n"
      "are dropped and counted. sigma: (n,) float32, the standard deviation of each point's distance, above "
      "0; None: "
      "sigma_m of the filter.\n"
      "stream: the CUDA stream on which the arrays are written; without it their library is asked. "
      "InvalidArgument "
      "names the argument.";
  type.def(
          "__call__",
          [](Self& self, ArrayAnywhere cloud, ArrayAnywhere sigma, Anything stream) {
            return step(self, cloud, sigma, stream);
          },
          nb::arg("cloud"), nb::arg("sigma") = nb::none(), nb::kw_only(), nb::arg("stream") = nb::none(),
          (std::string(
               "The pose in the next cloud, an Estimate. Searches first when the filter was not started.") +
           cloud_doc)
              .c_str())
      .def(
          "submit",
          [](Self& self, ArrayAnywhere cloud, ArrayAnywhere sigma, Anything stream) {
            submit(self, cloud, sigma, stream);
          },
          nb::arg("cloud"), nb::arg("sigma") = nb::none(), nb::kw_only(), nb::arg("stream") = nb::none(),
          (std::string(
               "The first half of a call: on one GPU it enqueues the work and returns. next() returns the "
               "Estimates in order. A cloud in GPU memory must not\nchange until then.") +
           cloud_doc)
              .c_str())
      .def(
          "find",
          [](Self& self, ArrayAnywhere cloud, ArrayAnywhere sigma, Anything stream) {
            return find(self, cloud, sigma, stream);
          },
          nb::arg("cloud"), nb::arg("sigma") = nb::none(), nb::kw_only(), nb::arg("stream") = nb::none(),
          (std::string(
               "Searches for an upright body in a cloud when no pose is known, starts the filter there, and "
               "returns the Estimate. Takes the time of some 60\n"
               "frames. Drops what is in flight. InvalidArgument when no point can be used: the filter is "
               "then as before.") +
           cloud_doc)
              .c_str())
      .def(
          "start", [](Self& self, ArrayLike pose) { start(self, pose); }, nb::arg("pose"),
          "The pose of the frame before the first, (pose_size,): the samples are drawn about it. Drops what "
          "is in "
          "flight. InvalidArgument when the pose has\nanother size, is not finite or has no orientation.")
      .def(
          "samples",
          [](Self& self) {
            std::vector<float> values = compute(self.mutex(), [&] { return self.get().samples(); });
            const auto size = static_cast<std::size_t>(self.get().skeleton().pose_size());
            const std::size_t rows = values.size() / size;
            return FloatArray(to_numpy(std::move(values), {rows, size}));
          },
          "(samples, pose_size) float32: the samples after the last cloud. InvalidArgument before start() or "
          "find().")
      .def_prop_ro(
          "skeleton", [](Self& self) { return self.get().skeleton(); }, "The Skeleton.")
      .def_prop_ro("pose", &pose_of, nb::sig("def pose(self) -> numpy.typing.NDArray[numpy.float32] | None"),
                   "The pose of start(), or of the last result; None before.")
      .def_prop_ro("options", &options_of, nb::sig("def options(self) -> dict[str, typing.Any]"),
                   "The keywords of the constructor, as given.")
      .def("__getstate__",
           [](Self& self) { return nb::make_tuple(self.get().skeleton(), options_of(self), pose_of(self)); })
      .def("__setstate__", [](nb::handle self, const nb::tuple& state) {
        self.attr("__init__")(state[0], **nb::borrow<nb::dict>(state[1]));
        if (!state[2].is_none()) self.attr("start")(state[2]);
      });
  bind_frame_processor(type, "ParticleFilter");
  m.def(
      "default_samples", [](Anything device) { return cl::default_samples(device_of(device)); },
      nb::arg("device") = "auto",
      "The number of samples of a filter on that device: 2000 on a GPU, 1000 on a CPU.");
}

}  // namespace triptych::python::capsule
