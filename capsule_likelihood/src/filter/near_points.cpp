#include <algorithm>
#include <cmath>
#include <utility>

#include "filter/near_points.hpp"

namespace triptych::capsule_likelihood {

namespace {

constexpr float cell_m = 0.02f;
constexpr float cells = 1024;  // along each axis; points beyond are in the outermost ones

// Two zeros behind each of ten bits.
std::uint32_t spread(std::uint32_t bits) {
  bits = (bits | bits << 16) & 0x030000ffu;
  bits = (bits | bits << 8) & 0x0300f00fu;
  bits = (bits | bits << 4) & 0x030c30c3u;
  return (bits | bits << 2) & 0x09249249u;
}

std::uint32_t morton_key(const Vec3& p) {
  const auto cell = [](float c) {
    return spread(static_cast<std::uint32_t>(std::clamp(c / cell_m + cells / 2, 0.0f, cells - 1)));
  };
  return cell(p.x) | cell(p.y) << 1 | cell(p.z) << 2;
}

}  // namespace

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
  constexpr float more = 1.00001f, less = 0.99999f;  // for rounding
  const Vec3 from = surface.from, axis = surface.axis;
  const float inverse = surface.inverse, radius = surface.radius_m;
  const float* const __restrict xs = points.x;
  const float* const __restrict ys = points.y;
  const float* const __restrict zs = points.z;
  const float* const __restrict bounds = points.bounds_m;
  float* const __restrict square_of = squares;
  std::int32_t* const __restrict is_near = near;
  for (std::size_t i = 0; i < count; ++i) {
    const float px = xs[i] - from.x, py = ys[i] - from.y, pz = zs[i] - from.z;
    const float along = (px * axis.x + py * axis.y + pz * axis.z) * inverse;
    const float t = 0.5f * (std::abs(along) - std::abs(along - 1) + 1);  // along, clamped to 0 .. 1
    const float qx = px - t * axis.x, qy = py - t * axis.y, qz = pz - t * axis.z;
    const float square = qx * qx + qy * qy + qz * qz;
    const float outer = more * (radius + bounds[i]), inner = less * (radius - bounds[i]);
    square_of[i] = square;
    const std::int32_t is_far = square >= outer * outer ? 1 : 0, is_deep = square <= inner * inner ? 1 : 0;
    is_near[i] = (1 - is_far) & (1 - (is_deep & (inner > 0 ? 1 : 0)));
  }
}

}  // namespace triptych::capsule_likelihood
