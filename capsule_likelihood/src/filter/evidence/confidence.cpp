#include <algorithm>
#include <cmath>
#include <vector>

#include "filter/evidence/confidence.hpp"
#include "geometry/bounds.hpp"
#include "rays/rays_math.hpp"

namespace triptych::capsule_likelihood {

namespace {

// Of a body of 1.75 m.
constexpr double on_body_m = 0.03, near_body_m = 0.3, aside_m = 0.05, behind_m = 0.1;
constexpr double places[] = {0, 0.5, 1};  // along a capsule
constexpr std::int64_t places_per_capsule = std::ssize(places);

// Of the logistic function, fitted by bench/accuracy/accuracy.py --only body_confidence --calibrate to poses
// followed from true and wrong starts (rendered walks, CMU motions, MHAD depth images) and to clouds without
// a person.
constexpr struct {
  double constant, on_body, near_on_body, body_seen;
} coefficients = {-28.46, 2.18, 15.97, 14.28};

// As the rays have it: within 1000 km, and in front of the camera. False for NaN.
bool is_usable(float x, float y, float z) {
  const float edge = static_cast<float>(steepest) * z;
  return z > 0 && z <= largest_m && std::abs(x) <= std::min(edge, largest_m) &&
         std::abs(y) <= std::min(edge, largest_m);
}

// The sample by coordinate, about the camera, padded to whole blocks with points that are far from
// everything.
constexpr std::size_t block = 64;
struct Points {
  std::array<float, evidence_points> x, y, z, u, v;  // u, v: in the image plane
  std::size_t size = 0;                              // without the padding

  Points(std::span<const Vec3> sample, const SensorModel& sensor) {
    constexpr float far = 1e9f;
    for (auto* column : {&x, &y, &z, &u, &v}) column->fill(far);
    for (const Vec3& p : sample) {
      x[size] = p.x - sensor.camera.x;
      y[size] = p.y - sensor.camera.y;
      z[size] = p.z - sensor.camera.z;
      if (!is_usable(x[size], y[size], z[size])) continue;
      u[size] = x[size] / z[size];
      v[size] = y[size] / z[size];
      ++size;
    }
  }
  std::size_t padded() const { return (size + block - 1) / block * block; }
};

float square(double x) { return static_cast<float>(x * x); }

struct Counts {
  std::int64_t on_body = 0, near_body = 0;
};

Counts count_points(const Points& points, std::span<const Capsule> body, const Vec3& camera, double scale) {
  // Bits by point: 1 near the body, 2 outside or on the surface, 4 deep inside.
  std::array<std::int32_t, evidence_points> bits{};
  const std::size_t padded = points.padded();
  for (const Capsule& c : body) {
    const float ax = c.a.x - camera.x, ay = c.a.y - camera.y, az = c.a.z - camera.z;
    const float dx = c.b.x - c.a.x, dy = c.b.y - c.a.y, dz = c.b.z - c.a.z;
    const float length = dx * dx + dy * dy + dz * dz, inverse = length > 0 ? 1 / length : 0.0f;
    const double r = double{c.radius_m}, inside = r - on_body_m * scale;
    const float near = square(r + near_body_m * scale), on = square(r + on_body_m * scale),
                deep = inside > 0 ? square(inside) : -1.0f;
    for (std::size_t i = 0; i < padded; ++i) {
      const float px = points.x[i] - ax, py = points.y[i] - ay, pz = points.z[i] - az;
      const float along = (px * dx + py * dy + pz * dz) * inverse;
      const float t = 0.5f * (std::abs(along) - std::abs(along - 1) + 1);  // along, clamped to 0 .. 1
      const float qx = px - t * dx, qy = py - t * dy, qz = pz - t * dz;
      const float d = qx * qx + qy * qy + qz * qz;
      bits[i] |= static_cast<std::int32_t>(d < near) | static_cast<std::int32_t>(d < on) * 2 |
                 static_cast<std::int32_t>(d < deep) * 4;
    }
  }
  Counts counts;
  for (std::size_t i = 0; i < points.size; ++i) {
    counts.near_body += bits[i] & 1;
    counts.on_body += (bits[i] & 6) == 2 ? 1 : 0;
  }
  return counts;
}

// Whether a point lies at a place of the body or before it, as seen from the camera.
bool is_shown(const Points& points, double x, double y, double z, double scale) {
  if (!(z > 0)) return false;
  const auto u = static_cast<float>(x / z), v = static_cast<float>(y / z);
  const float aside = square(aside_m * scale / z);
  const auto farthest = static_cast<float>(z + behind_m * scale);
  for (std::size_t begin = 0; begin < points.padded(); begin += block) {
    std::int32_t hits = 0;
    for (std::size_t i = begin; i < begin + block; ++i) {
      const float du = points.u[i] - u, dv = points.v[i] - v;
      hits |= (du * du + dv * dv < aside ? 1 : 0) & (points.z[i] < farthest ? 1 : 0);
    }
    if (hits != 0) return true;
  }
  return false;
}

// False for NaN.
bool is_outside(const ImageBounds& image, double x, double y, double z) {
  return z > 0 &&
         (x < image.low_u * z || x > image.high_u * z || y < image.low_v * z || y > image.high_v * z);
}

std::int64_t seen_places(const Points& points, std::span<const Capsule> body, const Vec3& camera,
                         double scale, const ImageBounds& image) {
  std::int64_t seen = 0;
  for (const Capsule& c : body) {
    for (const double t : places) {
      const auto at = [t](float a, float b, float origin) {
        return double{a} + t * (double{b} - double{a}) - double{origin};
      };
      const double x = at(c.a.x, c.b.x, camera.x), y = at(c.a.y, c.b.y, camera.y),
                   z = at(c.a.z, c.b.z, camera.z);
      const double distance = std::sqrt(x * x + y * y + z * z);
      const double nearer = distance > 0 ? 1 - double{c.radius_m} / distance : 0;
      seen +=
          is_outside(image, x, y, z) || is_shown(points, nearer * x, nearer * y, nearer * z, scale) ? 1 : 0;
    }
  }
  return seen;
}

double share_of(std::int64_t part, std::int64_t whole) {
  return static_cast<double>(part) / static_cast<double>(std::max<std::int64_t>(1, whole));
}

}  // namespace

double body_scale(const Skeleton& skeleton) {
  const Bounds3 bounds = bounds_of(skeleton.capsules(skeleton.rest_pose()));
  return std::max({bounds.x.length(), bounds.y.length(), bounds.z.length(), 1e-3}) / 1.75;
}

double confidence_of(const Evidence& e) {
  const double z = coefficients.constant + coefficients.on_body * e.on_body +
                   coefficients.near_on_body * e.near_on_body + coefficients.body_seen * e.body_seen;
  return std::isfinite(z) ? 1 / (1 + std::exp(-std::clamp(z, -700.0, 700.0))) : 0;
}

Evidence EvidenceCounts::evidence() const {
  return {share_of(on_body, points), share_of(on_body, near_body), share_of(seen, places)};
}

EvidenceCounts count_evidence(std::span<const Capsule> body, double scale, std::span<const Vec3> sample,
                              const SensorModel& sensor) {
  EvidenceCounts counts;
  const Points points(sample, sensor);
  if (points.size == 0) return counts;
  const Counts found = count_points(points, body, sensor.camera, scale);
  counts.points = static_cast<std::int64_t>(points.size);
  counts.on_body = found.on_body;
  counts.near_body = found.near_body;
  counts.places = places_per_capsule * std::ssize(body);
  counts.seen = seen_places(points, body, sensor.camera, scale, {});
  return counts;
}

std::int64_t count_near_body(std::span<const Capsule> body, double scale, std::span<const Vec3> sample,
                             const SensorModel& sensor) {
  return count_points(Points(sample, sensor), body, sensor.camera, scale).near_body;
}

ImageBounds ImageBounds::of(std::span<const Vec3> points, const SensorModel& sensor) {
  ImageBounds bounds{endless, -endless, endless, -endless};
  for (const Vec3& p : points) {
    const float x = p.x - sensor.camera.x, y = p.y - sensor.camera.y, z = p.z - sensor.camera.z;
    if (!is_usable(x, y, z)) continue;
    bounds.low_u = std::min(bounds.low_u, x / z);
    bounds.high_u = std::max(bounds.high_u, x / z);
    bounds.low_v = std::min(bounds.low_v, y / z);
    bounds.high_v = std::max(bounds.high_v, y / z);
  }
  return bounds;
}

EvidenceCounts count_seen(std::span<const Capsule> body, double scale, std::span<const Vec3> sample,
                          const SensorModel& sensor, const ImageBounds& image) {
  EvidenceCounts counts;
  const Points points(sample, sensor);
  if (points.size == 0) return counts;
  counts.places = places_per_capsule * std::ssize(body);
  counts.seen = seen_places(points, body, sensor.camera, scale, image);
  return counts;
}

void add_confidence(Estimate& estimate, const Skeleton& skeleton, double scale, std::span<const Vec3> sample,
                    const SensorModel& sensor) {
  estimate.evidence = count_evidence(skeleton.capsules(estimate.pose), scale, sample, sensor).evidence();
  estimate.confidence = confidence_of(estimate.evidence);
}

}  // namespace triptych::capsule_likelihood
