// Points from images, and fewer of them.
#include <triptych/capsule_likelihood/cloud.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/philox.hpp>

#include <cmath>

#include "cloud/add_point.hpp"

namespace triptych::capsule_likelihood {

namespace {

void check(const Intrinsics& camera, const DepthOptions& options) {
  const auto is_focal = [](double f) { return f >= 1e-3 && f <= 1e9; };
  require(is_focal(camera.fx) && is_focal(camera.fy), "a camera with focal lengths of ", camera.fx, " and ",
          camera.fy, " px is out of range: 0.001 to 10^9 px are possible");
  require(std::abs(camera.cx) <= 1e9 && std::abs(camera.cy) <= 1e9, "the centre of the image at (", camera.cx,
          ", ", camera.cy, ") px is out of range");
  require(options.step >= 1, "a step of ", options.step, " pixels is out of range");
  require(options.metres_per_unit > 0 && std::isfinite(options.metres_per_unit), "a unit of ",
          options.metres_per_unit, " m is out of range");
  require(options.nearest_m >= 0 && options.farthest_m >= options.nearest_m,
          "distances from nearest_m = ", options.nearest_m, " to farthest_m = ", options.farthest_m,
          " are no range from 0 on");
  require(options.y == VerticalAxis::up || options.y == VerticalAxis::down,
          "the vertical axis is neither up nor down");
}

// z_of: the distance of a pixel in metres, or NaN.
template <class P, class F>
Cloud from_image(ImageView<const P> image, const Intrinsics& camera, const DepthOptions& options, F&& z_of) {
  check(camera, options);
  Cloud cloud;
  const double down = options.y == VerticalAxis::down ? 1 : -1;
  for (std::int64_t v = 0; v < image.height(); v += options.step) {
    for (std::int64_t u = 0; u < image.width(); u += options.step) {
      const double z = z_of(image.at(u, v));
      if (!(z > 0) || z < options.nearest_m || z > options.farthest_m || !std::isfinite(z)) {
        ++cloud.dropped;
        continue;
      }
      const double x = (static_cast<double>(u) - camera.cx) / camera.fx * z;
      const double y = down * (static_cast<double>(v) - camera.cy) / camera.fy * z;
      detail::add_point(cloud, x, y, z);
    }
  }
  return cloud;
}

}  // namespace

Cloud cloud_from_depth(ImageView<const std::uint16_t> depth, const Intrinsics& camera,
                       const DepthOptions& options) {
  return from_image(depth, camera, options,
                    [&](std::uint16_t value) { return value * options.metres_per_unit; });
}

Cloud cloud_from_disparity(ImageView<const float> disparity, const StereoCalibration& calibration,
                           const DepthOptions& options) {
  require(calibration.baseline_m > 0 && std::isfinite(calibration.baseline_m), "a baseline of ",
          calibration.baseline_m, " m is out of range");
  require(std::isfinite(calibration.offset_px), "an offset of ", calibration.offset_px,
          " px is out of range");
  const double scale = calibration.baseline_m * calibration.left.fx;
  return from_image(disparity, calibration.left, options, [&](float value) {
    const double shift = value + calibration.offset_px;
    return value > 0 && shift > 0 ? scale / shift : std::nan("");
  });
}

std::vector<Vec3> subsample(std::span<const Vec3> points, std::int64_t count, std::uint64_t seed) {
  require(count >= 0, "cannot take ", count, " points");
  const auto size = static_cast<std::int64_t>(points.size());
  if (count >= size) return {points.begin(), points.end()};
  std::vector<Vec3> chosen;
  chosen.reserve(static_cast<std::size_t>(count));
  const PhiloxStream random(seed, 0);
  for (std::int64_t i = 0; i < count; ++i) {
    // The run is [i size / count, (i + 1) size / count), rounded down: never empty, since count < size.
    const auto edge = [&](std::int64_t k) { return size / count * k + size % count * k / count; };
    const std::int64_t begin = edge(i), end = edge(i + 1);
    const Philox4x32 words = random.block(static_cast<std::uint64_t>(i));
    const auto step =
        static_cast<std::int64_t>(uniform_double(words[0], words[1]) * static_cast<double>(end - begin));
    chosen.push_back(points[static_cast<std::size_t>(begin + step)]);
  }
  return chosen;
}

}  // namespace triptych::capsule_likelihood
