// What kernels share that own a face of a batch: its shared memory, sums of its parts, its gain.
#pragma once

#include <triptych/reduction/collective/warp.cuh>

#include <cstdint>

#include "fit/cuda/batch_cuda.hpp"

namespace triptych::aam_fit {

constexpr int face_threads = 256;

// Shared memory of the kernels that own a face: parameters, the model's landmarks, sums, products.
struct FaceShared {
  float *p, *model, *v, *known;
  __device__ FaceShared(float* memory, const LevelOnDevice& level) {
    p = memory;
    model = p + level.modes + 4;
    v = model + 2 * level.points;
    known = v + 2 * level.modes + 5 + 3;
  }
};
inline int face_shared_bytes(const LevelOnDevice& level) {
  return 4 * (level.modes + 4 + 2 * level.points + 2 * level.modes + 8 + 2 * level.modes + 6);
}

// Adds the parts of a face's sums, in a fixed order: v[row], then sum x, sum x^2, outside. Ends with a
// barrier.
__device__ inline void add_parts(const BatchArguments& g, std::int64_t face, float* v) {
  for (int row = static_cast<int>(threadIdx.x); row < g.rows; row += face_threads) {
    float total = 0.0f;
#pragma unroll 8
    for (int s = 0; s < g.splits; ++s)
      total += g.parts[(static_cast<std::int64_t>(s) * g.faces + face) * g.rows + row];
    v[row] = total;
  }
  const int w = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) & 31;
  if (w >= 4 && w < 7) {  // while the first warps have the rows
    double total = 0;
    for (int i = lane; i < g.chunks; i += 32) total += g.sums[(face * g.chunks + i) * 3 + w - 4];
    total = reduction::warp_sum(total);
    if (lane == 0) v[g.rows + w - 4] = static_cast<float>(total);
  }
  __syncthreads();
}

struct Gain {
  double alpha, beta, spread, squares, dot;
};
__device__ inline Gain gain_of(const LevelOnDevice& level, const float* v) {
  const int rows = 2 * level.modes + 5;
  const double S1 = v[rows], S2 = v[rows + 1], beta = S1 / level.samples;
  const double spread = S2 - S1 * beta, dot = v[rows - 1] - beta * level.sum_g0;
  return {texture_alpha(level.normalisation, dot, spread, level.g0g0), beta, spread, S2, dot};
}

}  // namespace triptych::aam_fit
