// The arithmetic of a likelihood, counted from its formula and its scene.
#pragma once

#include <cstddef>
#include <map>
#include <span>

#include "capsule_likelihood/setup/scenes.hpp"
#include "rays/cull_math.hpp"
#include "rays/rays_data.hpp"
#include "support/runner.hpp"

namespace triptych::bench {

// Of one ray and one capsule (ray_capsule_math.hpp): 17 to aim, 7 for the hit of the cylinder, 3 for the
// residual and its minimum. A multiply-add counts as two, a root and a reciprocal as one. The ends of a
// capsule, which few rays need, are not counted.
inline constexpr double operations_per_pair = 27;

// Pairs of ray and capsule that the tiles of the CPU list for one body.
inline double listed_pairs_of(const capsule_likelihood::Rays& rays,
                              std::span<const capsule_likelihood::Capsule> body) {
  const capsule_likelihood::SensorModel& sensor = rays.data().sensor;
  const capsule_likelihood::Bounds& tiles = rays.data().sub_tiles;
  std::int64_t listed = 0;
  for (const capsule_likelihood::Capsule& capsule : body) {
    const auto shape = cull_shape(capsule, prepare(capsule, sensor.camera, sensor.inside), sensor);
    for (std::size_t tile = 0; tile < tiles.x.size(); ++tile) listed += may_hit(tiles[tile], shape) ? 1 : 0;
  }
  return static_cast<double>(listed * capsule_likelihood::rays_per_sub_tile);
}

// Of all samples of a scene, counted on a few of them and scaled.
inline double listed_pairs(const CapsuleSize& size) {
  static std::map<CapsuleSize, double> known;
  double& pairs = known[size];
  if (pairs > 0) return pairs;
  const test::CapsuleScene& scene = capsule_scene(size);
  const capsule_likelihood::Rays rays(scene.points, {}, bench_sensor());
  const std::int64_t counted = std::min<std::int64_t>(size.samples, 8);
  double listed = 0;
  for (std::int64_t j = 0; j < counted; ++j)
    listed += listed_pairs_of(rays, scene.view().row(j * (size.samples / counted)));
  pairs = listed * static_cast<double>(size.samples) / static_cast<double>(counted);
  return pairs;
}

// A likelihood's measurement: bodies and points read once, and the arithmetic of every pair or of the listed
// ones.
inline Measurement capsule_measurement(const CapsuleSize& size, const Timing& timing, bool culled,
                                       const Limit& limit) {
  const auto samples = static_cast<double>(size.samples), capsules = static_cast<double>(size.capsules),
             points = static_cast<double>(size.points);
  const double pairs = culled ? listed_pairs(size) : samples * capsules * points;
  const double bytes =
      samples * capsules * sizeof(capsule_likelihood::Capsule) + points * sizeof(capsule_likelihood::Vec3);
  return {timing, bytes, 0, operations_per_pair * pairs, limit.operations_per_us()};
}

}  // namespace triptych::bench
