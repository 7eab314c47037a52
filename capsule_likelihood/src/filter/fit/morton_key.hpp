// The place of a point along a curve through space (Morton, 1966): the same bits on host and device.
#pragma once

#include <triptych/capsule_likelihood/geometry.hpp>
#include <triptych/core/host_device.hpp>

#include <cstdint>

namespace triptych::capsule_likelihood {

// Two zeros behind each of ten bits.
TRIPTYCH_INLINE_HD std::uint32_t spread_bits(std::uint32_t bits) {
  bits = (bits | bits << 16) & 0x030000ffu;
  bits = (bits | bits << 8) & 0x0300f00fu;
  bits = (bits | bits << 4) & 0x030c30c3u;
  return (bits | bits << 2) & 0x09249249u;
}

// Cells of 2 cm. Points beyond the 1024 cells of an axis are in the outermost ones.
TRIPTYCH_INLINE_HD std::uint32_t morton_cell(float coordinate_m) {
  constexpr float cell_m = 0.02f, cells = 1024;
  const float at = coordinate_m / cell_m + cells / 2;
  return spread_bits(static_cast<std::uint32_t>(at < 0 ? 0.0f : at > cells - 1 ? cells - 1 : at));
}

TRIPTYCH_INLINE_HD std::uint32_t morton_key(const Vec3& p) {
  return morton_cell(p.x) | morton_cell(p.y) << 1 | morton_cell(p.z) << 2;
}

}  // namespace triptych::capsule_likelihood
