// A made-up scene for tests and benches of the likelihood: a body of capsules some 3 m in front of the
// camera, points on a grid of rays (about a third on the body, the others on a wall behind it), and many
// jittered copies of the body.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>
#include <triptych/core/matrix_view.hpp>
#include <triptych/core/parallel.hpp>
#include <triptych/core/philox.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace triptych::test {

struct CapsuleScene {
  std::int64_t samples = 0, capsules = 0;
  std::vector<capsule_likelihood::Capsule> truth, bodies;  // bodies: samples x capsules
  std::vector<capsule_likelihood::Vec3> points;
  std::int64_t on_body = 0;

  MatrixView<const capsule_likelihood::Capsule> view() const { return {bodies.data(), samples, capsules}; }
  MatrixView<const capsule_likelihood::Capsule> view(std::int64_t first, std::int64_t count) const {
    return {bodies.data() + first * capsules, count, capsules};
  }
};

namespace detail {

inline double distance_to_capsule(double x, double y, double z, const capsule_likelihood::Capsule& c) {
  const double ax = x - c.a.x, ay = y - c.a.y, az = z - c.a.z;
  const double bx = double{c.b.x} - c.a.x, by = double{c.b.y} - c.a.y, bz = double{c.b.z} - c.a.z;
  const double ll = bx * bx + by * by + bz * bz;
  const double s = ll > 0 ? std::clamp((ax * bx + ay * by + az * bz) / ll, 0.0, 1.0) : 0.0;
  return std::hypot(ax - s * bx, ay - s * by, az - s * bz) - c.radius_m;
}

// The depth at which the ray (x, y, 1) first comes within 0.1 mm of a capsule, by steps that cannot
// overshoot; 0 when it does not.
inline double march(double x, double y, const std::vector<capsule_likelihood::Capsule>& body) {
  const double length = std::sqrt(x * x + y * y + 1);
  double t = 0;
  for (int step = 0; step < 200 && t < 8; ++step) {
    double gap = 8;
    for (const auto& c : body) gap = std::min(gap, distance_to_capsule(t * x, t * y, t, c));
    if (gap < 1e-4) return t;
    t += gap / length;
  }
  return 0;
}

}  // namespace detail

// The same numbers for the same arguments; points: their approximate number, on a grid.
inline CapsuleScene make_capsule_scene(std::int64_t samples, std::int64_t capsules, std::int64_t points,
                                       std::uint64_t seed = 1) {
  using capsule_likelihood::Capsule;
  CapsuleScene scene;
  scene.samples = samples;
  scene.capsules = capsules;
  PhiloxStream random(seed, 0);
  const auto uniform = [](PhiloxStream& from, float low, float high) {
    return low + (high - low) * from.next_uniform();
  };
  for (std::int64_t k = 0; k < capsules; ++k) {
    const auto position = random.next_normal_pair(), axis = random.next_normal_pair();
    const float x = 0.35f * position.first, y = uniform(random, -0.8f, 0.8f), z = 3 + 0.15f * position.second;
    const float dz = 0.4f * random.next_normal_pair().first, length = uniform(random, 0.1f, 0.35f);
    const float scale = length / std::max(std::hypot(axis.first, axis.second, dz), 1e-3f);
    scene.truth.push_back({{x, y, z},
                           uniform(random, 0.04f, 0.12f),
                           {x + scale * axis.first, y + scale * axis.second, z + scale * dz}});
  }
  scene.bodies.resize(static_cast<std::size_t>(samples * capsules));
  for (std::int64_t j = 0; j < samples; ++j) {
    PhiloxStream own(seed, 1 + static_cast<std::uint64_t>(j));
    const auto normal = [&](float spread) { return spread * own.next_normal_pair().first; };
    const float x = normal(0.03f), y = normal(0.03f), z = normal(0.03f);
    for (std::int64_t k = 0; k < capsules; ++k) {
      Capsule c = scene.truth[static_cast<std::size_t>(k)];
      c.a = {c.a.x + x + normal(0.02f), c.a.y + y + normal(0.02f), c.a.z + z + normal(0.02f)};
      c.b = {c.b.x + x + normal(0.02f), c.b.y + y + normal(0.02f), c.b.z + z + normal(0.02f)};
      scene.bodies[static_cast<std::size_t>(j * capsules + k)] = c;
    }
  }
  const auto width =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(std::sqrt(static_cast<double>(points) / 2.2)));
  scene.points.resize(static_cast<std::size_t>(points));
  const std::int64_t height = std::max<std::int64_t>(1, (points + width - 1) / width);
  std::vector<char> on_body(scene.points.size());
  parallel_for(0, points, 0, [&](std::int64_t i) {
    PhiloxStream own(seed + 1000, static_cast<std::uint64_t>(i));
    const std::int64_t row = i / width;
    const double x = (static_cast<double>(i % width) / static_cast<double>(width) - 0.5) * 0.6;
    const double y = (static_cast<double>(row) / static_cast<double>(height) - 0.5) * 0.75;
    const double length = std::sqrt(x * x + y * y + 1), hit = detail::march(x, y, scene.truth);
    on_body[static_cast<std::size_t>(i)] = hit > 0;
    const auto noise = own.next_normal_pair();
    const double z = hit > 0 ? hit + 0.01 * noise.first / length : 4 + 0.02 * noise.first;
    scene.points[static_cast<std::size_t>(i)] = {static_cast<float>(x * z), static_cast<float>(y * z),
                                                 static_cast<float>(z)};
  });
  scene.on_body = std::count(on_body.begin(), on_body.end(), 1);
  return scene;
}

// Points near and far, some far off the axis; capsules around the camera, behind it, beside it, huge, tiny,
// out of view, balls and without thickness: whatever culling could get wrong.
inline CapsuleScene make_hostile_scene(std::int64_t samples, std::int64_t capsules, std::int64_t points,
                                       std::uint64_t seed) {
  using capsule_likelihood::Capsule;
  using capsule_likelihood::Vec3;
  CapsuleScene scene;
  scene.samples = samples;
  scene.capsules = capsules;
  PhiloxStream random(seed, 0);
  const auto uniform = [&](float low, float high) { return low + (high - low) * random.next_uniform(); };
  for (std::int64_t i = 0; i < points; ++i) {
    const float z = uniform(0.01f, 1) * (i % 3 == 0 ? 20.0f : 1.0f), wide = i % 5 == 0 ? 30.0f : 1.0f;
    scene.points.push_back({z * wide * uniform(-1, 1), z * wide * uniform(-1, 1), z});
  }
  for (std::int64_t i = 0; i < samples * capsules; ++i) {
    const float scale = std::pow(10.0f, uniform(-2, 2));
    const auto position = [&] {
      return Vec3{uniform(-1, 1) * scale, uniform(-1, 1) * scale, uniform(-0.5f, 1) * scale};
    };
    Capsule c{position(), uniform(0, 0.5f) * scale, position()};
    if (i % 7 == 0) c.b = c.a;
    if (i % 11 == 0) c.radius_m = 0;
    scene.bodies.push_back(c);
  }
  return scene;
}

}  // namespace triptych::test
