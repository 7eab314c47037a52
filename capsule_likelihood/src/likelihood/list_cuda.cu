// The second half of Method::culled: tests the capsules that are listed for each tile of rays.
#include <triptych/core/cuda.cuh>
#include <triptych/reduction/collective/warp.cuh>
#include <triptych/reduction/detail/kernel_arch.cuh>

#include <cuda_pipeline.h>

#include "likelihood/evaluate_cuda.hpp"
#include "likelihood/evaluate_pairs.cuh"

namespace triptych::capsule_likelihood {

namespace {

constexpr int list_warps = 4;

struct ListTask {
  const Ray* rays;
  const std::uint32_t* weight;  // null: none
  const PreparedCapsule* prepared;
  const ListEntry* list;
  const int* list_length;
  const int* tile_order;
  int capsules, chunk_samples, chunks;
  Loss loss;
  Gain* gained;
};

struct alignas(16) StagedCapsule {
  PreparedCapsule capsule;
  unsigned what;  // sample of the two chunks, is near (1 bit), sub-tiles (4 bits)
};

// A block owns a tile and two chunks of samples for each of its warps, which keeps the tile's rays in
// registers. A warp reads the lists of the tile's ray block and its chunks, 32 entries at a time, copies the
// capsules that may hit the tile to shared memory and tests them against those of its sub-tiles that they may
// hit. Entries are in the order of the samples: when a new sample begins, the sum of the last one is stored
// in the lane of that number.
template <Surface surface, bool Weighted, int Parts>
__global__ void __launch_bounds__(list_warps * 32, 8) list_kernel(ListTask task) {
  constexpr int tiles_of_ray_block = sub_tiles_per_ray_block / Parts;
  constexpr int tiles_of_work = tile_rays / (Parts * rays_per_sub_tile);  // the order has tiles of 128 rays
  __shared__ StagedCapsule staged[list_warps][32];
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  const int chunk_groups = (task.chunks + list_warps * 2 - 1) / (list_warps * 2);
  const int unit = static_cast<int>(blockIdx.x) / chunk_groups;
  const int chunk = static_cast<int>(blockIdx.x) % chunk_groups * (list_warps * 2) + warp * 2;
  let_next_grid_start();
  wait_for_previous_grid();
  if (chunk >= task.chunks || unit / tiles_of_work >= __ldcg(task.tile_order)) return;
  const int tile = __ldcg(task.tile_order + 1 + unit / tiles_of_work) * tiles_of_work + unit % tiles_of_work;
  const int ray_block = tile / tiles_of_ray_block, shift = tile % tiles_of_ray_block * Parts;
  const int* lengths = task.list_length + ray_block * task.chunks + chunk;
  const int first_length = __ldcg(lengths);
  const int length = first_length + (chunk + 1 < task.chunks ? __ldcg(lengths + 1) : 0);
  if (length == 0) return;
  const std::int64_t of_chunk = std::int64_t{task.chunk_samples} * task.capsules;
  const auto* list =
      reinterpret_cast<const uint2*>(task.list + (std::int64_t{ray_block} * task.chunks + chunk) * of_chunk);
  const auto* prepared = reinterpret_cast<const float4*>(task.prepared + chunk * of_chunk);
  const unsigned below = (1u << lane) - 1;
  const std::int64_t first_ray = std::int64_t{tile} * (Parts * rays_per_sub_tile) + lane;

  LaneRay ray[Parts];
  float best[Parts];
#pragma unroll
  for (int r = 0; r < Parts; ++r) best[r] = no_hit(surface);
  WarpGain<Weighted> sum_of_lane = 0;
  int sample = -1;
  unsigned usual = 0;  // what >> 4 of a capsule of this sample that is not near
  const auto put_away = [&] {
    const auto sum = gain_of_warp<surface, Weighted>(ray, best, task.loss, task.weight + first_ray);
    if (lane == sample) sum_of_lane = sum;
#pragma unroll
    for (int r = 0; r < Parts; ++r) best[r] = no_hit(surface);
  };

  for (int base = 0; base < length; base += 32) {
    const int index = base + lane;
    const bool second = index >= first_length;  // the second chunk's list lies behind the room for the first
    const uint2 entry =
        index < length ? __ldcg(list + (second ? of_chunk + index - first_length : index)) : make_uint2(0, 0);
    const unsigned what_here =
        (entry.x >> 27) + (second ? static_cast<unsigned>(task.chunk_samples) << 1 : 0u);
    const unsigned sub_tiles = (entry.y >> shift) & ((1u << Parts) - 1);
    const unsigned on = __ballot_sync(reduction::all_lanes, sub_tiles != 0);
    if (on == 0) continue;
    if (sub_tiles != 0) {
      const int to = __popc(on & below);
      const float4* from = prepared + ((second ? of_chunk : 0) + (entry.x & 0x7FFFFFFu)) * 4;
#pragma unroll
      for (int i = 0; i < 4; ++i)
        __pipeline_memcpy_async(reinterpret_cast<float4*>(&staged[warp][to]) + i, from + i, sizeof(float4));
      staged[warp][to].what = what_here << 4 | sub_tiles;
    }
    __pipeline_commit();
    if (sample < 0) {
#pragma unroll
      for (int r = 0; r < Parts; ++r) ray[r] = lane_ray(task.rays[first_ray + r * rays_per_sub_tile]);
      sample = static_cast<int>(reduction::broadcast(what_here, __ffs(static_cast<int>(on)) - 1) >> 1);
      usual = static_cast<unsigned>(sample) << 1;
    }
    __pipeline_wait_prior(0);
    __syncwarp();
    const StagedCapsule* const end = staged[warp] + __popc(on);
    for (const StagedCapsule* at = staged[warp]; at != end; ++at) {
      const unsigned what = reduction::warp_uniform(at->what);
      const PreparedCapsule p = at->capsule;
      if (what >> 4 != usual) {  // another sample, or near
        if (static_cast<int>(what >> 5) != sample) {
          put_away();
          sample = static_cast<int>(what >> 5);
          usual = what >> 5 << 1;
        }
        if ((what & 16u) != 0) {
#pragma unroll
          for (int r = 0; r < Parts; ++r) {
            if ((what >> r & 1) != 0)
              best[r] = better(surface, best[r], intersect_near_apart(ray[r].x, ray[r].y, &at->capsule),
                               ray[r].g, ray[r].h);
          }
          continue;
        }
      }
#pragma unroll
      for (int r = 0; r < Parts; ++r) {
        if ((what >> r & 1) != 0)
          best[r] = test_pair<surface>(ray[r], p, aim_at(ray[r].direction(), p), best[r]);
      }
    }
    __syncwarp();
  }
  if (sample < 0) return;
  put_away();
  if (sum_of_lane != 0) atomicAdd(task.gained + chunk * task.chunk_samples + lane, Gain{sum_of_lane});
}

template <Surface surface, bool Weighted, int Parts>
void launch_list(const ListTask& task, std::int64_t ray_blocks, StreamRef stream) {
  const std::int64_t groups = (task.chunks + list_warps * 2 - 1) / (list_warps * 2);
  const auto blocks = static_cast<unsigned>(ray_blocks * (sub_tiles_per_ray_block / Parts) * groups);
  launch(list_kernel<surface, Weighted, Parts>,
         {blocks, list_warps * 32, 0, 1,
          reduction::detail::kernel_arch<list_kernel<surface, Weighted, Parts>>() >= 90},
         stream, task);
}

template <Surface surface, bool Weighted>
void launch_list(const ListTask& task, std::int64_t ray_blocks, int points_per_block, StreamRef stream) {
  if (points_per_block == 64) {
    launch_list<surface, Weighted, 2>(task, ray_blocks, stream);
  } else {
    launch_list<surface, Weighted, 4>(task, ray_blocks, stream);
  }
}

template <Surface surface>
void launch_list(const ListTask& task, std::int64_t ray_blocks, int points_per_block, StreamRef stream) {
  if (task.weight != nullptr) {
    launch_list<surface, true>(task, ray_blocks, points_per_block, stream);
  } else {
    launch_list<surface, false>(task, ray_blocks, points_per_block, stream);
  }
}

}  // namespace

void enqueue_list(const EvaluateCall& call, std::int64_t first, std::int64_t ray_blocks) {
  const DeviceRays::Data& d = call.rays;
  const EvaluateArrays& a = call.arrays;
  const ListTask task{d.rays.data() + first * rays_per_ray_block,
                      d.weighted ? d.weight.data() + first * rays_per_ray_block : nullptr,
                      a.prepared,
                      a.list,
                      a.list_length,
                      a.tile_order,
                      static_cast<int>(call.plan.capsules),
                      call.plan.chunk_samples,
                      static_cast<int>(call.chunks()),
                      d.sensor.loss,
                      a.gained};
  if (d.sensor.surface == Surface::closest) {
    launch_list<Surface::closest>(task, ray_blocks, call.plan.points_per_block, call.stream);
  } else {
    launch_list<Surface::first>(task, ray_blocks, call.plan.points_per_block, call.stream);
  }
}

}  // namespace triptych::capsule_likelihood
