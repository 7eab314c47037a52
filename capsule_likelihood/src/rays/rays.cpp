#include <triptych/capsule_likelihood/rays.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/parallel.hpp>
#include <triptych/reduction/collective/chunks.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "rays/rays_data.hpp"
#include "rays/rays_math.hpp"

namespace triptych::capsule_likelihood {

namespace {

// Counts of some points.
struct Tally {
  PointCount count;
  std::uint64_t max_gain = 0;

  void add(const RayOfPoint& r, bool weighted) {
    ++(r.status == RayStatus::used         ? count.used
       : r.status == RayStatus::not_finite ? count.not_finite
                                           : count.not_in_front);
    if (r.status == RayStatus::used) max_gain += capsule_likelihood::max_gain(weighted, r.weight);
  }
};

struct AddTallies {
  using Value = Tally;
  Tally identity() const { return {}; }
  Tally operator()(const Tally& a, const Tally& b) const {
    return {{a.count.used + b.count.used, a.count.not_finite + b.count.not_finite,
             a.count.not_in_front + b.count.not_in_front},
            a.max_gain + b.max_gain};
  }
};

// The numbers of the used rays, sorted by Hilbert key; equal keys keep the order of the points: a radix sort
// in two passes of 12 bits.
std::vector<std::uint32_t> sorted_by_key(const std::vector<RayOfPoint>& rays) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> from, to;
  from.reserve(rays.size());
  for (std::size_t i = 0; i < rays.size(); ++i) {
    if (rays[i].status == RayStatus::used)
      from.emplace_back(hilbert_key(rays[i].ray.x, rays[i].ray.y), static_cast<std::uint32_t>(i));
  }
  to.resize(from.size());
  constexpr int digit_bits = order_bits / 2;
  for (int shift = 0; shift < order_bits; shift += digit_bits) {
    std::array<std::uint32_t, (1 << digit_bits) + 1> start{};
    const auto digit = [&](std::uint32_t key) { return (key >> shift) & ((1u << digit_bits) - 1); };
    for (const auto& [key, i] : from) ++start[digit(key) + 1];
    for (std::size_t d = 1; d < start.size(); ++d) start[d] += start[d - 1];
    for (const auto& entry : from) to[start[digit(entry.first)]++] = entry;
    std::swap(from, to);
  }
  std::vector<std::uint32_t> order;
  order.reserve(from.size());
  for (const auto& [key, i] : from) order.push_back(i);
  return order;
}

TileBound bound_of(const Rays::Data& d, const std::vector<float>& distance, std::size_t first,
                   std::size_t last) {
  last = std::min(last, distance.size());
  if (first >= last) return empty_bound();
  float left = d.x[first], right = left, low = d.y[first], high = low;
  TileBound bound{0, 0, 0, distance[first], distance[first]};
  for (std::size_t i = first; i < last; ++i) {
    left = std::min(left, d.x[i]);
    right = std::max(right, d.x[i]);
    low = std::min(low, d.y[i]);
    high = std::max(high, d.y[i]);
    bound.nearest_m = std::min(bound.nearest_m, distance[i]);
    bound.farthest_m = std::max(bound.farthest_m, distance[i]);
  }
  bound.x = 0.5f * (left + right);
  bound.y = 0.5f * (low + high);
  for (std::size_t i = first; i < last; ++i) {
    const float dx = d.x[i] - bound.x, dy = d.y[i] - bound.y;
    bound.radius = std::max(bound.radius, dx * dx + dy * dy);
  }
  bound.radius = std::sqrt(bound.radius) * 1.00001f;
  return bound;
}

}  // namespace

void check_sensor(const SensorModel& m) {
  const auto is_length = [](float length) { return length >= 1e-6f && length <= largest_m; };
  require(is_length(m.sigma_m), "sigma must be above 0: 10^-6 to 10^6 m, not ", m.sigma_m, " m");
  require(is_length(m.tau_m), "tau must be above 0: 10^-6 to 10^6 m, not ", m.tau_m, " m");
  const auto fits = [](float c) { return std::fabs(c) <= largest_m; };
  require(fits(m.camera.x) && fits(m.camera.y) && fits(m.camera.z), "the camera cannot be at (", m.camera.x,
          ", ", m.camera.y, ", ", m.camera.z, ")");
  require(m.loss == Loss::squared || m.loss == Loss::absolute, "the loss of a sensor model is unknown");
  require(m.surface == Surface::closest || m.surface == Surface::first,
          "the surface of a sensor model is unknown");
  require(m.inside == CameraInside::exit_surface || m.inside == CameraInside::ignore,
          "inside, of a sensor model, is unknown");
}

void check_sigmas(std::size_t points, std::span<const float> sigma_m) {
  require(sigma_m.empty() || sigma_m.size() == points, "there are ", points, " points but ", sigma_m.size(),
          " sigmas");
  for (std::size_t i = 0; i < sigma_m.size(); ++i)
    require(sigma_m[i] > 0 && sigma_m[i] <= largest_m, "the sigma of point ", i, " must be above 0, not ",
            sigma_m[i], " m");
}

Rays::Rays(std::span<const Vec3> points, std::span<const float> sigma_m, const SensorModel& sensor,
           int threads)
    : data_(std::make_unique<Data>()) {
  check_sensor(sensor);
  check_sigmas(points.size(), sigma_m);
  require(points.size() <= static_cast<std::size_t>(max_rays), points.size(),
          " points are too many: at most ", max_rays);
  Data& d = *data_;
  d.sensor = sensor;
  d.weighted = !sigma_m.empty();
  const auto count = static_cast<std::int64_t>(points.size());
  std::vector<RayOfPoint> rays(points.size());
  const Tally tally =
      reduction::reduce_chunks(count, 512, threads, AddTallies{}, [&](std::int64_t begin, std::int64_t end) {
        Tally of_chunk;
        for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
          rays[k] = make_ray(points[k], d.weighted ? sigma_m[k] : sensor.sigma_m, sensor);
          of_chunk.add(rays[k], d.weighted);
        }
        return of_chunk;
      });
  d.count = tally.count;
  d.max_gain = tally.max_gain;

  const std::vector<std::uint32_t> order = sorted_by_key(rays);
  const std::size_t ray_blocks = (order.size() + rays_per_ray_block - 1) / rays_per_ray_block,
                    padded = ray_blocks * rays_per_ray_block;
  for (auto* column : {&d.x, &d.y, &d.g, &d.h, &d.vv, &d.inverse_vv}) column->resize(padded);
  if (d.weighted) d.weight.resize(padded);
  std::vector<float> distance(order.size());
  d.ray_blocks.resize((ray_blocks + 31) / 32 * 32);
  for (std::size_t i = ray_blocks; i < d.ray_blocks.x.size(); ++i) d.ray_blocks.set(i, empty_bound());
  d.sub_tiles.resize(ray_blocks * sub_tiles_per_ray_block);
  parallel_for(0, static_cast<std::int64_t>(ray_blocks), threads, [&](std::int64_t ray_block) {
    const std::size_t first = static_cast<std::size_t>(ray_block) * rays_per_ray_block;
    for (std::size_t i = first; i < first + rays_per_ray_block; ++i) {
      const bool real = i < order.size();
      const Ray ray = real ? rays[order[i]].ray : padding_ray();
      const RayDirection v = ray_direction(ray.x, ray.y);
      d.x[i] = ray.x;
      d.y[i] = ray.y;
      d.g[i] = ray.g;
      d.h[i] = ray.h;
      d.vv[i] = v.vv;
      d.inverse_vv[i] = v.inverse_vv;
      if (d.weighted) d.weight[i] = real ? rays[order[i]].weight : 0;
      if (real) distance[i] = rays[order[i]].distance_m;
    }
    d.ray_blocks.set(first / rays_per_ray_block, bound_of(d, distance, first, first + rays_per_ray_block));
    for (std::size_t sub_tile = first; sub_tile < first + rays_per_ray_block; sub_tile += rays_per_sub_tile)
      d.sub_tiles.set(sub_tile / rays_per_sub_tile,
                      bound_of(d, distance, sub_tile, sub_tile + rays_per_sub_tile));
  });
}

Rays::Rays(Rays&&) noexcept = default;
Rays& Rays::operator=(Rays&&) noexcept = default;
Rays::~Rays() = default;

const PointCount& Rays::count() const { return data_->count; }
double Rays::max_loss() const {
  return capsule_likelihood::max_loss(data_->sensor, data_->weighted, data_->max_gain);
}
const SensorModel& Rays::sensor() const { return data_->sensor; }

}  // namespace triptych::capsule_likelihood
