// Every ray against every capsule on the GPU, with rays in registers.
#include <triptych/core/cuda.cuh>
#include <triptych/reduction/collective/warp.cuh>

#include "likelihood/evaluate_cuda.hpp"
#include "likelihood/evaluate_pairs.cuh"

namespace triptych::capsule_likelihood {

namespace {

constexpr int brute_rays = 4;        // of a lane
constexpr int max_brute_warps = 4;   // of a block
constexpr int staged_capsules = 64;  // in shared memory

// A warp owns 128 neighbouring rays, in registers; a block one sample, whose capsules pass through shared
// memory. Neighbouring rays mostly miss a capsule together: then the warp goes on at once.
template <Surface surface, bool Weighted>
__global__ void __launch_bounds__(max_brute_warps * 32)
    brute_kernel(const Ray* rays, const std::uint32_t* weight, const PreparedCapsule* prepared, int capsules,
                 int tiles, Loss loss, Gain* gained) {
  __shared__ PreparedCapsule staged[staged_capsules];
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int tile = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  const std::int64_t first = std::int64_t{min(tile, tiles - 1)} * tile_rays + lane;
  LaneRay ray[brute_rays];
  float best[brute_rays];
#pragma unroll
  for (int r = 0; r < brute_rays; ++r) {
    ray[r] = lane_ray(rays[first + r * 32]);
    best[r] = no_hit(surface);
  }
  const float4* body = reinterpret_cast<const float4*>(prepared + std::int64_t{blockIdx.y} * capsules);
  for (int from = 0; from < capsules; from += staged_capsules) {
    const int count = min(staged_capsules, capsules - from);
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < count * 4; i += static_cast<int>(blockDim.x))
      reinterpret_cast<float4*>(staged)[i] = body[from * 4 + i];
    __syncthreads();
    for (int k = 0; k < count; ++k) {
      const PreparedCapsule p = staged[k];
      if (is_near(p)) {
#pragma unroll
        for (int r = 0; r < brute_rays; ++r)
          best[r] = better(surface, best[r], intersect_near_apart(ray[r].x, ray[r].y, &staged[k]), ray[r].g,
                           ray[r].h);
        continue;
      }
#pragma unroll
      for (int r = 0; r < brute_rays; ++r) {
        const Aim aim = aim_at(ray[r].direction(), p);
        if (__any_sync(reduction::all_lanes, aim.q > 0))
          best[r] = test_pair<surface>(ray[r], p, aim, best[r]);
      }
    }
  }
  if (tile >= tiles) return;
  const Gain sum = gain_of_warp<surface, Weighted>(ray, best, loss, weight + first);
  if (lane == 0 && sum != 0) atomicAdd(gained + blockIdx.y, sum);
}

template <Surface surface, bool Weighted>
void enqueue_brute_as(const EvaluateCall& call) {
  const DeviceRays::Data& d = call.rays;
  const auto tiles = static_cast<unsigned>(call.plan.ray_blocks * tiles_per_ray_block);
  const auto warps = static_cast<unsigned>(call.plan.points_per_block / tile_rays);
  launch(brute_kernel<surface, Weighted>,
         {dim3((tiles + warps - 1) / warps, static_cast<unsigned>(call.samples)), warps * 32}, call.stream,
         d.rays.data(), d.weighted ? d.weight.data() : nullptr,
         static_cast<const PreparedCapsule*>(call.arrays.prepared), static_cast<int>(call.plan.capsules),
         static_cast<int>(tiles), d.sensor.loss, call.arrays.gained);
}

}  // namespace

void enqueue_brute(const EvaluateCall& call) {
  const bool closest = call.rays.sensor.surface == Surface::closest, weighted = call.rays.weighted;
  if (closest) {
    weighted ? enqueue_brute_as<Surface::closest, true>(call)
             : enqueue_brute_as<Surface::closest, false>(call);
  } else {
    weighted ? enqueue_brute_as<Surface::first, true>(call) : enqueue_brute_as<Surface::first, false>(call);
  }
}

}  // namespace triptych::capsule_likelihood
