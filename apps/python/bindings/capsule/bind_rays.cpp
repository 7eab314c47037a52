// Rays and log_likelihood().
#include <nanobind/stl/string.h>

#include <list>

#include "capsule.hpp"
#include "point_count.hpp"
#include "rays.hpp"
#include "sensor.hpp"

namespace triptych::python::capsule {

namespace {

// Arguments on a GPU are ordered on one stream: the one given, or the current one of their library. Empty
// when the points are on the host.
std::optional<StreamRef> stream_of_points(nb::handle points, nb::handle stream,
                                          std::initializer_list<Argument> arguments) {
  if (!is_on_gpu(points)) return std::nullopt;
  return stream_for(stream, arguments);
}

Array other_on(nb::handle object, const char* argument, const std::optional<StreamRef>& on) {
  return on ? array_on(*on, object, argument) : Array(object, argument);
}
Array cloud_on(nb::handle object, const std::optional<StreamRef>& on) {
  if (!on) return cloud_array(object, "points");
  Array array = array_on(*on, object, "points");
  check_cloud(array);
  return array;
}

cl::EvaluateOptions options_of(std::string_view method, int samples_per_launch, int points_per_block) {
  return {parse_name(method, "method", methods), samples_per_launch, points_per_block};
}

bool same(const cl::SensorModel& a, const cl::SensorModel& b) {
  return a.loss == b.loss && a.surface == b.surface && a.inside == b.inside && a.sigma_m == b.sigma_m &&
         a.tau_m == b.tau_m && a.camera == b.camera;
}

// The rays of this thread on each GPU, for the function: their memory is used again.
PyRays& rays_for(int ordinal, const cl::SensorModel& sensor) {
  struct Entry {
    int ordinal;
    std::unique_ptr<PyRays> rays;
  };
  constexpr std::size_t most = 8;
  thread_local std::list<Entry> entries;  // the last used first
  for (auto entry = entries.begin(); entry != entries.end(); ++entry)
    if (entry->ordinal == ordinal && same(entry->rays->sensor(), sensor)) {
      entries.splice(entries.begin(), entries, entry);
      return *entry->rays;
    }
  if (entries.size() == most) entries.pop_back();
  entries.push_front({ordinal, std::make_unique<PyRays>(sensor, 0)});
  return *entries.front().rays;
}

nb::object log_likelihood(nb::handle points, nb::handle bodies, nb::handle sigma,
                          const cl::SensorModel& sensor, const cl::EvaluateOptions& options, nb::handle out,
                          nb::handle stream, int threads) {
  const auto on = stream_of_points(points, stream, {{points, "points"}, {bodies, "bodies"}});
  const Array cloud = cloud_on(points, on);
  const Array posed = other_on(bodies, "bodies", on);
  std::optional<Array> sigmas;
  if (!sigma.is_none()) sigmas.emplace(other_on(sigma, "sigma", on));
  check_bodies(posed);
  const Array* const given = sigmas ? &*sigmas : nullptr;
  if (on) {
    PyRays& rays = rays_for(cloud.ordinal(), sensor);
    rays.set(cloud, given, on, 0);
    return rays.log_likelihood(posed, options, out, on);
  }
  PyRays rays(sensor, threads);
  rays.set(cloud, given, on, 0);
  return rays.log_likelihood(posed, options, out, on);
}

constexpr const char* likelihood_doc =
    "bodies: (n, capsules, 7) float32, as Skeleton.capsules(poses) gives them.\n"
    "method: \"culled\": only capsules that can come within tau of a tile of rays; \"brute\": every\n"
    "ray against every capsule; \"tiled\": the tiles of the paper's kernel (GPU only). All give the\n"
    "same bits, on CPUs and GPUs.\n"
    "samples_per_launch, points_per_block: of the GPU's kernels; 0: chosen.\n"
    "out: an array of n float64 on the GPU, which is then filled instead.\n"
    "stream: on a GPU, the CUDA stream on which the arrays are written and the work is enqueued;\n"
    "by default the current stream of torch or CuPy.\n"
    "Returns (n,) float64: a NumPy array, or a DeviceArray when the arrays are on a GPU; the call\n"
    "does then not wait. A capsule that is not finite or has a negative radius is\n"
    "InvalidArgument; on a GPU its body's likelihood is NaN.";

void bind_class(nb::module_& m) {
  nb::class_<PyRays>(
      m, "Rays",
      "The points of a frame as rays from the camera, sorted for culling: made once per frame, then\n"
      "shared by all bodies.\n"
      "\n"
      "They are on the GPU when the points are. Calls from several threads take turns.")
      .def(
          "__init__",
          [](PyRays* self, ArrayAnywhere points, ArrayAnywhere sigma,
             Whole<"max_points", std::int64_t> max_points, std::string_view loss, std::string_view surface,
             std::string_view inside, float sigma_m, float tau_m, ArrayLike camera, Whole<"threads"> threads,
             Anything stream) {
            const auto on = stream_of_points(points, stream, {{points, "points"}});
            const Array cloud = cloud_on(points, on);
            std::optional<Array> sigmas;
            if (!sigma.is_none()) sigmas.emplace(other_on(sigma, "sigma", on));
            new (self) PyRays(sensor_of(loss, surface, inside, sigma_m, tau_m, camera), threads);
            try {
              self->set(cloud, sigmas ? &*sigmas : nullptr, on, max_points);
            } catch (...) {
              self->~PyRays();
              throw;
            }
          },
          nb::arg("points"), nb::arg("sigma") = nb::none(), nb::kw_only(), nb::arg("max_points") = 0,
          nb::arg("loss") = "squared", nb::arg("surface") = "closest", nb::arg("inside") = "exit_surface",
          nb::arg("sigma_m") = 0.03, nb::arg("tau_m") = 0.1,
          nb::arg("camera") = nb::make_tuple(0.0, 0.0, 0.0), nb::arg("threads") = 0,
          nb::arg("stream") = nb::none(),
          (std::string("points: (n, 3) float32, or a Cloud. Points that are not finite or not in front of "
                       "the camera\n"
                       "are dropped and counted.\n"
                       "sigma: (n,) float32, the standard deviation of each point's distance, above 0.\n"
                       "max_points: on a GPU, room for later clouds, so that set() allocates nothing.\n") +
           sensor_doc + "\nthreads: of the CPU; 0: all cores.")
              .c_str())
      .def(
          "set",
          [](PyRays& self, ArrayAnywhere points, ArrayAnywhere sigma, Anything stream) {
            const auto on = stream_of_points(points, stream, {{points, "points"}});
            const Array cloud = cloud_on(points, on);
            std::optional<Array> sigmas;
            if (!sigma.is_none()) sigmas.emplace(other_on(sigma, "sigma", on));
            self.set(cloud, sigmas ? &*sigmas : nullptr, on, 0);
          },
          nb::arg("points"), nb::arg("sigma") = nb::none(), nb::kw_only(), nb::arg("stream") = nb::none(),
          "Other points, with the same sensor. On a GPU the work is enqueued on the stream; legal in a "
          "stream capture once as many points were set before.")
      .def(
          "log_likelihood",
          [](PyRays& self, ArrayAnywhere bodies, std::string_view method,
             Whole<"samples_per_launch"> samples_per_launch, Whole<"points_per_block"> points_per_block,
             Anything out, Anything stream) {
            std::optional<StreamRef> on;
            if (self.on_gpu() && is_on_gpu(bodies)) on = stream_for(stream, {{bodies, "bodies"}});
            const Array posed = other_on(bodies, "bodies", on);
            return DoubleArrayAnywhere(self.log_likelihood(
                posed, options_of(method, samples_per_launch, points_per_block), out, on));
          },
          nb::arg("bodies"), nb::kw_only(), nb::arg("method") = "culled", nb::arg("samples_per_launch") = 0,
          nb::arg("points_per_block") = 0, nb::arg("out") = nb::none(), nb::arg("stream") = nb::none(),
          (std::string(
               "How well bodies explain the points: of each the sum of -d^2 / (2 sigma^2) over the points,\n"
               "or of -d / sigma.\n\n") +
           likelihood_doc)
              .c_str())
      .def_prop_ro("points", &PyRays::count, "Numbers of the points that are used and dropped, a PointCount.")
      .def_prop_ro(
          "max_loss", &PyRays::max_loss,
          "The loss (a log-likelihood, negated) when every point is truncated: no body has a larger one.")
      .def_prop_ro(
          "device",
          [](const PyRays& self) {
            return self.on_gpu() ? "cuda:" + std::to_string(self.ordinal()) : std::string("cpu");
          },
          "\"cpu\" or \"cuda:0\".")
      .def("__len__", [](PyRays& self) { return self.count().used; })
      .def("__repr__", [](PyRays& self) {
        return "<Rays: " + text_of(self.count()) + ", on " +
               (self.on_gpu() ? "cuda:" + std::to_string(self.ordinal()) : std::string("cpu")) + ">";
      });
}

}  // namespace

void bind_rays(nb::module_& m) {
  bind_class(m);
  m.def(
      "log_likelihood",
      [](ArrayAnywhere points, ArrayAnywhere bodies, ArrayAnywhere sigma, std::string_view method,
         std::string_view loss, std::string_view surface, std::string_view inside, float sigma_m, float tau_m,
         ArrayLike camera, Whole<"samples_per_launch"> samples_per_launch,
         Whole<"points_per_block"> points_per_block, Anything out, Anything stream,
         Whole<"threads"> threads) {
        return DoubleArrayAnywhere(
            log_likelihood(points, bodies, sigma, sensor_of(loss, surface, inside, sigma_m, tau_m, camera),
                           options_of(method, samples_per_launch, points_per_block), out, stream, threads));
      },
      nb::arg("points"), nb::arg("bodies"), nb::arg("sigma") = nb::none(), nb::kw_only(),
      nb::arg("method") = "culled", nb::arg("loss") = "squared", nb::arg("surface") = "closest",
      nb::arg("inside") = "exit_surface", nb::arg("sigma_m") = 0.03, nb::arg("tau_m") = 0.1,
      nb::arg("camera") = nb::make_tuple(0.0, 0.0, 0.0), nb::arg("samples_per_launch") = 0,
      nb::arg("points_per_block") = 0, nb::arg("out") = nb::none(), nb::arg("stream") = nb::none(),
      nb::arg("threads") = 0,
      (std::string(
           "How well posed bodies explain a cloud of points seen from a camera: of each the sum of -d^2\n"
           "/ (2 sigma^2) over the points, or of -d / sigma, with d the truncated difference between a\n"
           "point's distance from the camera and the distance at which its ray hits the body.\n"
           "\n"
           "points: (n, 3) float32, or a Cloud, on the host or a GPU; bodies and sigma in the same\n"
           "memory.\n"
           "sigma: (n,) float32, the standard deviation of each point's distance.\n") +
       sensor_doc + "\n" + likelihood_doc + "\nFor many calls with the same points see Rays.")
          .c_str());
}

}  // namespace triptych::python::capsule
