// Which capsules cannot matter for a tile of rays: a stadium around the capsule's image and the range of
// distances it can explain, against the tile's circle and the range of its points. Never drops a capsule that
// counts; how many it keeps too many may differ between host and device.
//
// A ball at angle theta from the axis, seen under the angle alpha, is an ellipse in the image plane whose
// farthest point from the image of its middle lies at tan(theta + alpha) - tan theta = sin alpha / (cos theta
// cos(theta + alpha)). The image of the capsule is the convex hull of two such ellipses: inside the stadium
// around the images of the ends with the greater of the two radii. A ray enters a ball not beyond the
// distance of its middle, so the capsule is hit between its nearest point and its farther end.
#pragma once

#include <triptych/capsule_likelihood/rays.hpp>

#include "rays/rays_math.hpp"

namespace triptych::capsule_likelihood {

// alongs and across: what is to be added to u.(x, y) and u x (x, y) so that the stadium's middle is at 0.
struct alignas(16) CullShape {
  float ux, uy, along, across;
  float half, radius, nearest_m, farthest_m;
};
static_assert(sizeof(CullShape) == 32);

constexpr float everywhere = 1e18f, any_distance = 1e29f;

// Rounding moves an image by less than 1e-6 (1 + x^2 + y^2) and a distance by less than 1e-6 of it; the
// margins are ten times that. Where images get large (beyond 84 degrees) a capsule is kept everywhere.
TRIPTYCH_EXACT_HD CullShape cull_shape(const Capsule& c, const PreparedCapsule& p,
                                       const SensorModel& sensor) {
  if (is_never_hit(p)) return {1, 0, 0, 0, 0, 0, any_distance, -any_distance};
  if (is_near(p)) return {1, 0, 0, 0, 0, everywhere, -any_distance, any_distance};
  const float ax = c.a.x - sensor.camera.x, ay = c.a.y - sensor.camera.y, az = c.a.z - sensor.camera.z;
  const float bx = c.b.x - sensor.camera.x, by = c.b.y - sensor.camera.y, bz = c.b.z - sensor.camera.z;
  const float r = c.radius_m;
  const float a_side2 = ax * ax + ay * ay, b_side2 = bx * bx + by * by;
  using exact::rough_reciprocal;
  using exact::rough_root;
  const float a_far = rough_root(a_side2 + az * az), b_far = rough_root(b_side2 + bz * bz);
  const auto spread = [r](float side2, float z, float far) {
    const float inverse = rough_reciprocal(far);
    const float sine = r * inverse, ct = z * inverse, st = rough_root(side2) * inverse;
    const float cp = ct * rough_root(fmaxf(1 - sine * sine, 0.0f)) - st * sine;
    return ct > 0.1f && cp > 0.1f ? sine * rough_reciprocal(ct * cp) : everywhere;
  };
  const float radius = fmaxf(spread(a_side2, az, a_far), spread(b_side2, bz, b_far));
  CullShape shape{1, 0, 0, 0, 0, everywhere, 0, 0};
  if (radius < everywhere) {
    const float a_inverse = rough_reciprocal(az), b_inverse = rough_reciprocal(bz);
    const float x0 = ax * a_inverse, y0 = ay * a_inverse, x1 = bx * b_inverse, y1 = by * b_inverse;
    const float dx = x1 - x0, dy = y1 - y0, length = rough_root(dx * dx + dy * dy);
    if (length > 1e-12f) {
      const float inverse = rough_reciprocal(length);
      shape.ux = dx * inverse;
      shape.uy = dy * inverse;
    }
    const float mx = 0.5f * (x0 + x1), my = 0.5f * (y0 + y1);
    shape.along = -(mx * shape.ux + my * shape.uy);
    shape.across = -(mx * shape.uy - my * shape.ux);
    shape.half = 0.5f * length;
    const float out2 = fmaxf(x0 * x0 + y0 * y0, x1 * x1 + y1 * y1);
    shape.radius = radius * 1.0001f + 1e-5f * (1 + out2 + radius * radius);
  }
  const float beyond = fmaxf(fabsf(p.middle) - p.half_length, 0.0f);
  const float farther = fmaxf(a_far, b_far), margin = 1e-4f + 1e-5f * (farther + r + sensor.tau_m);
  shape.nearest_m = rough_root(p.mu * p.mu + beyond * beyond) - r - sensor.tau_m - margin;
  // A capsule in front of all the points hides what is behind it: for the first surface it counts.
  shape.farthest_m = sensor.surface == Surface::first ? any_distance : farther + sensor.tau_m + margin;
  return shape;
}

TRIPTYCH_EXACT_HD bool may_hit(const TileBound& tile, const CullShape& shape) {
  const float along = exact::fused(tile.x, shape.ux, exact::fused(tile.y, shape.uy, shape.along));
  const float across = exact::fused(tile.x, shape.uy, exact::fused(-tile.y, shape.ux, shape.across));
  const float beyond = fmaxf(fabsf(along) - shape.half, 0.0f), reach = shape.radius + tile.radius;
  const bool touches = exact::fused(beyond, beyond, across * across) <= reach * reach;
  // all three at once: no branch
  return (static_cast<int>(touches) & static_cast<int>(shape.nearest_m <= tile.farthest_m) &
          static_cast<int>(shape.farthest_m >= tile.nearest_m)) != 0;
}

}  // namespace triptych::capsule_likelihood
