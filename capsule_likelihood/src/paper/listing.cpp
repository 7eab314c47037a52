#include <triptych/capsule_likelihood/listing.hpp>
#include <triptych/core/error.hpp>

#include <algorithm>
#include <cmath>

namespace triptych::capsule_likelihood {

namespace {

Vec3 minus(const Vec3& a, const Vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Vec3 plus_times(const Vec3& a, float s, const Vec3& b) {
  return {a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
float dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// The smallest positive root of A t^2 + 2 B t + C, or nothing (a negative number).
float smallest_positive_root(float a, float b, float c) {
  const float discriminant = b * b - a * c;
  if (discriminant < 0 || a == 0) return -1;
  const float root = std::sqrt(discriminant);
  const float first = (-b - root) / a;
  return first > 0 ? first : (-b + root) / a;
}

// |D - d| for the point x seen from p, or max_distance: equations 6 to 12.
float measurement(const Vec3& x, const Vec3& p, float r, const Vec3& a, const Vec3& b, float max_distance) {
  const Vec3 ray = minus(x, p);
  const float length = std::sqrt(dot(ray, ray));
  const Vec3 v{ray.x / length, ray.y / length, ray.z / length};
  const Vec3 ab = minus(b, a), pa = minus(p, a), pb = minus(p, b);
  const float bone = std::sqrt(dot(ab, ab));
  float met = -1;
  bool on_cylinder = false;
  if (bone > 0) {
    const Vec3 c{ab.x / bone, ab.y / bone, ab.z / bone};
    const Vec3 v_across = plus_times(v, -dot(v, c), c), p_across = plus_times(pa, -dot(pa, c), c);
    const float t = smallest_positive_root(dot(v_across, v_across), dot(v_across, p_across),
                                           dot(p_across, p_across) - r * r);
    const float along = dot(plus_times(pa, t, v), c);
    on_cylinder = t > 0 && along >= 0 && along <= bone;
    if (on_cylinder) met = t;
  }
  if (!on_cylinder) {
    const float at_a = smallest_positive_root(1, dot(v, pa), dot(pa, pa) - r * r);
    const float at_b = smallest_positive_root(1, dot(v, pb), dot(pb, pb) - r * r);
    met = at_a > 0 && at_b > 0 ? std::min(at_a, at_b) : std::max(at_a, at_b);
  }
  return met > 0 ? std::min(std::fabs(met - length), max_distance) : max_distance;
}

}  // namespace

void evaluate_listing_cpu(std::span<const Vec3> points, MatrixView<const Capsule> bodies, const Vec3& camera,
                          float max_distance, std::span<float> distances) {
  require(static_cast<std::size_t>(bodies.rows()) == distances.size(), "there are ", bodies.rows(),
          " bodies but ", distances.size(), " results");
  for (std::int64_t j = 0; j < bodies.rows(); ++j) {
    float sum = 0;
    for (const Vec3& x : points) {
      float value = max_distance;
      for (std::int64_t k = 0; k < bodies.cols(); ++k) {
        const Capsule& c = bodies(j, k);
        value = std::min(measurement(x, camera, c.radius_m, c.a, c.b, max_distance), value);
      }
      sum += value;
    }
    distances[static_cast<std::size_t>(j)] = sum;
  }
}

}  // namespace triptych::capsule_likelihood
