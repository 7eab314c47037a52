#include <algorithm>
#include <cmath>
#include <utility>

#include "filter/fit/morton_key.hpp"
#include "filter/fit/near_points.hpp"

namespace triptych::capsule_likelihood {

std::vector<std::uint32_t> order_along_curve(std::span<const Vec3> points) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> keys(points.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    keys[i] = {morton_key(points[i]), static_cast<std::uint32_t>(i)};
  std::sort(keys.begin(), keys.end());
  std::vector<std::uint32_t> order(points.size());
  std::transform(keys.begin(), keys.end(), order.begin(), [](const auto& key) { return key.second; });
  return order;
}

PointBlocks::PointBlocks(std::span<const Vec3> points) : size_(points.size()) {
  constexpr Vec3 nowhere = {1e15f, 1e15f, 1e15f};  // squares of distances from there are finite
  for (const Vec3& p : points) points_.add(p);
  while (points_.x.size() % block_size != 0) points_.add(nowhere);
  for (std::size_t first = 0; first < size_; first += block_size) {
    const std::size_t last = std::min(first + block_size, size_);
    const auto middle = [&](const std::vector<float>& c) {
      const auto [low, high] = std::minmax_element(c.begin() + static_cast<std::ptrdiff_t>(first),
                                                   c.begin() + static_cast<std::ptrdiff_t>(last));
      return 0.5f * *low + 0.5f * *high;
    };
    const Vec3 centre = {middle(points_.x), middle(points_.y), middle(points_.z)};
    double radius_m = 0;
    for (std::size_t i = first; i < last; ++i)
      radius_m = std::max(radius_m, length(detail::Vec((*this)[i]) - detail::Vec(centre)));
    centres_.add(centre);
    radii_m_.push_back(1.00001f * static_cast<float>(radius_m));
  }
}

void NearPoints::reset(const PointBlocks& blocks, float bound_m) {
  blocks_ = &blocks;
  bounds_m_.assign(blocks.points_.x.size(), bound_m);
  const std::size_t count = blocks.radii_m_.size();
  block_bounds_m_.resize(count);
  for (std::size_t b = 0; b < count; ++b) block_bounds_m_[b] = bound_m + blocks.radii_m_[b];
  squares_.resize(count);
  near_.resize(count);
  near_blocks_.resize(count);
}

void NearPoints::bound_block(std::size_t b) {
  const auto first = bounds_m_.begin() + static_cast<std::ptrdiff_t>(b * PointBlocks::block_size);
  block_bounds_m_[b] = *std::max_element(first, first + PointBlocks::block_size) + blocks_->radii_m_[b];
}

void NearPoints::test(const Tested& points, std::size_t count, const CapsuleSurface& surface, float* squares,
                      std::int32_t* near) {
  const CapsuleSurface capsule = surface;  // in registers: the arrays below might overlap it
  const float* const __restrict xs = points.x;
  const float* const __restrict ys = points.y;
  const float* const __restrict zs = points.z;
  const float* const __restrict bounds = points.bounds_m;
  float* const __restrict square_of = squares;
  std::int32_t* const __restrict is_near = near;
  for (std::size_t i = 0; i < count; ++i) {
    square_of[i] = capsule.square_to_axis(xs[i], ys[i], zs[i]);
    is_near[i] = static_cast<std::int32_t>(capsule.may_be_near(square_of[i], bounds[i]));
  }
}

}  // namespace triptych::capsule_likelihood
