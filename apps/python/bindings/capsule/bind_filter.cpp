// ParticleFilter.
#include <nanobind/stl/string.h>

#include "filter.hpp"

namespace triptych::python::capsule {

namespace {

// A cloud, and the sigmas of its points unless None.
struct CloudInput {
  CloudInput(HeldFilter& self, nb::handle cloud, nb::handle sigma, nb::handle stream)
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
    self.wait_for(points);
    if (sigmas) self.wait_for(*sigmas);
  }

  // Calls function with the view of the cloud, in host or device memory.
  template <class Function>
  auto call(Function&& function) const {
    if (points.on_gpu())
      return function(cl::DeviceCloudView(device_points(points),
                                          sigmas ? device_floats(*sigmas) : DeviceSpan<const float>()));
    return function(
        cl::CloudView(host_points(points), sigmas ? host_floats(*sigmas) : std::span<const float>()));
  }
  nb::object owner() const {
    return sigmas ? nb::object(nb::make_tuple(points.owner(), sigmas->owner())) : points.owner();
  }

  Array points;
  std::optional<Array> sigmas;
};

cl::Estimate find(HeldFilter& self, nb::handle cloud, nb::handle sigma, nb::handle stream) {
  const CloudInput input(self, cloud, sigma, stream);
  const auto search = [&](const auto& view) {
    return compute(self.mutex(), [&] { return self.get().find(view); });
  };
  auto estimate = naming("cloud", [&] { return input.call(search); });
  self.forget_inputs();
  return estimate;
}

cl::Estimate step(HeldFilter& self, nb::handle cloud, nb::handle sigma, nb::handle stream) {
  const CloudInput input(self, cloud, sigma, stream);
  return input.call(
      [&](const auto& view) { return compute(self.mutex(), [&] { return self.get().step(view); }); });
}

// The clouds of all cameras, on the host.
struct CloudInputs {
  CloudInputs(HeldFilter& self, nb::handle clouds, nb::handle sigmas) {
    const std::vector<nb::object> given = entries_of(clouds, "clouds", "arrays");
    std::vector<nb::object> sigma_of(given.size(), nb::none());
    if (!sigmas.is_none()) sigma_of = entries_of(sigmas, "sigmas", "arrays");
    require(sigma_of.size() == given.size(), "sigmas: there are ", sigma_of.size(), " for ", given.size(),
            " clouds");
    for (std::size_t i = 0; i < given.size(); ++i) {
      inputs.emplace_back(self, given[i], sigma_of[i], nb::none());
      inputs.back().points.require_on_host();
    }
    for (const CloudInput& input : inputs)
      views.emplace_back(host_points(input.points),
                         input.sigmas ? host_floats(*input.sigmas) : std::span<const float>());
  }

  std::vector<CloudInput> inputs;
  std::vector<cl::CloudView> views;
};

void submit(HeldFilter& self, nb::handle cloud, nb::handle sigma, nb::handle stream) {
  const CloudInput input(self, cloud, sigma, stream);
  input.call([&](const auto& view) { compute(self.mutex(), [&] { self.get().submit(view); }); });
  self.keep(input.owner());
}

void start(HeldFilter& self, nb::handle pose) {
  const Array array = pose_array(pose, self.get().skeleton(), "pose");
  naming("pose", [&] { compute(self.mutex(), [&] { self.get().start(pose_span(array)); }); });
  self.forget_inputs();
}

}  // namespace

void bind_filter(nb::module_& m) {
  auto type = nb::class_<HeldFilter>(
      m, "ParticleFilter",
      "Follows a skeleton through clouds of points, one cloud per frame.\n"
      "\n"
      "filter(cloud) gives an Estimate. A filter that was not started searches for the first pose\n"
      "in its first cloud, as find() does, which takes some seconds of one core; then the cloud\n"
      "is processed as any other. When the person is lost it searches again after\n"
      "search_after_frames clouds, if that is set; else call find().\n"
      "pickle keeps the arguments of the constructor and the pose (of start(), or of the last\n"
      "result), with which the copy is started; it keeps neither the samples nor their velocities\n"
      "and spreads, and nothing that is in flight. Calls from several threads take turns.");
  bind_construction(type);
  constexpr const char* cloud_doc =
      "\n\ncloud: (n, 3) float32 in C order, metres in the camera's frame, at most max_points, on the\n"
      "host or the filter's GPU; or a Cloud. Points that are not finite or not in front of the\n"
      "camera are dropped and counted. sigma: (n,) float32, the standard deviation of each point's\n"
      "distance, above 0; None: sigma_m of the filter.\n"
      "stream: the CUDA stream on which the arrays are written; without it their library is asked.\n"
      "InvalidArgument names the argument.";
  type.def(
          "__call__",
          [](HeldFilter& self, ArrayAnywhere cloud, ArrayAnywhere sigma, Anything stream) {
            return step(self, cloud, sigma, stream);
          },
          nb::arg("cloud"), nb::arg("sigma") = nb::none(), nb::kw_only(), nb::arg("stream") = nb::none(),
          (std::string(
               "The pose in the next cloud, an Estimate. Searches first when the filter was not started.") +
           cloud_doc)
              .c_str())
      .def(
          "submit",
          [](HeldFilter& self, ArrayAnywhere cloud, ArrayAnywhere sigma, Anything stream) {
            submit(self, cloud, sigma, stream);
          },
          nb::arg("cloud"), nb::arg("sigma") = nb::none(), nb::kw_only(), nb::arg("stream") = nb::none(),
          (std::string(
               "The first half of a call: on one GPU it enqueues the work and returns. next() returns the\n"
               "Estimates in order. A cloud in GPU memory must not change until then.") +
           cloud_doc)
              .c_str())
      .def(
          "find",
          [](HeldFilter& self, ArrayAnywhere cloud, ArrayAnywhere sigma, Anything stream) {
            return find(self, cloud, sigma, stream);
          },
          nb::arg("cloud"), nb::arg("sigma") = nb::none(), nb::kw_only(), nb::arg("stream") = nb::none(),
          (std::string(
               "Searches for an upright body in a cloud when no pose is known, starts the filter there, and\n"
               "returns the Estimate. Takes some seconds of one core. Drops what is in flight.\n"
               "InvalidArgument when no point can be used: the filter is then as before.") +
           cloud_doc)
              .c_str())
      .def(
          "step_cameras",
          [](HeldFilter& self, Anything clouds, Anything sigmas) {
            const CloudInputs input(self, clouds, sigmas);
            return naming("clouds", [&] {
              return compute(self.mutex(), [&] { return self.get().step_cameras(input.views); });
            });
          },
          nb::arg("clouds"), nb::arg("sigmas") = nb::none(),
          "The pose in what several cameras see at one time, an Estimate in the frame of the world.\n\n"
          "clouds: an (n, 3) float32 array for each camera of `cameras`, in their order, on the host, in "
          "the\n"
          "frames of their cameras. sigmas: for each cloud as `sigma` of a call, or None. On a CPU; on a GPU "
          "a\n"
          "filter takes one camera: make one for each, with an exchange.")
      .def(
          "find_cameras",
          [](HeldFilter& self, Anything clouds, Anything sigmas) {
            const CloudInputs input(self, clouds, sigmas);
            auto estimate = naming("clouds", [&] {
              return compute(self.mutex(), [&] { return self.get().find_cameras(input.views); });
            });
            self.forget_inputs();
            return estimate;
          },
          nb::arg("clouds"), nb::arg("sigmas") = nb::none(),
          "As find(), in the clouds of several cameras: the body is upright in the frame of the world.")
      .def(
          "start", [](HeldFilter& self, ArrayLike pose) { start(self, pose); }, nb::arg("pose"),
          "The pose of the frame before the first, (pose_size,): the samples are drawn about it. Drops\n"
          "what is in flight. InvalidArgument when the pose has another size, is not finite or has no\n"
          "orientation.")
      .def(
          "samples",
          [](HeldFilter& self) {
            std::vector<float> values = compute(self.mutex(), [&] { return self.get().samples(); });
            const auto size = static_cast<std::size_t>(self.get().skeleton().pose_size());
            const std::size_t rows = values.size() / size;
            return FloatArray(to_numpy(std::move(values), {rows, size}));
          },
          "(samples, pose_size) float32: the samples after the last cloud. InvalidArgument before start() or "
          "find().");
  bind_frame_processor(type, "ParticleFilter");
  m.def(
      "default_samples", [](Anything device) { return cl::default_samples(device_of(device)); },
      nb::arg("device") = "auto",
      "The number of samples of a filter on that device: 2000 on a GPU, 1000 on a CPU.");
}

}  // namespace triptych::python::capsule
