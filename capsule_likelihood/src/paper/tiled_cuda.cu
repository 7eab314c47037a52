#include <triptych/core/cuda.cuh>
#include <triptych/reduction/collective/block.cuh>

#include <algorithm>

#include "paper/tiled_cuda.hpp"

namespace triptych::capsule_likelihood {

namespace {

constexpr int sum_threads = 128;

// A block owns a tile of points, one for each thread, and one of the few samples of the launch. Points and
// capsules lie in shared memory by coordinate, so that neighbouring threads read neighbouring banks; they are
// fetched word by word, so that neighbouring threads read neighbouring words. The sum of the tile goes to the
// array of partial sums.
template <Surface surface>
__global__ void tiled_kernel(const Ray* rays, const std::uint32_t* weight, const PreparedCapsule* prepared,
                             int capsules, std::int64_t padded, Loss loss, int first_sample,
                             std::int64_t point_blocks, Gain* partial) {
  constexpr int ray_words = sizeof(Ray) / 4, capsule_words = sizeof(PreparedCapsule) / 4;
  constexpr int max_points = 512, max_capsules = 32;
  __shared__ float points[ray_words][max_points];
  __shared__ float body[capsule_words][max_capsules];
  __shared__ Gain of_warp[max_points / 32];
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
  float best = no_hit(surface);
  const float* of_sample = reinterpret_cast<const float*>(prepared + std::int64_t{sample} * capsules);
  for (int from = 0; from < capsules; from += max_capsules) {
    const int count = min(max_capsules, capsules - from);
    __syncthreads();
    for (int word = i; word < count * capsule_words; word += size)
      body[word % capsule_words][word / capsule_words] = of_sample[from * capsule_words + word];
    __syncthreads();
    for (int k = 0; k < count; ++k) {
      const PreparedCapsule p{body[0][k],  body[1][k],  body[2][k],  body[3][k], body[4][k],  body[5][k],
                              body[6][k],  body[7][k],  body[8][k],  body[9][k], body[10][k], body[11][k],
                              body[12][k], body[13][k], body[14][k], body[15][k]};
      best = better(surface, best, intersect(v, p), ray.g, ray.h);
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

// The paper's second kernel: a block owns a sample and adds up its partial sums. Added to what is there, not
// written: the marks of broken bodies stay.
__global__ void __launch_bounds__(sum_threads)
    add_partial_kernel(const Gain* partial, std::int64_t point_blocks, Gain* gained) {
  __shared__ std::uint64_t of_warp[sum_threads / 32];
  const Gain* row = partial + std::int64_t{blockIdx.x} * point_blocks;
  std::uint64_t own = 0;
  for (std::int64_t b = threadIdx.x; b < point_blocks; b += sum_threads) own += row[b];
  const std::uint64_t sum = reduction::block_sum<sum_threads>(own, of_warp);
  if (threadIdx.x == 0) gained[blockIdx.x] += sum;
}

template <Surface surface>
void enqueue_tiles(const TiledTask& task, StreamRef stream) {
  const DeviceRays::Data& d = task.rays;
  for (std::int64_t first = 0; first < task.samples; first += task.samples_per_launch) {
    const auto count =
        static_cast<unsigned>(std::min<std::int64_t>(task.samples_per_launch, task.samples - first));
    launch(
        tiled_kernel<surface>,
        {dim3(static_cast<unsigned>(task.point_blocks), count), static_cast<unsigned>(task.points_per_block)},
        stream, d.rays.data(), d.weighted ? d.weight.data() : nullptr, task.prepared,
        static_cast<int>(task.capsules), d.ray_block_count() * rays_per_ray_block, d.sensor.loss,
        static_cast<int>(first), task.point_blocks, task.partial);
  }
}

}  // namespace

void enqueue_tiled(const TiledTask& task, StreamRef stream) {
  if (task.rays.sensor.surface == Surface::closest) {
    enqueue_tiles<Surface::closest>(task, stream);
  } else {
    enqueue_tiles<Surface::first>(task, stream);
  }
  launch(add_partial_kernel, {static_cast<unsigned>(task.samples), sum_threads}, stream,
         static_cast<const Gain*>(task.partial), task.point_blocks, task.gained);
}

}  // namespace triptych::capsule_likelihood
