// Synthetic points on a posed body.
#include <triptych/capsule_likelihood/render.hpp>

#include <nanobind/stl/string.h>

#include <limits>

#include "../compute.hpp"
#include "capsule.hpp"

namespace triptych::python::capsule {

namespace {

double distance_m(std::span<const cl::Capsule> body, const cl::Vec3& camera, const cl::Vec3& direction) {
  const double hit = cl::first_hit_m(body, camera, direction);
  return hit < 0 ? std::numeric_limits<double>::infinity() : hit;
}

}  // namespace

void bind_render(nb::module_& m) {
  m.def(
      "render_points",
      [](ArrayLike body, Whole<"points", std::int64_t> points, float noise_m, float noise_reference_m,
         float outliers, float background, Whole<"seed", std::uint64_t> seed, ArrayLike camera,
         Whole<"threads"> threads) {
        const Array array = host_array<float>(body, "body");
        const auto capsules = one_body(array);
        const cl::RenderOptions options{points,     noise_m, noise_reference_m,         outliers,
                                        background, seed,    place_of(camera, "camera")};
        return FloatArray(numpy_of(compute([&] { return cl::render_points(capsules, options, threads); })));
      },
      nb::arg("body"), nb::kw_only(), nb::arg("points") = 20000, nb::arg("noise_m") = 0.01,
      nb::arg("noise_reference_m") = 0.0f, nb::arg("outliers") = 0.0f, nb::arg("background") = 0.0f,
      nb::arg("seed") = 1, nb::arg("camera") = nb::make_tuple(0.0, 0.0, 0.0), nb::arg("threads") = 0,
      "(points, 3) float32: points as a stereo camera would see them on a body, spread evenly over\n"
      "its image.\n"
      "\n"
      "body: (capsules, 7), as Skeleton.capsules(pose) gives it. noise_m: standard deviation along\n"
      "the ray. noise_reference_m: 0: the noise is the same everywhere; else it is noise_m at this\n"
      "distance and grows with its square. outliers: share of the points that lie anywhere between\n"
      "half and 1.6 times the body's distance. background: share on the floor below and the wall\n"
      "behind the body. camera: looks along +z. The same arguments give the same bits.\n"
      "InvalidArgument when the body is not wholly in front of the camera, or an option is out of\n"
      "range.");
  m.def(
      "first_hit",
      [](ArrayLike body, ArrayLike camera, ArrayLike direction) -> nb::object {
        const Array array = host_array<float>(body, "body");
        const auto capsules = one_body(array);
        const cl::Vec3 from = place_of(camera, "camera");
        const Array ways = host_array<float>(direction, "direction");
        const bool one = ways.ndim() == 1 && ways.shape(0) == 3;
        if (!one && (ways.ndim() != 2 || ways.shape(1) != 3))
          throw InvalidArgument("direction: expected numbers of shape (3,) or (n, 3), not " +
                                ways.describe());
        const auto* const first = static_cast<const cl::Vec3*>(ways.data());
        if (one) return nb::float_(distance_m(capsules, from, *first));
        std::vector<double> distances(static_cast<std::size_t>(ways.shape(0)));
        compute([&] {
          for (std::size_t i = 0; i < distances.size(); ++i)
            distances[i] = distance_m(capsules, from, first[i]);
        });
        const std::size_t count = distances.size();
        return to_numpy(std::move(distances), {count});
      },
      nb::arg("body"), nb::arg("camera"), nb::arg("direction"),
      nb::sig("def first_hit(body: numpy.typing.ArrayLike, camera: numpy.typing.ArrayLike, direction: "
              "numpy.typing.ArrayLike) -> float | numpy.typing.NDArray[numpy.float64]"),
      "The distance in metres along a ray from the camera at which it first hits the body,\n"
      "(capsules, 7); inf when it does not.\n"
      "\n"
      "direction: (3,), need not have unit length; or (n, 3), which gives (n,) float64.\n"
      "InvalidArgument when a number is not finite, or a direction is 0.");
}

}  // namespace triptych::python::capsule
