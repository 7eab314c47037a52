// Renders bodies to noisy points. Compiled with contraction off, so that a seed gives the same bits on every
// machine.
#include <triptych/capsule_likelihood/render.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/parallel.hpp>
#include <triptych/core/philox.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include "geometry/limits.hpp"
#include "synthetic/ray_cast.hpp"

namespace triptych::capsule_likelihood {

namespace {

using detail::Vec;

bool is_position(const Vec3& p) {
  return std::abs(p.x) <= max_position_m && std::abs(p.y) <= max_position_m &&
         std::abs(p.z) <= max_position_m;
}

// A rectangle of the image at distance 1: x / z and y / z.
struct ImageBox {
  double x0 = 1e300, x1 = -1e300, y0 = 1e300, y1 = -1e300;

  void include(const ImageBox& other) {
    x0 = std::min(x0, other.x0);
    x1 = std::max(x1, other.x1);
    y0 = std::min(y0, other.y0);
    y1 = std::max(y1, other.y1);
  }
  bool holds(double x, double y) const { return x >= x0 && x <= x1 && y >= y0 && y <= y1; }
  ImageBox grown(double factor) const {
    const double dx = 0.5 * (factor - 1) * (x1 - x0), dy = 0.5 * (factor - 1) * (y1 - y0);
    return {x0 - dx, x1 + dx, y0 - dy, y1 + dy};
  }
};

struct Target {
  Vec a, b;
  double radius;
  ImageBox box;
};

// Where a sphere lies in the image: between its tangents through the camera.
ImageBox box_of(const Vec& p, double r) {
  const double depth = p.z * p.z - r * r;
  const double dx = r * std::sqrt(p.x * p.x + depth), dy = r * std::sqrt(p.y * p.y + depth);
  return {(p.x * p.z - dx) / depth, (p.x * p.z + dx) / depth, (p.y * p.z - dy) / depth,
          (p.y * p.z + dy) / depth};
}

class Scene {
 public:
  Scene(std::span<const Capsule> body, const Vec3& camera) : camera_(camera) {
    require(!body.empty(), "a body without capsules cannot be rendered");
    require(is_position(camera), "the camera is not finite, or farther than 1000 km");
    require(std::ranges::any_of(body, [](const Capsule& c) { return !(c.radius_m <= 0); }),
            "the body is too thin to be seen: all radii are 0");
    double total = 0;
    for (std::size_t i = 0; i < body.size(); ++i) {
      Target target{Vec(body[i].a) - camera_, Vec(body[i].b) - camera_, body[i].radius_m, {}};
      const double nearest = std::min(target.a.z, target.b.z) - target.radius;
      require(nearest > 1e-3 && is_position(body[i].a) && is_position(body[i].b) && target.radius >= 0,
              "capsule ", i, " is not wholly in front of the camera, not finite, or farther than 1000 km");
      target.box = box_of(target.a, target.radius);
      target.box.include(box_of(target.b, target.radius));
      box_.include(target.box);
      total += length(target.a) + length(target.b);
      lowest_ = std::min({lowest_, target.a.y - target.radius, target.b.y - target.radius});
      farthest_ = std::max({farthest_, target.a.z + target.radius, target.b.z + target.radius});
      targets_.push_back(target);
    }
    distance_ = total / (2.0 * static_cast<double>(body.size()));
  }

  double hit(const Vec& ray) const {
    const Vec v = (1 / length(ray)) * ray;
    double nearest = detail::no_hit;
    for (const Target& target : targets_) {
      if (!target.box.holds(ray.x, ray.y)) continue;
      nearest = std::fmin(nearest, detail::capsule_hit(v, target.a, target.b, target.radius));
    }
    return nearest;
  }

  // The floor under the body or the wall a metre behind it, whichever comes first.
  double room_hit(const Vec& ray) const {
    const double per_depth = length(ray);
    const double wall = (farthest_ + 1) * per_depth;
    return ray.y < 0 && lowest_ < 0 ? std::min(wall, lowest_ / ray.y * per_depth) : wall;
  }

  Vec3 point(const Vec& ray, double distance) const {
    return (camera_ + (distance / length(ray)) * ray).to_float();
  }

  const ImageBox& box() const { return box_; }
  double distance() const { return distance_; }

 private:
  Vec camera_;
  std::vector<Target> targets_;
  ImageBox box_;
  double distance_ = 0, lowest_ = 1e300, farthest_ = -1e300;
};

// An even spread over the unit square that can go on for ever: multiples of two numbers that are hard to
// approximate (powers of the plastic number's inverse), from a start that the seed gives.
class EvenSpread {
 public:
  EvenSpread(std::uint64_t seed, std::uint64_t stream, const ImageBox& box) : box_(box) {
    const Philox4x32 start = PhiloxStream(seed, stream).block(0);
    x_ = uniform_double(start[0], start[1]);
    y_ = uniform_double(start[2], start[3]);
  }
  // A ray with z = 1.
  Vec ray(std::int64_t i) const {
    const auto n = static_cast<double>(i);
    const double u = x_ + n * 0.75487766624669276, v = y_ + n * 0.56984029099805327;
    return {box_.x0 + (u - std::floor(u)) * (box_.x1 - box_.x0),
            box_.y0 + (v - std::floor(v)) * (box_.y1 - box_.y0), 1};
  }

 private:
  ImageBox box_;
  double x_, y_;
};

struct Hit {
  Vec ray;
  double distance;
};

// The first `wanted` rays of the sequence for which hit() is true, in order.
template <class F>
std::vector<Hit> cast(const EvenSpread& spread, std::int64_t wanted, int threads, F&& hit) {
  std::vector<Hit> hits;
  std::vector<double> distances;
  std::int64_t next = 0;
  while (static_cast<std::int64_t>(hits.size()) < wanted) {
    const std::int64_t batch = 2 * wanted + 1024;
    // One ray in 4000 must hit.
    require(next < 4000 * (static_cast<std::int64_t>(hits.size()) + 1024), "the body is too thin to be seen");
    distances.resize(static_cast<std::size_t>(batch));
    parallel_chunks(batch, 2048, threads, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
      for (std::int64_t i = begin; i < end; ++i) {
        distances[static_cast<std::size_t>(i)] = hit(spread.ray(next + i));
      }
    });
    for (std::int64_t i = 0; i < batch && static_cast<std::int64_t>(hits.size()) < wanted; ++i) {
      const double distance = distances[static_cast<std::size_t>(i)];
      if (distance < detail::no_hit) hits.push_back({spread.ray(next + i), distance});
    }
    next += batch;
  }
  return hits;
}

void check(const RenderOptions& options) {
  const auto share = [](float value) { return value >= 0 && value < 1; };
  require(options.points >= 0 && options.points <= max_rendered_points, "cannot render ", options.points,
          " points: 0 to ", max_rendered_points, " are possible");
  require(options.noise_m >= 0 && options.noise_m <= 1000, "a noise of ", options.noise_m,
          " m is out of range: 0 to 1000 m are possible");
  const float reference_m = options.noise_reference_m;
  require(reference_m == 0 || (reference_m >= 1e-3f && reference_m <= max_position_m),
          "a reference distance of ", reference_m, " m is out of range: 0, or 0.001 to 10^6 m, are possible");
  require(share(options.outliers) && share(options.background) && options.outliers + options.background < 1,
          "outliers (", options.outliers, ") and background (", options.background,
          ") are shares from 0 to below 1, also together");
}

// How many of the first i of many are of a kind with this share: grows by 1 where an element is.
std::int64_t count_of(float share, std::int64_t i) {
  return static_cast<std::int64_t>(std::floor(static_cast<double>(share) * static_cast<double>(i)));
}

}  // namespace

std::vector<Vec3> render_points(std::span<const Capsule> body, const RenderOptions& options, int threads) {
  check(options);
  const Scene scene(body, options.camera);
  const std::int64_t outliers = count_of(options.outliers, options.points);
  const std::int64_t both = count_of(options.outliers + options.background, options.points);
  enum Stream : std::uint64_t { body_rays, room_rays, outlier_rays, noise, outlier_distances };
  const std::vector<Hit> on_body =
      cast(EvenSpread(options.seed, body_rays, scene.box()), options.points - both, threads,
           [&](const Vec& ray) { return scene.hit(ray); });
  const std::vector<Hit> on_room = cast(
      EvenSpread(options.seed, room_rays, scene.box().grown(2)), both - outliers, threads,
      [&](const Vec& ray) { return scene.hit(ray) < detail::no_hit ? detail::no_hit : scene.room_hit(ray); });
  const EvenSpread anywhere(options.seed, outlier_rays, scene.box().grown(1.2));
  const PhiloxStream noises(options.seed, noise), positions(options.seed, outlier_distances);

  std::vector<Vec3> points;
  points.reserve(static_cast<std::size_t>(options.points));
  std::size_t body_next = 0, room_next = 0;
  std::int64_t outlier_next = 0;
  for (std::int64_t i = 0; i < options.points; ++i) {
    if (count_of(options.outliers, i + 1) > count_of(options.outliers, i)) {
      const Philox4x32 random = positions.block(static_cast<std::uint64_t>(i));
      const double share = 0.5 + 1.1 * uniform_double(random[0], random[1]);
      points.push_back(scene.point(anywhere.ray(outlier_next++), share * scene.distance()));
      continue;
    }
    const bool room = room_next < on_room.size() &&
                      (body_next == on_body.size() ||
                       static_cast<double>(room_next) * static_cast<double>(on_body.size()) <
                           static_cast<double>(body_next) * static_cast<double>(on_room.size()));
    const Hit& hit = room ? on_room[room_next++] : on_body[body_next++];
    const Philox4x32 random = noises.block(static_cast<std::uint64_t>(i));
    double sigma = options.noise_m;
    if (options.noise_reference_m > 0) {
      const double ratio = hit.distance / options.noise_reference_m;
      sigma *= ratio * ratio;
    }
    points.push_back(scene.point(hit.ray, hit.distance + sigma * normal_pair(random[0], random[1]).first));
  }
  return points;
}

double first_hit_m(std::span<const Capsule> body, const Vec3& camera, const Vec3& direction) {
  const Vec from(camera), along(direction);
  require(std::isfinite(length(from)), "the camera is not finite");
  require(length(along) > 0 && std::isfinite(length(along)), "the direction of a ray is 0 or not finite");
  const Vec v = (1 / length(along)) * along;
  double nearest = detail::no_hit;
  for (const Capsule& capsule : body) {
    nearest = std::fmin(
        nearest, detail::capsule_hit(v, Vec(capsule.a) - from, Vec(capsule.b) - from, capsule.radius_m));
  }
  return nearest < detail::no_hit ? nearest : -1;
}

}  // namespace triptych::capsule_likelihood
