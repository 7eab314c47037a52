// The GPU program of the paper in its own arithmetic (section 5, listings 1.1 and 1.3).
#include <triptych/capsule_likelihood/paper_loop.hpp>
#include <triptych/core/cuda.cuh>
#include <triptych/core/error.hpp>
#include <triptych/reduction/collective/block.cuh>

#include <algorithm>

#include "paper/paper_loop_math.hpp"

namespace triptych::capsule_likelihood {

namespace {

constexpr int tile_points = 128;      // the paper's POINTS_PER_BLOCK, a thread for each
constexpr int samples_of_launch = 8;  // the paper's SAMPLES_PER_KERNEL
constexpr int staged_capsules = 64;   // in shared memory at a time
constexpr int sum_threads = 128;

// The distances. A block owns a tile of points, one for each thread, and one of the samples of the
// launch. Points and capsules are fetched word by word, so that neighbouring threads read neighbouring words,
// and lie in shared memory by coordinate, so that they read neighbouring banks. The tile's sum goes to the
// array of partial sums.
//
// What differs from the paper: the camera is an argument; the running minimum is in a register, not in shared
// memory; more than 64 capsules come in several rounds; tiles of points are the grid's x, which reaches
// farther; the order of the sum, of which the paper says nothing, is fixed, so that all runs have the same
// bits.
__global__ void __launch_bounds__(tile_points)
    paper_tiles_kernel(DeviceSpan<const Vec3> points, DeviceMatrixView<const Capsule> bodies,
                       std::int64_t first_sample, Vec3 camera, float max_distance, float* partial) {
  __shared__ float tile[3][tile_points];
  __shared__ float body[7][staged_capsules];
  __shared__ float of_warp[tile_points / 32];
  const auto i = static_cast<int>(threadIdx.x);
  const std::int64_t first = std::int64_t{blockIdx.x} * tile_points, rest = points.size() - first;
  const int count = rest < tile_points ? static_cast<int>(rest) : tile_points;
  const auto* of_tile = reinterpret_cast<const float*>(points.data() + first);
  for (int word = i; word < count * 3; word += tile_points) tile[word % 3][word / 3] = of_tile[word];
  __syncthreads();
  const int at = min(i, count - 1);
  const Vec3 x{tile[0][at], tile[1][at], tile[2][at]};
  const auto* of_sample =
      reinterpret_cast<const float*>(bodies.data() + (first_sample + blockIdx.y) * bodies.stride());
  float value = max_distance;
  for (std::int64_t from = 0; from < bodies.cols(); from += staged_capsules) {
    const auto staged = static_cast<int>(std::min<std::int64_t>(staged_capsules, bodies.cols() - from));
    __syncthreads();
    for (int word = i; word < staged * 7; word += tile_points)
      body[word % 7][word / 7] = of_sample[from * 7 + word];
    __syncthreads();
    for (int k = 0; k < staged; ++k) {
      const Vec3 a{body[0][k], body[1][k], body[2][k]}, b{body[4][k], body[5][k], body[6][k]};
      value = std::min(paper::measurement(x, camera, body[3][k], a, b, max_distance), value);
    }
  }
  const float sum = reduction::block_sum_in_order<tile_points>(i < count ? value : 0.0f, of_warp);
  if (i == 0) partial[std::int64_t{blockIdx.y} * gridDim.x + blockIdx.x] = sum;
}

// The reduction kernel. A block owns a sample, a thread every sum_threads-th of its tiles.
__global__ void __launch_bounds__(sum_threads)
    add_tiles_kernel(const float* partial, std::int64_t tiles, float* distances) {
  __shared__ float of_warp[sum_threads / 32];
  const float* row = partial + std::int64_t{blockIdx.x} * tiles;
  float own = 0;
  for (std::int64_t t = threadIdx.x; t < tiles; t += sum_threads) own += row[t];
  const float sum = reduction::block_sum_in_order<sum_threads>(own, of_warp);
  if (threadIdx.x == 0) distances[blockIdx.x] = sum;
}

}  // namespace

void evaluate_paper_tiles_cuda(DeviceSpan<const Vec3> points, DeviceMatrixView<const Capsule> bodies,
                               const Vec3& camera, float max_distance, DeviceSpan<float> distances,
                               Workspace& workspace, StreamRef stream) {
  require(bodies.rows() == distances.size(), "there are ", bodies.rows(), " bodies but ", distances.size(),
          " results");
  if (distances.empty()) return;
  const std::int64_t tiles = (points.size() + tile_points - 1) / tile_points;
  // The partial sums stay below a quarter of a gigabyte.
  const std::int64_t at_a_time =
      std::clamp<std::int64_t>((1 << 26) / std::max<std::int64_t>(tiles, 1), 1, bodies.rows());
  workspace.reserve(static_cast<std::size_t>(at_a_time * tiles) * sizeof(float), stream);
  auto* const partial = reinterpret_cast<float*>(workspace.scratch());
  for (std::int64_t first = 0; first < bodies.rows(); first += at_a_time) {
    const std::int64_t samples = std::min(at_a_time, bodies.rows() - first);
    for (std::int64_t j = 0; j < samples && tiles > 0; j += samples_of_launch) {
      const auto count = static_cast<unsigned>(std::min<std::int64_t>(samples_of_launch, samples - j));
      launch(paper_tiles_kernel, {dim3(static_cast<unsigned>(tiles), count), tile_points}, stream, points,
             bodies, first + j, camera, max_distance, partial + j * tiles);
    }
    launch(add_tiles_kernel, {static_cast<unsigned>(samples), sum_threads}, stream,
           static_cast<const float*>(partial), tiles, distances.data() + first);
  }
}

}  // namespace triptych::capsule_likelihood
