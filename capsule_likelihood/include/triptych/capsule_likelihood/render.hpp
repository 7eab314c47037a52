// Points as a stereo camera would see them on a posed body: the first hits of rays from the camera.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace triptych::capsule_likelihood {

inline constexpr std::int64_t max_rendered_points = std::int64_t{1} << 26;

struct RenderOptions {
  std::int64_t points = 20000;  // at most max_rendered_points
  float noise_m = 0.01f;        // standard deviation along the ray, at most 1000
  // 0: the noise is the same everywhere; else (from 0.001 on) it is noise_m at this distance and grows with
  // the square of the distance, as that of stereo does.
  float noise_reference_m = 0;
  float outliers = 0;  // share of the points that lie anywhere between half and 1.6 times the body's distance
  float background = 0;  // share of the points that lie on the floor below and the wall behind the body
  std::uint64_t seed = 1;
  Vec3 camera = {};  // looks along +z; y is up where there is a background
};

// Exactly options.points points: those on the body are spread evenly over its image. The same options and the
// same capsules give the same bits. The three kinds are mixed evenly over the list. InvalidArgument when the
// body is not wholly in front of the camera and within 1000 km, has no surface, or an option is out of range.
std::vector<Vec3> render_points(std::span<const Capsule> body, const RenderOptions& options, int threads = 0);

// The distance along a ray from the camera at which it first hits the body, in double precision; a negative
// number when it does not. direction need not have unit length, the distance is in metres. InvalidArgument
// when the camera is not finite, or the direction is not finite or 0.
double first_hit_m(std::span<const Capsule> body, const Vec3& camera, const Vec3& direction);

}  // namespace triptych::capsule_likelihood
