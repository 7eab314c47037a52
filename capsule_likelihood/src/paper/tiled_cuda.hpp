// The kernel of the paper on our numbers: its tiles, its launches of few samples and its partial sums, with
// prepared capsules and integer sums instead of three quadratics and floats, so that the bits are those of
// every other method. The arithmetic of the paper: paper_loop.hpp.
#pragma once

#include <triptych/core/stream.hpp>

#include <cstdint>

#include "rays/ray_capsule_math.hpp"
#include "rays/rays_cuda_data.hpp"
#include "rays/sensor_math.hpp"

namespace triptych::capsule_likelihood {

struct TiledTask {
  const DeviceRays::Data& rays;
  const PreparedCapsule* prepared;  // samples x capsules
  std::int64_t samples, capsules;
  int samples_per_launch;
  int points_per_block;  // a multiple of 32 up to 512
  std::int64_t point_blocks;
  Gain* partial;  // samples x point_blocks
  Gain* gained;   // of each sample: its sum is added
};

// Enqueues and returns. Needs at least one point, one capsule and one sample.
void enqueue_tiled(const TiledTask& task, StreamRef stream);

}  // namespace triptych::capsule_likelihood
