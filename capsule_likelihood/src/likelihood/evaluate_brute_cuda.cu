// Every ray against every capsule on the GPU: with rays in registers, and as the paper does it.
#include <triptych/core/cuda.cuh>
#include <triptych/reduction/collective/warp.cuh>
#include <triptych/reduction/detail/rows.cuh>
#include <triptych/reduction/monoid.hpp>

#include <algorithm>

#include "likelihood/evaluate_cuda.hpp"
#include "likelihood/evaluate_pairs.cuh"

namespace triptych::capsule_likelihood {

namespace {

constexpr int brute_rays = 4;        // of a lane
constexpr int most_brute_warps = 4;  // of a block
constexpr int staged_capsules = 64;  // in shared memory

// A warp owns 128 neighbouring rays, in registers; a block one sample, whose capsules pass through shared
// memory. Neighbouring rays mostly miss a capsule together: then the warp goes on at once.
template <Surface surface, bool Weighted>
__global__ void __launch_bounds__(most_brute_warps * 32)
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
    best[r] = nothing_met(surface);
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
          best[r] =
              better(surface, best[r], meet_near_apart(ray[r].x, ray[r].y, &staged[k]), ray[r].g, ray[r].h);
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

// The kernel of the paper. A block owns a tile of points, one for each thread, and one of the few samples of
// the launch. Points and capsules lie in shared memory by coordinate, so that neighbouring threads read
// neighbouring banks; they are fetched word by word, so that neighbouring threads read neighbouring words.
// The sum of the tile goes to the array of partial sums.
template <Surface surface>
__global__ void tiled_kernel(const Ray* rays, const std::uint32_t* weight, const PreparedCapsule* prepared,
                             int capsules, std::int64_t padded, Loss loss, int first_sample,
                             std::int64_t point_blocks, Gain* partial) {
  constexpr int ray_words = sizeof(Ray) / 4, capsule_words = sizeof(PreparedCapsule) / 4;
  constexpr int most_points = 512, most_capsules = 32;
  __shared__ float points[ray_words][most_points];
  __shared__ float body[capsule_words][most_capsules];
  __shared__ Gain of_warp[most_points / 32];
  const auto i = static_cast<int>(threadIdx.x), size = static_cast<int>(blockDim.x);
  const int sample = first_sample + static_cast<int>(blockIdx.y);
  const std::int64_t first = std::int64_t{blockIdx.x} * size;
  for (int word = i; word < size * ray_words; word += size) {
    if (first + word / ray_words < padded)
      points[word % ray_words][word / ray_words] = reinterpret_cast<const float*>(rays + first)[word];
  }
  const bool real = first + i < padded;
  const std::int64_t at = real ? first + i : 0;
  __syncthreads();
  const Ray ray = real ? Ray{points[0][i], points[1][i], points[2][i], points[3][i]} : padding_ray();
  const RayDirection v = ray_direction(ray.x, ray.y);
  float best = nothing_met(surface);
  const float* of_sample = reinterpret_cast<const float*>(prepared + std::int64_t{sample} * capsules);
  for (int from = 0; from < capsules; from += most_capsules) {
    const int count = min(most_capsules, capsules - from);
    __syncthreads();
    for (int word = i; word < count * capsule_words; word += size)
      body[word % capsule_words][word / capsule_words] = of_sample[from * capsule_words + word];
    __syncthreads();
    for (int k = 0; k < count; ++k) {
      const PreparedCapsule p{body[0][k],  body[1][k],  body[2][k],  body[3][k], body[4][k],  body[5][k],
                              body[6][k],  body[7][k],  body[8][k],  body[9][k], body[10][k], body[11][k],
                              body[12][k], body[13][k], body[14][k], body[15][k]};
      best = better(surface, best, meet(v, p), ray.g, ray.h);
    }
  }
  const int gain = gain_of(loss, residual_of(surface, best, ray.g, ray.h));
  const Gain own = !real ? 0 : weight == nullptr ? static_cast<Gain>(gain) : weighted_gain(gain, weight[at]);
  const Gain sum = reduction::warp_sum_bits<48>(own);
  if (i % 32 == 0) of_warp[i / 32] = sum;
  __syncthreads();
  if (i == 0) {
    Gain total = 0;
    for (int w = 0; w < size / 32; ++w) total += of_warp[w];
    partial[sample * point_blocks + blockIdx.x] = total;
  }
}

// The partial sums of a sample as a row for the reduction module.
struct PartialRows {
  using Value = Gain;
  static constexpr int pack_size = 1;
  struct Column {};
  using Pack = Gain;
  const Gain* data;
  std::int64_t cols;

  __device__ bool aligned() const { return true; }
  __device__ Column column(std::int64_t) const { return {}; }
  __device__ Column column_aligned(std::int64_t) const { return {}; }
  __device__ Gain load(std::int64_t r, std::int64_t c) const { return data[r * cols + c]; }
  __device__ Gain load_aligned(std::int64_t r, std::int64_t c) const { return data[r * cols + c]; }
  template <class M>
  __device__ Gain fold(Gain value, Column, M) const {
    return value;
  }
  __device__ Gain operator()(std::int64_t r, std::int64_t c) const { return data[r * cols + c]; }
};

struct AddGains {
  using Value = Gain;
  __device__ Gain identity() const { return 0; }
  __device__ Gain operator()(Gain a, Gain b) const { return a + b; }
};

// A thread owns a sample. Added, not written: the marks of broken bodies stay.
__global__ void add_rows_kernel(const Gain* sums, int samples, Gain* gained) {
  const int j = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (j < samples) gained[j] += sums[j];
}

template <Surface surface, bool Weighted>
void enqueue_brute_as(const EvaluateCall& call) {
  const DeviceRays::Data& d = call.rays;
  const auto tiles = static_cast<unsigned>(call.plan.macros * tiles_in_macro);
  const auto warps = static_cast<unsigned>(call.plan.points_per_block / tile_rays);
  launch(brute_kernel<surface, Weighted>,
         {dim3((tiles + warps - 1) / warps, static_cast<unsigned>(call.samples)), warps * 32}, call.stream,
         d.rays.data(), d.weighted ? d.weight.data() : nullptr,
         static_cast<const PreparedCapsule*>(call.arrays.prepared), static_cast<int>(call.plan.capsules),
         static_cast<int>(tiles), d.measure.loss, call.arrays.gained);
}

template <Surface surface>
void enqueue_tiled_as(const EvaluateCall& call) {
  const DeviceRays::Data& d = call.rays;
  const std::int64_t blocks = call.plan.point_blocks();
  for (std::int64_t first = 0; first < call.samples; first += call.plan.samples_per_tiled_launch) {
    const auto count = static_cast<unsigned>(
        std::min<std::int64_t>(call.plan.samples_per_tiled_launch, call.samples - first));
    launch(tiled_kernel<surface>,
           {dim3(static_cast<unsigned>(blocks), count), static_cast<unsigned>(call.plan.points_per_block)},
           call.stream, d.rays.data(), d.weighted ? d.weight.data() : nullptr,
           static_cast<const PreparedCapsule*>(call.arrays.prepared), static_cast<int>(call.plan.capsules),
           call.plan.macros * macro_rays, d.measure.loss, static_cast<int>(first), blocks,
           call.arrays.partial);
  }
}

}  // namespace

void enqueue_brute(const EvaluateCall& call) {
  const bool closest = call.rays.measure.surface == Surface::closest, weighted = call.rays.weighted;
  if (closest) {
    weighted ? enqueue_brute_as<Surface::closest, true>(call)
             : enqueue_brute_as<Surface::closest, false>(call);
  } else {
    weighted ? enqueue_brute_as<Surface::first, true>(call) : enqueue_brute_as<Surface::first, false>(call);
  }
}

void enqueue_tiled(const EvaluateCall& call) {
  if (call.rays.measure.surface == Surface::closest) {
    enqueue_tiled_as<Surface::closest>(call);
  } else {
    enqueue_tiled_as<Surface::first>(call);
  }
  constexpr int threads = 256;
  const std::int64_t blocks = call.plan.point_blocks();
  launch(reduction::detail::short_rows_kernel<threads, 32, 4, PartialRows, AddGains>,
         {static_cast<unsigned>((call.samples + threads / 32 - 1) / (threads / 32)), threads}, call.stream,
         PartialRows{call.arrays.partial, blocks}, call.samples, blocks, AddGains{}, call.arrays.row_sum);
  launch(add_rows_kernel, {static_cast<unsigned>((call.samples + threads - 1) / threads), threads},
         call.stream, static_cast<const Gain*>(call.arrays.row_sum), static_cast<int>(call.samples),
         call.arrays.gained);
}

}  // namespace triptych::capsule_likelihood
