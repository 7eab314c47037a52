// Which points of a cloud the evidence is measured on: the same on host and device.
#pragma once

#include <triptych/core/host_device.hpp>

#include <cstdint>

namespace triptych::capsule_likelihood {

inline constexpr std::int32_t evidence_points = 512;

TRIPTYCH_INLINE_HD std::int32_t evidence_size(std::int64_t points) {
  return points < evidence_points ? static_cast<std::int32_t>(points) : evidence_points;
}

// Point i of the sample, i < evidence_size(points): one from each of equal runs, not at equal steps, since
// points of a kind may come at equal steps.
TRIPTYCH_INLINE_HD std::int64_t evidence_index(std::int32_t i, std::int64_t points) {
  const std::int64_t size = evidence_size(points), begin = i * points / size,
                     length = (i + std::int64_t{1}) * points / size - begin;
  return begin + static_cast<std::int64_t>(static_cast<std::uint32_t>(i) * 2654435761u >> 13) % length;
}

}  // namespace triptych::capsule_likelihood
