// Which points are near a capsule's surface: points in blocks of neighbours, so that most of them are ruled
// out with their block.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "filter/fit/capsule_surface.hpp"

namespace triptych::capsule_likelihood {

// The indices of the points along a curve through space (Morton, 1966): neighbours follow each other.
std::vector<std::uint32_t> order_along_curve(std::span<const Vec3> points);

class PointBlocks {
 public:
  static constexpr std::size_t block_size = 16;

  // In an order in which neighbours follow each other.
  explicit PointBlocks(std::span<const Vec3> points = {});

  std::size_t size() const { return size_; }
  Vec3 operator[](std::size_t i) const { return {points_.x[i], points_.y[i], points_.z[i]}; }

 private:
  friend class NearPoints;
  struct Columns {
    std::vector<float> x, y, z;
    void add(const Vec3& p) {
      x.push_back(p.x);
      y.push_back(p.y);
      z.push_back(p.z);
    }
  };
  std::size_t size_;
  Columns points_, centres_;    // points: padded to whole blocks by some that are near nothing
  std::vector<float> radii_m_;  // of spheres around the blocks
};

class NearPoints {
 public:
  // Surfaces count up to this distance from each point. blocks must outlive this object.
  void reset(const PointBlocks& blocks, float bound_m);
  // From now on they count up to this distance from point i, no farther than before.
  void set_bound(std::size_t i, float bound_m) { bounds_m_[i] = bound_m; }

  // Calls visit(i, square of the distance to the axis) for each point that is nearer to the surface than its
  // bound, and for some that are a little farther.
  template <class Visit>
  void visit(const CapsuleSurface& surface, const Visit& visit_point) {
    const PointBlocks::Columns& centres = blocks_->centres_;
    const std::size_t count = blocks_->radii_m_.size();
    test({centres.x.data(), centres.y.data(), centres.z.data(), block_bounds_m_.data()}, count, surface,
         squares_.data(), near_.data());
    std::size_t near_count = 0;
    for (std::size_t b = 0; b < count; ++b) {  // without a branch, which would be mispredicted
      near_blocks_[near_count] = static_cast<std::uint32_t>(b);
      near_count += static_cast<std::size_t>(near_[b]);
    }
    for (std::size_t n = 0; n < near_count; ++n) visit_block(near_blocks_[n], surface, visit_point);
  }

 private:
  struct Tested {
    const float *x, *y, *z, *bounds_m;
  };
  // near[i]: 1 when the surface may be nearer to point i than its bound, else 0.
  static void test(const Tested& points, std::size_t count, const CapsuleSurface& surface, float* squares,
                   std::int32_t* near);

  template <class Visit>
  void visit_block(std::size_t b, const CapsuleSurface& surface, const Visit& visit_point) {
    constexpr std::size_t size = PointBlocks::block_size;
    const std::size_t first = b * size;
    const PointBlocks::Columns& points = blocks_->points_;
    std::array<float, size> squares;
    std::array<std::int32_t, size> near;
    test({&points.x[first], &points.y[first], &points.z[first], &bounds_m_[first]}, size, surface,
         squares.data(), near.data());
    const std::size_t count = std::min(size, blocks_->size() - first);  // without the padding
    for (std::size_t i = 0; i < count; ++i)
      if (near[i] != 0) visit_point(first + i, squares[i]);
    bound_block(b);
  }
  void bound_block(std::size_t b);

  const PointBlocks* blocks_ = nullptr;
  std::vector<float> bounds_m_, block_bounds_m_;  // of each point; of each block's centre
  std::vector<float> squares_;
  std::vector<std::int32_t> near_;
  std::vector<std::uint32_t> near_blocks_;
};

}  // namespace triptych::capsule_likelihood
