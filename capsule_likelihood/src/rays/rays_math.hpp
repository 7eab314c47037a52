// A point as a ray, and its key in the order of the rays: the same on host and device (exact_math.hpp).
#pragma once

#include <triptych/capsule_likelihood/rays.hpp>

#include "rays/ray_capsule_math.hpp"
#include "rays/sensor_math.hpp"

namespace triptych::capsule_likelihood {

// The ray (x, y, 1), whose parameter t has the residual |t g - h|: g is its length over tau, h the point's
// distance over tau.
struct alignas(16) Ray {
  float x, y, g, h;
};

// Has no hit that counts: t * 0 - 2 is beyond 1 for every t (or NaN).
TRIPTYCH_EXACT_HD Ray padding_ray() { return {0, 0, 0, 2}; }

enum class RayStatus { used, not_finite, not_in_front };

struct RayOfPoint {
  Ray ray;
  float distance_m;
  std::uint32_t weight;
  RayStatus status;
};

// In front: less than 89.94 degrees from the axis both ways, so that x and y stay below this.
constexpr double steepest = 1024;

// sigma_m: sensor.sigma_m when points have none of their own.
TRIPTYCH_INLINE_HD RayOfPoint make_ray(const Vec3& point, float sigma_m, const SensorModel& sensor) {
  const double x = double{point.x} - double{sensor.camera.x};
  const double y = double{point.y} - double{sensor.camera.y};
  const double z = double{point.z} - double{sensor.camera.z};
  const auto fits = [](double c) { return c >= -double{largest_m} && c <= double{largest_m}; };
  RayOfPoint made{padding_ray(), 0, 0, RayStatus::used};
  if (!(fits(x) && fits(y) && fits(z) && sigma_m > 0 && sigma_m <= largest_m)) {
    made.status = RayStatus::not_finite;
    return made;
  }
  const double edge = steepest * z;
  if (!(z > 0 && x >= -edge && x <= edge && y >= -edge && y <= edge)) {
    made.status = RayStatus::not_in_front;
    return made;
  }
  const double tau = double{sensor.tau_m};
  const float rx = static_cast<float>(x / z), ry = static_cast<float>(y / z);
  const double length = exact::any_root(exact::dot(double{rx}, double{ry}, 1.0, double{rx}, double{ry}, 1.0));
  const double distance = exact::any_root(exact::dot(x, y, z, x, y, z));
  made.ray = {rx, ry, static_cast<float>(length / tau), static_cast<float>(distance / tau)};
  made.distance_m = static_cast<float>(distance);
  made.weight = weight_of(sensor, sigma_m);
  return made;
}

// The index of a cell along the Hilbert curve through 2^bits x 2^bits cells. Neighbours on the curve are
// neighbours in the image, so runs of any length and start are compact.
TRIPTYCH_INLINE_HD std::uint32_t along_hilbert(std::uint32_t x, std::uint32_t y, int bits) {
  std::uint32_t along = 0;
  for (int i = bits - 1; i >= 0; --i) {
    const std::uint32_t right = (x >> i) & 1u, up = (y >> i) & 1u;
    along = along << 2 | ((3u * right) ^ up);
    // the lower quarters are rotated
    const std::uint32_t flip = up == 0 && right == 1 ? ~0u : 0u;
    const std::uint32_t fx = x ^ flip, fy = y ^ flip;
    x = up == 0 ? fy : fx;
    y = up == 0 ? fx : fy;
  }
  return along;
}

// The sort key of a ray: its index along a Hilbert curve over the image plane. The plane is mapped to a
// square, with cells of 0.0005 in the middle. The last key, in a corner that no ray reaches, is that of
// dropped points.
constexpr int order_bits = 24;
constexpr std::uint32_t dropped_key = (1u << order_bits) - 1;
TRIPTYCH_INLINE_HD std::uint32_t hilbert_key(float x, float y) {
  const auto cell = [](float c) {
    const float drawn = exact::any_quotient(c, 1.0f + fabsf(c));  // (-1, 1)
    return static_cast<std::uint32_t>(exact::fused(drawn, 2047.0f, 2048.0f));
  };
  return along_hilbert(cell(x), cell(y), order_bits / 2);
}

// Rays are culled by sub-tiles of 32 and by ray blocks of 1024.
constexpr int rays_per_sub_tile = 32, rays_per_ray_block = 1024,
              sub_tiles_per_ray_block = rays_per_ray_block / rays_per_sub_tile;

// A circle around a tile's rays in the image plane and the range of their points' distances. A tile without
// rays is hit by nothing.
struct TileBound {
  float x, y, radius, nearest_m, farthest_m;
};
TRIPTYCH_EXACT_HD TileBound empty_bound() { return {0, 0, -1e30f, 1e30f, -1e30f}; }

}  // namespace triptych::capsule_likelihood
