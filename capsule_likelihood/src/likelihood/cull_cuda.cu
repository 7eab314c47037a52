// The first half of Method::culled: lists of the capsules that may hit each sub-tile of rays.
#include <triptych/core/cuda.cuh>
#include <triptych/reduction/collective/grid.cuh>
#include <triptych/reduction/detail/kernel_arch.cuh>

#include <algorithm>

#include "likelihood/evaluate_cuda.hpp"
#include "likelihood/order_tiles.cuh"

namespace triptych::capsule_likelihood {

namespace {

constexpr int max_cull_warps = 8;
constexpr int staged_shapes = 1024;  // pairs of a sample and a capsule in shared memory

struct CullTask {
  const TileBound *ray_blocks, *sub_tiles;
  const CullShape* shapes;
  int samples, capsules, chunk_samples, chunks, ray_block_count;
  ListEntry* list;
  int* list_length;
  unsigned* tile_work;
  int* tile_order;
  std::uint32_t* ticket;
};

// The bounds of a ray block's sub-tiles and the pairs that wait to be tested against them: one for each warp.
struct WarpMemory {
  float4 circle_and_nearest[sub_tiles_per_ray_block];
  float farthest_m[sub_tiles_per_ray_block];
  unsigned short waiting[64];
};

std::size_t cull_shared_bytes(int pairs, int warps) {
  return std::max(static_cast<std::size_t>(pairs) * 2 * sizeof(float4) +
                      static_cast<std::size_t>(warps) * sizeof(WarpMemory),
                  order_tiles_bytes);
}

__device__ __forceinline__ CullShape shape_of(const float4& a, const float4& b) {
  return {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
}

// How many of the four bits of each of eight nibbles are set, in two words of four bytes: the even nibbles
// and the odd ones.
__device__ __forceinline__ uint2 bits_of_nibbles(unsigned mask) {
  unsigned v = mask - ((mask >> 1) & 0x55555555u);
  v = (v & 0x33333333u) + ((v >> 2) & 0x33333333u);
  return make_uint2(v & 0x0F0F0F0Fu, (v >> 4) & 0x0F0F0F0Fu);
}

// A block owns a chunk of samples, whose shapes it keeps in shared memory; each of its warps owns a ray
// block. Each lane tests a pair against the ray block. Pairs that may hit it wait; each full row of 32 of
// them is tested against the sub-tiles, one pair per lane, and what is left goes to the list of ray block and
// chunk, in the order of the samples. The last block of the grid puts the tiles in order, those with most
// work first.
__global__ void __launch_bounds__(max_cull_warps * 32, 6) cull_kernel(CullTask task, int staged) {
  extern __shared__ float4 shared[];
  __shared__ bool is_last;
  const int warps = static_cast<int>(blockDim.x / 32), warp = static_cast<int>(threadIdx.x / 32);
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int chunk = static_cast<int>(blockIdx.x) % task.chunks;
  const int ray_block = static_cast<int>(blockIdx.x) / task.chunks * warps + warp;
  const bool active = ray_block < task.ray_block_count;
  const int first_sample = chunk * task.chunk_samples;
  const int pairs = min(task.chunk_samples, task.samples - first_sample) * task.capsules;
  const unsigned below = (1u << lane) - 1;
  float4 *ours_a = shared, *ours_b = shared + staged;
  WarpMemory& own = reinterpret_cast<WarpMemory*>(shared + 2 * staged)[warp];
  let_next_grid_start();

  TileBound whole = empty_bound();
  if (active) {  // written before the kernel that this one overlaps
    const TileBound sub_tile = task.sub_tiles[ray_block * sub_tiles_per_ray_block + lane];
    own.circle_and_nearest[lane] = make_float4(sub_tile.x, sub_tile.y, sub_tile.radius, sub_tile.nearest_m);
    own.farthest_m[lane] = sub_tile.farthest_m;
    whole = task.ray_blocks[ray_block];
  }
  __syncwarp();
  wait_for_previous_grid();

  ListEntry* list =
      task.list + (std::int64_t{ray_block} * task.chunks + chunk) * task.chunk_samples * task.capsules;
  int listed = 0;
  unsigned work = 0;  // of tile `lane` of the ray block
  const auto list_waiting = [&](int count, int offset) {
    const int p = own.waiting[lane < count ? lane : 0];
    const CullShape shape = shape_of(ours_a[p], ours_b[p]);
    unsigned mask = 0;
#pragma unroll 4
    for (int i = 0; i < sub_tiles_per_ray_block; ++i) {
      const float4 t = own.circle_and_nearest[i];
      if (may_hit(TileBound{t.x, t.y, t.z, t.w, own.farthest_m[i]}, shape)) mask |= 1u << i;
    }
    if (lane >= count) mask = 0;
    const unsigned on = __ballot_sync(reduction::all_lanes, mask != 0);
    if (mask != 0) {
      const auto pair = static_cast<unsigned>(offset + p);
      const unsigned near_bit = shape.nearest_m == -any_distance ? 1u << 27 : 0u;
      list[listed + __popc(on & below)] = {
          pair / static_cast<unsigned>(task.capsules) << 28 | near_bit | pair, mask};
    }
    listed += __popc(on);
    const uint2 bits = bits_of_nibbles(mask);
    const unsigned even = reduction::warp_sum(bits.x), odd = reduction::warp_sum(bits.y);
    if (lane < tiles_per_ray_block) work += ((lane & 1 ? odd : even) >> (8 * (lane >> 1))) & 0xFFu;
  };

  for (int offset = 0; offset < pairs; offset += staged) {
    const int count = min(staged, pairs - offset);
    if (offset > 0) __syncthreads();
    const float4* from =
        reinterpret_cast<const float4*>(task.shapes + std::int64_t{first_sample} * task.capsules + offset);
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) {
      ours_a[i] = __ldcg(from + 2 * i);
      ours_b[i] = __ldcg(from + 2 * i + 1);
    }
    __syncthreads();
    if (!active) continue;
    int waiting = 0;
    for (int q = 0; q < count; q += 32) {
      const int p = min(q + lane, count - 1);
      const bool keep = may_hit(whole, shape_of(ours_a[p], ours_b[p])) && q + lane < count;
      const unsigned on = __ballot_sync(reduction::all_lanes, keep);
      if (keep) own.waiting[waiting + __popc(on & below)] = static_cast<unsigned short>(p);
      waiting += __popc(on);
      __syncwarp();
      if (waiting >= 32) {
        list_waiting(32, offset);
        waiting -= 32;
        const unsigned short next = own.waiting[32 + lane];
        __syncwarp();
        if (lane < waiting) own.waiting[lane] = next;
        __syncwarp();
      }
    }
    if (waiting > 0) list_waiting(waiting, offset);
    __syncwarp();
  }
  if (active) {
    if (lane == 0) task.list_length[ray_block * task.chunks + chunk] = listed;
    if (lane < tiles_per_ray_block && work != 0)
      atomicAdd(task.tile_work + ray_block * tiles_per_ray_block + lane, work);
  }

  __syncthreads();
  if (threadIdx.x == 0)  // for the whole block: the barrier has brought its work here
    is_last = reduction::draw_ticket(task.ticket, gridDim.x) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  order_tiles(task.tile_work, task.ray_block_count * tiles_per_ray_block, task.tile_order,
              reinterpret_cast<unsigned*>(shared));
}

// Once for each device, before the first launch with as much shared memory.
void allow_shared_memory() {
  static reduction::detail::PerDeviceNumber known;
  known.get([](int) {
    const auto bytes = static_cast<int>(cull_shared_bytes(staged_shapes, max_cull_warps));
    TRIPTYCH_CUDA_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(&cull_kernel),
                                             cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    return 1;
  });
}

}  // namespace

void enqueue_cull(const EvaluateCall& call, std::int64_t first, std::int64_t ray_blocks) {
  allow_shared_memory();
  const DeviceRays::Data& d = call.rays;
  const EvaluateArrays& a = call.arrays;
  const int chunk_samples = call.plan.chunk_samples;
  const std::int64_t chunks = call.chunks();
  const CullTask task{d.ray_blocks.data() + first,
                      d.sub_tiles.data() + first * sub_tiles_per_ray_block,
                      a.shapes,
                      static_cast<int>(call.samples),
                      static_cast<int>(call.plan.capsules),
                      chunk_samples,
                      static_cast<int>(chunks),
                      static_cast<int>(ray_blocks),
                      a.list,
                      a.list_length,
                      a.tile_work,
                      a.tile_order,
                      call.tickets};
  // The smallest number of blocks that holds all ray blocks, with equal numbers of warps.
  const std::int64_t rows = (ray_blocks + max_cull_warps - 1) / max_cull_warps;
  const auto warps = static_cast<int>((ray_blocks + rows - 1) / rows);
  const auto staged = static_cast<int>(std::min<std::int64_t>(staged_shapes, call.plan.list_capacity()));
  launch(cull_kernel,
         {static_cast<unsigned>(rows * chunks), static_cast<unsigned>(warps * 32),
          cull_shared_bytes(staged, warps), 1,
          first == 0 && reduction::detail::kernel_arch<cull_kernel>() >= 90},
         call.stream, task, staged);
}

}  // namespace triptych::capsule_likelihood
