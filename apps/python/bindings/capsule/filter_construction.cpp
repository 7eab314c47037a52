// The arguments of ParticleFilter, and what pickle keeps of it.
#include <nanobind/stl/string.h>

#include "../exchange.hpp"
#include "extrinsics.hpp"
#include "filter.hpp"
#include "sensor.hpp"
#include "values.hpp"

namespace triptych::python::capsule {

namespace {

constexpr Name<cl::MotionModel> motions[] = {{"random_walk", cl::MotionModel::random_walk},
                                             {"constant_velocity", cl::MotionModel::constant_velocity}};
constexpr Name<cl::FilterSplit> splits[] = {{"samples", cl::FilterSplit::samples},
                                            {"cameras", cl::FilterSplit::cameras}};

// The keywords of the constructor.
nb::dict options_of(HeldFilter& self) {
  const cl::FilterOptions& o = self.get().options();
  nb::dict d;
  d["samples"] = o.samples;
  d["layers"] = o.layers;
  d["seed"] = o.seed;
  d["motion"] = name_of(o.motion, motions);
  d["max_points"] = o.max_points;
  d["min_score"] = o.min_score;
  d["min_confidence"] = o.min_confidence;
  d["search_after_frames"] = o.search_after_frames;
  d["fit_steps"] = o.fit_steps;
  d["recover_limbs"] = o.recover_limbs;
  d["recover_heading"] = o.recover_heading;
  d["position_spread_m"] = shown(o.position_spread_m);
  d["rotation_spread_rad"] = shown(o.rotation_spread_rad);
  d["limb_spread_m"] = shown(o.limb_spread_m);
  d["max_angle_spread_rad"] = shown(o.max_angle_spread_rad);
  d["min_spread"] = shown(o.min_spread);
  d["start_spread"] = shown(o.start_spread);
  d["shrink"] = shown(o.shrink);
  d["effective_share"] = shown(o.effective_share);
  d["max_loss_nats"] = shown(o.max_loss_nats);
  d["partitioned"] = o.partitioned;
  d["velocity_follow"] = shown(o.velocity_follow);
  d["velocity_damp"] = shown(o.velocity_damp);
  d["mean_reversion"] = shown(o.mean_reversion);
  d["loss"] = name_of(o.sensor.loss, losses);
  d["surface"] = name_of(o.sensor.surface, surfaces);
  d["inside"] = name_of(o.sensor.inside, insides);
  d["sigma_m"] = shown(o.sensor.sigma_m);
  d["tau_m"] = shown(o.sensor.tau_m);
  d["camera"] = to_tuple(o.sensor.camera);
  nb::list cameras;
  for (const cl::RigidTransform& camera : o.cameras) cameras.append(matrix_of(camera));
  d["cameras"] = o.cameras.empty() ? nb::object(nb::none()) : nb::object(cameras);
  d["exchange"] = object_of(o.exchange);
  d["split"] = name_of(o.split, splits);
  d["device"] = self.get().device_text();
  return d;
}

nb::object pose_of(HeldFilter& self) {
  std::vector<float> pose = compute(self.mutex(), [&] { return self.get().pose(); });
  if (pose.empty()) return nb::none();
  const std::size_t size = pose.size();
  return to_numpy(std::move(pose), {size});
}

void bind_constructor(nb::class_<HeldFilter>& type) {
  const cl::FilterOptions o;
  type.def(
      "__init__",
      [](HeldFilter* self, const Body& skeleton, Whole<"samples"> samples, Whole<"layers"> layers,
         Whole<"seed", std::uint64_t> seed, std::string_view motion,
         Whole<"max_points", std::int64_t> max_points, double min_score, double min_confidence,
         Whole<"search_after_frames"> search_after_frames, Whole<"fit_steps"> fit_steps, bool recover_limbs,
         bool recover_heading, float position_spread_m, float rotation_spread_rad, float limb_spread_m,
         float max_angle_spread_rad, float min_spread, float start_spread, float shrink,
         float effective_share, float max_loss_nats, bool partitioned, float velocity_follow,
         float velocity_damp, float mean_reversion, std::string_view loss, std::string_view surface,
         std::string_view inside, float sigma_m, float tau_m, ArrayLike camera, Anything cameras,
         Anything exchange, std::string_view split, Anything device) {
        cl::FilterOptions options;
        options.sensor = sensor_of(loss, surface, inside, sigma_m, tau_m, camera);
        options.samples = samples;
        options.layers = layers;
        options.seed = seed;
        options.motion = parse_name(motion, "motion", motions);
        options.max_points = max_points;
        options.min_score = min_score;
        options.min_confidence = min_confidence;
        options.search_after_frames = search_after_frames;
        options.fit_steps = fit_steps;
        options.recover_limbs = recover_limbs;
        options.recover_heading = recover_heading;
        options.position_spread_m = position_spread_m;
        options.rotation_spread_rad = rotation_spread_rad;
        options.limb_spread_m = limb_spread_m;
        options.max_angle_spread_rad = max_angle_spread_rad;
        options.min_spread = min_spread;
        options.start_spread = start_spread;
        options.shrink = shrink;
        options.effective_share = effective_share;
        options.max_loss_nats = max_loss_nats;
        options.partitioned = partitioned;
        options.velocity_follow = velocity_follow;
        options.velocity_damp = velocity_damp;
        options.mean_reversion = mean_reversion;
        options.cameras = transforms_of(cameras, "cameras");
        options.exchange = exchange_of(exchange);
        options.split = parse_name(split, "split", splits);
        const Device where = device_of(device);
        std::string text = nb::cast<std::string>(nb::str(device));
        Follower follower = compute([&] { return Follower(skeleton, options, where, std::move(text)); });
        new (self) HeldFilter(std::move(follower));
      },
      nb::arg("skeleton"), nb::kw_only(), nb::arg("samples") = 0, nb::arg("layers") = o.layers,
      nb::arg("seed") = o.seed, nb::arg("motion") = "constant_velocity", nb::arg("max_points") = o.max_points,
      nb::arg("min_score") = o.min_score, nb::arg("min_confidence") = o.min_confidence,
      nb::arg("search_after_frames") = o.search_after_frames, nb::arg("fit_steps") = o.fit_steps,
      nb::arg("recover_limbs") = o.recover_limbs, nb::arg("recover_heading") = o.recover_heading,
      nb::arg("position_spread_m") = shown(o.position_spread_m),
      nb::arg("rotation_spread_rad") = shown(o.rotation_spread_rad),
      nb::arg("limb_spread_m") = shown(o.limb_spread_m),
      nb::arg("max_angle_spread_rad") = shown(o.max_angle_spread_rad),
      nb::arg("min_spread") = shown(o.min_spread), nb::arg("start_spread") = shown(o.start_spread),
      nb::arg("shrink") = shown(o.shrink), nb::arg("effective_share") = shown(o.effective_share),
      nb::arg("max_loss_nats") = shown(o.max_loss_nats), nb::arg("partitioned") = o.partitioned,
      nb::arg("velocity_follow") = shown(o.velocity_follow),
      nb::arg("velocity_damp") = shown(o.velocity_damp), nb::arg("mean_reversion") = shown(o.mean_reversion),
      nb::arg("loss") = "squared", nb::arg("surface") = "closest", nb::arg("inside") = "exit_surface",
      nb::arg("sigma_m") = shown(o.sensor.sigma_m), nb::arg("tau_m") = shown(o.sensor.tau_m),
      nb::arg("camera") = nb::make_tuple(0.0, 0.0, 0.0), nb::arg("cameras") = nb::none(),
      nb::arg("exchange") = nb::none(), nb::arg("split") = "samples", nb::arg("device") = "auto",
      (std::string(
           "samples: 0: 2000 on a GPU, 1000 on a CPU. layers: of annealing per cloud. motion: how the\n"
           "next pose is predicted, \"constant_velocity\" or \"random_walk\". max_points: per cloud.\n"
           "min_score: an estimate with a lower score is \"lost\". min_confidence: one with a lower\n"
           "confidence is \"uncertain\". search_after_frames: when so many clouds in a row were \"lost\"\n"
           "or \"uncertain\", the call searches again, as find() does; 0: never.\n"
           "fit_steps: of Gauss-Newton, which take each estimate to the points; the next cloud starts\n"
           "there. 0: the estimate is the mean of the samples. recover_limbs: after the fit, search\n"
           "for a better pose of a limb that lies where the cloud has no points. recover_heading: before\n"
           "the 2nd, 4th, 8th, ... cloud since the start, look whether the body turned round\n"
           "explains the points clearly better, and start again there if it does.\n"
           "position_spread_m, rotation_spread_rad (of the root), limb_spread_m (of the far end of what\n"
           "a joint moves), max_angle_spread_rad: standard deviations of the motion between two clouds.\n"
           "They shrink while the predictions are good, down to min_spread of these. start_spread: of\n"
           "the samples about the pose of start(), times the spreads. shrink: factor of the spreads from\n"
           "layer to layer.\n"
           "effective_share: of the samples: tempering keeps this share effective; 0: no tempering.\n"
           "max_loss_nats: the loss of the best sample counts as at most this many nats, so that a few\n"
           "stray points do not move a limb that the others do not show; 0: no limit.\n"
           "partitioned: one layer of the trunk, two of each limb, and so on. velocity_follow,\n"
           "velocity_damp: the weight of the last observed motion in the velocity, and its factor from\n"
           "cloud to cloud. mean_reversion: predicted angles go this share of the way back to those of\n"
           "start() or find(), so that a hidden limb does not drift.\n") +
       sensor_doc +
       "\ncameras: matrices camera_from_world, (4, 4) or (3, 4), of the cameras whose clouds the filter "
       "takes;\n"
       "poses are then in the frame of the world. Several: step_cameras(), on a CPU.\n"
       "exchange: the rank of this filter, when several share the work: see triptych.exchange. split: what\n"
       "the ranks share: \"samples\" (each weighs a part of them against the cloud of rank 0) or "
       "\"cameras\"\n"
       "(each weighs all of them against its own clouds).\n"
       "device: \"auto\", \"cpu\", \"cpu:4\", \"cuda:0\", or \"cuda:0,1\"; all give the same bits.\n"
       "InvalidArgument when the skeleton has no capsules or an option is out of range.")
          .c_str());
}

}  // namespace

void bind_construction(nb::class_<HeldFilter>& type) {
  bind_constructor(type);
  type.def_prop_ro(
          "skeleton", [](HeldFilter& self) { return self.get().skeleton(); }, "The Skeleton.")
      .def_prop_ro("pose", &pose_of, nb::sig("def pose(self) -> numpy.typing.NDArray[numpy.float32] | None"),
                   "The pose of start(), or of the last result; None before.")
      .def_prop_ro("options", &options_of, nb::sig("def options(self) -> dict[str, typing.Any]"),
                   "The keywords of the constructor, as given.")
      .def("__getstate__",
           [](HeldFilter& self) {
             require(self.get().options().exchange == nullptr,
                     "exchange: a filter that shares its work with other ranks cannot be pickled");
             return nb::make_tuple(self.get().skeleton(), options_of(self), pose_of(self));
           })
      .def("__setstate__", [](nb::handle self, const nb::tuple& state) {
        self.attr("__init__")(state[0], **nb::borrow<nb::dict>(state[1]));
        if (!state[2].is_none()) self.attr("start")(state[2]);
      });
}

}  // namespace triptych::python::capsule
