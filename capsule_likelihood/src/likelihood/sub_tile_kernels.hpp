// The innermost loops of the culled likelihood on the CPU, one set for each path.
#pragma once

#include <cstdint>
#include <span>

#include "likelihood/evaluate_paths.hpp"
#include "rays/cull_math.hpp"
#include "rays/rays_data.hpp"

namespace triptych::capsule_likelihood {

struct SubTileKernels {
  // The capsules of a body made ready.
  void (*prepare_body)(std::span<const Capsule> body, const SensorModel& sensor, PreparedCapsule* prepared,
                       CullShape* shapes);
  // Bit i: the shape may hit tile first + i, for 32 tiles.
  std::uint32_t (*may_hit_32)(const Bounds& tiles, std::size_t first, const CullShape& shape);
  // What the 32 rays from first on gain by the listed capsules of a body.
  std::uint64_t (*gain_of_sub_tile)(const Rays::Data& rays, std::size_t first, const PreparedCapsule* body,
                                    std::span<const std::uint32_t> listed);
};

// InvalidArgument when the machine lacks the path.
SubTileKernels sub_tile_kernels(CpuPath path);

}  // namespace triptych::capsule_likelihood
