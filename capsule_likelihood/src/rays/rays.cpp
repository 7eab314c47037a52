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

// What became of some points.
struct Tally {
  PointCount count;
  std::uint64_t max_gain = 0;

  void add(const RayOfPoint& r, bool weighted) {
    ++(r.fate == Fate::used         ? count.used
       : r.fate == Fate::not_finite ? count.not_finite
                                    : count.not_in_front);
    if (r.fate == Fate::used) max_gain += capsule_likelihood::max_gain(weighted, r.weight);
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

// The numbers of the used rays by their places, equal ones in the order of the points: a radix sort in two
// rounds of 12 bits.
std::vector<std::uint32_t> sorted_by_place(const std::vector<RayOfPoint>& rays) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> from, to;
  from.reserve(rays.size());
  for (std::size_t i = 0; i < rays.size(); ++i) {
    if (rays[i].fate == Fate::used)
      from.emplace_back(place_of(rays[i].ray.x, rays[i].ray.y), static_cast<std::uint32_t>(i));
  }
  to.resize(from.size());
  constexpr int digit_bits = order_bits / 2;
  for (int shift = 0; shift < order_bits; shift += digit_bits) {
    std::array<std::uint32_t, (1 << digit_bits) + 1> start{};
    const auto digit = [&](std::uint32_t place) { return (place >> shift) & ((1u << digit_bits) - 1); };
    for (const auto& [place, i] : from) ++start[digit(place) + 1];
    for (std::size_t d = 1; d < start.size(); ++d) start[d] += start[d - 1];
    for (const auto& entry : from) to[start[digit(entry.first)]++] = entry;
    std::swap(from, to);
  }
  std::vector<std::uint32_t> order;
  order.reserve(from.size());
  for (const auto& [place, i] : from) order.push_back(i);
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

void check_measure(const Measure& m) {
  require(m.sigma_m > 0 && m.sigma_m <= largest_m, "sigma must be above 0, not ", m.sigma_m, " m");
  require(m.tau_m > 0 && m.tau_m <= largest_m, "tau must be above 0, not ", m.tau_m, " m");
  const auto fits = [](float c) { return std::fabs(c) <= largest_m; };
  require(fits(m.camera.x) && fits(m.camera.y) && fits(m.camera.z), "the camera cannot be at (", m.camera.x,
          ", ", m.camera.y, ", ", m.camera.z, ")");
}

void check_sigmas(std::size_t points, std::span<const float> sigma_m) {
  require(sigma_m.empty() || sigma_m.size() == points, "there are ", points, " points but ", sigma_m.size(),
          " sigmas");
  for (std::size_t i = 0; i < sigma_m.size(); ++i)
    require(sigma_m[i] > 0 && sigma_m[i] <= largest_m, "the sigma of point ", i, " must be above 0, not ",
            sigma_m[i], " m");
}

Rays::Rays(std::span<const Vec3> points, std::span<const float> sigma_m, const Measure& measure, int threads)
    : data_(std::make_unique<Data>()) {
  check_measure(measure);
  check_sigmas(points.size(), sigma_m);
  require(points.size() <= 0x7FFFFFFFu, points.size(), " points are too many");
  Data& d = *data_;
  d.measure = measure;
  d.weighted = !sigma_m.empty();
  const auto count = static_cast<std::int64_t>(points.size());
  std::vector<RayOfPoint> rays(points.size());
  const Tally tally =
      reduction::reduce_chunks(count, 512, threads, AddTallies{}, [&](std::int64_t begin, std::int64_t end) {
        Tally of_chunk;
        for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
          rays[k] = make_ray(points[k], d.weighted ? sigma_m[k] : measure.sigma_m, measure);
          of_chunk.add(rays[k], d.weighted);
        }
        return of_chunk;
      });
  d.count = tally.count;
  d.max_gain = tally.max_gain;

  const std::vector<std::uint32_t> order = sorted_by_place(rays);
  const std::size_t macros = (order.size() + macro_rays - 1) / macro_rays, padded = macros * macro_rays;
  for (auto* column : {&d.x, &d.y, &d.g, &d.h, &d.vv, &d.inverse_vv}) column->resize(padded);
  if (d.weighted) d.weight.resize(padded);
  std::vector<float> distance(order.size());
  d.macros.resize((macros + 31) / 32 * 32);
  for (std::size_t i = macros; i < d.macros.x.size(); ++i) d.macros.set(i, empty_bound());
  d.parts.resize(macros * parts_in_macro);
  parallel_for(0, static_cast<std::int64_t>(macros), threads, [&](std::int64_t macro) {
    const std::size_t first = static_cast<std::size_t>(macro) * macro_rays;
    for (std::size_t i = first; i < first + macro_rays; ++i) {
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
    d.macros.set(first / macro_rays, bound_of(d, distance, first, first + macro_rays));
    for (std::size_t part = first; part < first + macro_rays; part += part_rays)
      d.parts.set(part / part_rays, bound_of(d, distance, part, part + part_rays));
  });
}

Rays::Rays(Rays&&) noexcept = default;
Rays& Rays::operator=(Rays&&) noexcept = default;
Rays::~Rays() = default;

const PointCount& Rays::count() const { return data_->count; }
const Measure& Rays::measure() const { return data_->measure; }

}  // namespace triptych::capsule_likelihood
