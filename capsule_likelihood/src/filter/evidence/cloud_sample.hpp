// Samples of a cloud, for the evidence of an estimate and for its fit: the same on host and device.
#pragma once

#include <triptych/core/host_device.hpp>

#include <cstdint>

namespace triptych::capsule_likelihood {

inline constexpr std::int32_t evidence_points = 512, max_fit_points = 2048;

TRIPTYCH_INLINE_HD std::int32_t sample_size(std::int64_t count, std::int32_t max_size) {
  return count < max_size ? static_cast<std::int32_t>(count) : max_size;
}

// Point i of a sample of `size` points: one from each of equal runs, not at equal steps, since points of a
// kind may come at equal steps.
TRIPTYCH_INLINE_HD std::int64_t sample_index(std::int32_t i, std::int64_t count, std::int32_t size) {
  const std::int64_t begin = i * count / size, length = (i + std::int64_t{1}) * count / size - begin;
  return begin + static_cast<std::int64_t>(static_cast<std::uint32_t>(i) * 2654435761u >> 13) % length;
}

}  // namespace triptych::capsule_likelihood
