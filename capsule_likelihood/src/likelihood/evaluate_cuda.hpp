// What the forms of evaluate_cuda share: the plan of a call, its arrays in the workspace, and the launchers
// of the kernels. Arrays hold one launch's samples.
#pragma once

#include <triptych/capsule_likelihood/likelihood.hpp>

#include <cstdint>

#include "rays/cull_math.hpp"
#include "rays/ray_capsule_math.hpp"
#include "rays/rays_cuda_data.hpp"
#include "rays/sensor_math.hpp"
#include "rays/workspace_layout.hpp"

namespace triptych::capsule_likelihood {

// In the sum of a sample: one of its capsules is not valid. Sums stay below 2^62.
constexpr Gain broken_body = Gain{1} << 63;

constexpr int max_chunk_samples = 8;  // whose capsules are listed together
constexpr int tile_rays = 128;        // that a warp keeps
constexpr int tiles_per_ray_block = rays_per_ray_block / tile_rays;

// A pair of a sample of a chunk and one of its capsules, and the sub-tiles of a ray block that it may hit.
struct ListEntry {
  std::uint32_t pair;  // sample of the chunk (4 bits), is_near (1 bit), sample x capsules + capsule (27 bits)
  std::uint32_t sub_tiles;  // a bit for each
};

// How a call is cut.
struct EvaluatePlan {
  EvaluatePlan(const DeviceRays::Data& rays, DeviceMatrixView<const Capsule> bodies,
               const EvaluateOptions& options, int multiprocessors);

  Method method;
  std::int64_t capsules;
  std::int64_t samples;               // of a launch
  std::int64_t ray_blocks;            // of the rays
  std::int64_t ray_blocks_at_a_time;  // whose lists fit into the workspace (culled)
  int points_per_block;               // 0: as the kernel has it
  int samples_per_tiled_launch;       // of the paper's tiles
  int chunk_samples;                  // whose capsules are listed together: fewer when there are few tiles

  std::int64_t chunks() const { return (samples + chunk_samples - 1) / chunk_samples; }
  std::int64_t list_capacity() const { return chunk_samples * capsules; }
  std::int64_t point_blocks() const {
    return (ray_blocks * rays_per_ray_block + points_per_block - 1) / points_per_block;
  }
};

struct EvaluateArrays {
  EvaluateArrays(std::byte* memory, const EvaluatePlan& plan) {
    WorkspaceLayout layout(memory);
    gained = layout.take<Gain>(plan.samples);
    prepared = layout.take<PreparedCapsule>(plan.samples * plan.capsules);
    if (plan.method == Method::culled) {
      shapes = layout.take<CullShape>(plan.samples * plan.capsules);
      const std::int64_t lists = plan.chunks() * plan.ray_blocks_at_a_time;
      list = layout.take<ListEntry>(lists * plan.list_capacity());
      list_length = layout.take<int>(lists);
      tile_work = layout.take<unsigned>(plan.ray_blocks_at_a_time * tiles_per_ray_block);
      tile_order = layout.take<int>(plan.ray_blocks_at_a_time * tiles_per_ray_block + 1);
    }
    if (plan.method == Method::tiled) partial = layout.take<Gain>(plan.samples * plan.point_blocks());
    bytes = layout.bytes();
  }

  Gain* gained = nullptr;  // a sample's sum
  PreparedCapsule* prepared = nullptr;
  CullShape* shapes = nullptr;
  ListEntry* list = nullptr;  // of ray block m and chunk c: from (m * chunks + c) * capacity on
  int* list_length = nullptr;
  unsigned* tile_work = nullptr;  // number of sub-tiles listed for a tile
  int* tile_order = nullptr;      // how many tiles have work, then these, those with most of it first
  Gain* partial = nullptr;        // of a sample's blocks of points
  std::size_t bytes = 0;
};

struct EvaluateCall {
  const DeviceRays::Data& rays;
  const EvaluatePlan& plan;
  const EvaluateArrays& arrays;
  std::int64_t samples;  // of this launch: at most plan.samples
  std::uint32_t* tickets;
  StreamRef stream;

  std::int64_t chunks() const { return (samples + plan.chunk_samples - 1) / plan.chunk_samples; }
};

// Adds to gained what the samples gain.
void enqueue_brute(const EvaluateCall& call);
// The same in two kernels for some of the ray blocks: list the capsules that may hit them, then test these.
void enqueue_cull(const EvaluateCall& call, std::int64_t first_ray_block, std::int64_t ray_blocks);
void enqueue_list(const EvaluateCall& call, std::int64_t first_ray_block, std::int64_t ray_blocks);

}  // namespace triptych::capsule_likelihood
