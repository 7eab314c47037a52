// The memory of each block that refines a fit.
#pragma once

#include "fit/refine/refine_cuda.hpp"
#include "fit/refine/refine_math.hpp"

namespace triptych::aam_fit {

constexpr int refine_threads = 384;  // of a block; with 512 more registers are spilled, and it is slower

__host__ __device__ constexpr int landmarks_of_block(int points, int blocks) {
  return (points + blocks - 1) / blocks;
}

// Products of the basis with B, and the normal equations with the right side below them, side by side.
struct RefineEquations {
  double *A, *system;
};

// The memory of a block. Other blocks read moments, trace, weights_part and own; they write the first one's
// total, and read its solution.
struct RefineMemory {
  double *moments, *trace, *solution, *start, *now, *model, *B, *weighted;
  RefineEquations own, total;  // of the own landmarks, and of all: one and the same where there is one block
  std::int64_t equations;      // numbers in one of them
  float *Qs, *shape, *before, *weights_part, *weights, *g0, *texture, *fitted, *gx, *gy, *products;
  PatchSums* sums;
  std::int64_t bytes;
  __host__ __device__ RefineMemory(unsigned char* first, const RefineTask& g, int blocks) {
    const std::int64_t landmarks = landmarks_of_block(g.points, blocks), q = g.modes + 4,
                       samples = landmarks * (g.samples / g.points);
    unsigned char* at = first;
    const auto take = [&at](auto*& array, std::int64_t count) {
      array = reinterpret_cast<decltype(+array)>(at);
      at += count * static_cast<std::int64_t>(sizeof(*array));
    };
    take(moments, 3);
    take(trace, 1);
    take(solution, q + 1);  // and whether there is one
    take(start, q);
    take(now, q);
    take(model, 2 * std::int64_t{g.points});
    take(B, 2 * landmarks * q);
    take(weighted, 2 * landmarks * (q + 1));
    equations = g.rows * q + (q + 1) * q;
    take(own.A, equations);
    take(total.A, blocks > 1 ? equations : 0);
    if (blocks == 1) total.A = own.A;
    own.system = own.A + g.rows * q;
    total.system = total.A + g.rows * q;
    take(Qs, 2 * std::int64_t{g.points} * g.modes);
    take(shape, 2 * std::int64_t{g.points});
    take(before, 2 * std::int64_t{g.points});
    take(weights_part, g.rows);
    take(weights, g.rows);
    take(g0, samples);
    take(texture, samples);
    take(fitted, samples);
    take(gx, samples);
    take(gy, samples);
    take(products, 2 * landmarks * g.rows);
    take(sums, landmarks);
    bytes = (at - first + 15) / 16 * 16;
  }
};

}  // namespace triptych::aam_fit
