#include <triptych/core/cuda.cuh>
#include <triptych/core/error.hpp>
#include <triptych/reduction/detail/kernel_arch.cuh>

#include <algorithm>
#include <limits>

#include "likelihood/evaluate_cuda.hpp"
#include "likelihood/evaluate_paths.hpp"
#include "likelihood/tuned_options.hpp"
#include "paper/tiled_cuda.hpp"
#include "rays/sensor_math.hpp"

namespace triptych::capsule_likelihood {

namespace {

constexpr int prepare_threads = 256;

// A block owns some whole samples, a thread one capsule at a time; it also starts the sums of its samples, as
// broken ones where a capsule is not valid, and the grid the work of the tiles.
__global__ void __launch_bounds__(prepare_threads)
    prepare_kernel(DeviceMatrixView<const Capsule> bodies, std::int64_t first, int samples,
                   int samples_of_block, SensorModel sensor, PreparedCapsule* prepared, CullShape* shapes,
                   Gain* gained, unsigned* tile_work, int tiles) {
  __shared__ int broken[prepare_threads];
  let_next_grid_start();
  const int start = static_cast<int>(blockIdx.x) * samples_of_block;
  const int count = min(samples_of_block, samples - start);
  const auto capsules = static_cast<int>(bodies.cols());
  if (static_cast<int>(threadIdx.x) < count) broken[threadIdx.x] = 0;
  for (int tile = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); tile < tiles;
       tile += static_cast<int>(gridDim.x * blockDim.x))
    tile_work[tile] = 0;
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < count * capsules; i += prepare_threads) {
    const int j = i / capsules;
    const Capsule capsule = bodies(first + start + j, i - j * capsules);
    const bool valid = is_valid(capsule);
    if (!valid) broken[j] = 1;
    const PreparedCapsule p = valid ? prepare(capsule, sensor.camera, sensor.inside) : never_hit();
    const std::int64_t at = std::int64_t{start} * capsules + i;
    prepared[at] = p;
    if (shapes != nullptr) shapes[at] = cull_shape(capsule, p, sensor);
  }
  __syncthreads();
  if (static_cast<int>(threadIdx.x) < count)
    gained[start + threadIdx.x] = broken[threadIdx.x] != 0 ? broken_body : 0;
}

// A thread owns a sample.
__global__ void finish_kernel(const Gain* gained, int samples, const PointTotals* totals, double step,
                              double* log_likelihoods) {
  let_next_grid_start();
  wait_for_previous_grid();
  const int j = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (j >= samples) return;
  const Gain sum = __ldcg(gained + j);
  log_likelihoods[j] = (sum & broken_body) != 0 ? __longlong_as_double(0x7FF8000000000000ll)
                                                : log_likelihood(__ldcg(&totals->max_gain), sum, step);
}

// The same for add_losses_cpu's twin: what was not gained, in the steps of loss_steps(). A broken body gains
// nothing.
__global__ void finish_losses_kernel(const Gain* gained, int samples, const PointTotals* totals,
                                     bool weighted, std::int64_t* losses) {
  let_next_grid_start();
  wait_for_previous_grid();
  const int j = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (j >= samples) return;
  const Gain sum = __ldcg(gained + j);
  const Gain not_gained = __ldcg(&totals->max_gain) - ((sum & broken_body) != 0 ? 0 : sum);
  losses[j] = static_cast<std::int64_t>(loss_steps(weighted, not_gained));
}

void enqueue_prepare(const EvaluateCall& call, DeviceMatrixView<const Capsule> bodies, std::int64_t first) {
  const auto of_block = static_cast<int>(std::clamp<std::int64_t>(
      prepare_threads / std::max<std::int64_t>(bodies.cols(), 1), 1, prepare_threads));
  const auto samples = static_cast<int>(call.samples);
  launch(prepare_kernel, {static_cast<unsigned>((samples + of_block - 1) / of_block), prepare_threads},
         call.stream, bodies, first, samples, of_block, call.rays.sensor, call.arrays.prepared,
         call.arrays.shapes, call.arrays.gained, call.arrays.tile_work,
         call.arrays.tile_work == nullptr
             ? 0
             : static_cast<int>(call.plan.ray_blocks_at_a_time * tiles_per_ray_block));
}

void enqueue_culled(const EvaluateCall& call) {
  for (std::int64_t first = 0; first < call.plan.ray_blocks; first += call.plan.ray_blocks_at_a_time) {
    const std::int64_t ray_blocks = std::min(call.plan.ray_blocks_at_a_time, call.plan.ray_blocks - first);
    enqueue_cull(call, first, ray_blocks);
    enqueue_list(call, first, ray_blocks);
  }
}

void enqueue_finish(const EvaluateCall& call, double* log_likelihoods) {
  const auto samples = static_cast<unsigned>(call.samples);
  launch(finish_kernel,
         {(samples + 127) / 128, 128, 0, 1, reduction::detail::kernel_arch<finish_kernel>() >= 90},
         call.stream, static_cast<const Gain*>(call.arrays.gained), static_cast<int>(call.samples),
         static_cast<const PointTotals*>(call.rays.totals.data()),
         log_of_step(call.rays.sensor, call.rays.weighted), log_likelihoods);
}

void enqueue_finish(const EvaluateCall& call, std::int64_t* losses) {
  const auto samples = static_cast<unsigned>(call.samples);
  launch(finish_losses_kernel,
         {(samples + 127) / 128, 128, 0, 1, reduction::detail::kernel_arch<finish_losses_kernel>() >= 90},
         call.stream, static_cast<const Gain*>(call.arrays.gained), static_cast<int>(call.samples),
         static_cast<const PointTotals*>(call.rays.totals.data()), call.rays.weighted, losses);
}

}  // namespace

EvaluatePlan::EvaluatePlan(const DeviceRays::Data& rays, DeviceMatrixView<const Capsule> bodies,
                           const EvaluateOptions& options, int multiprocessors)
    : method(options.method),
      capsules(bodies.cols()),
      ray_blocks(rays.ray_block_count()),
      points_per_block(options.points_per_block) {
  require(options.samples_per_launch >= 0, "cannot evaluate ", options.samples_per_launch,
          " samples a launch");
  require(capsules < (1 << 23), "a body of ", capsules, " capsules is too large");
  if (points_per_block == 0) points_per_block = method == Method::brute ? 512 : 128;
  const int p = points_per_block;
  switch (method) {
    case Method::culled:
      require(p == 64 || p == 128, "cannot evaluate ", p, " points a block: 64 or 128 are possible");
      break;
    case Method::brute:
      require(p == 128 || p == 256 || p == 512, "cannot evaluate ", p,
              " points a block: 128, 256 or 512 are possible");
      break;
    case Method::tiled:
      require(p >= 32 && p <= 512 && p % 32 == 0, "cannot evaluate ", p,
              " points a block: multiples of 32 up to 512 are possible");
      break;
  }
  // No kernel should run for more than some tens of milliseconds, on the smallest GPU too: one multiprocessor
  // tests at least 2^31 pairs per second. The arrays of a launch stay below a quarter of a gigabyte each.
  const double pairs = std::max<double>(1, static_cast<double>(capsules) * static_cast<double>(rays.points));
  const double by_time = 0x1p26 * multiprocessors / pairs;
  const double by_memory =
      0x1p28 / (static_cast<double>(std::max<std::int64_t>(capsules, 1)) * sizeof(PreparedCapsule));
  const double most = std::min({by_time, by_memory, 32768.0});
  samples = std::max<std::int64_t>(1, static_cast<std::int64_t>(most));
  if (samples > 2 * max_chunk_samples) samples -= samples % (2 * max_chunk_samples);
  // The paper takes few samples a launch and launches again and again.
  samples_per_tiled_launch = options.samples_per_launch > 0 ? options.samples_per_launch : 8;
  if (options.samples_per_launch > 0 && method != Method::tiled)
    samples = std::min<std::int64_t>(samples, options.samples_per_launch);
  samples = std::max<std::int64_t>(1, std::min(samples, bodies.rows()));
  if (method == Method::tiled) {
    samples_per_tiled_launch = static_cast<int>(std::min<std::int64_t>(samples_per_tiled_launch, samples));
    const double partial_bytes =
        static_cast<double>(std::max<std::int64_t>(point_blocks(), 1)) * sizeof(Gain);
    samples = std::clamp<std::int64_t>(static_cast<std::int64_t>(0x1p28 / partial_bytes), 1, samples);
  }
  // A warp works for a tile and two chunks: enough of them keep the device busy to the end.
  chunk_samples = max_chunk_samples;
  const std::int64_t enough = 8 * std::int64_t{multiprocessors} * 32;
  while (chunk_samples > 1 && ray_blocks * tiles_per_ray_block * chunks() / 2 < enough) chunk_samples /= 2;
  const double list_bytes =
      static_cast<double>(chunks() * std::max<std::int64_t>(list_capacity(), 1)) * sizeof(ListEntry);
  ray_blocks_at_a_time = std::clamp<std::int64_t>(static_cast<std::int64_t>(0x1p28 / list_bytes), 1,
                                                  std::max<std::int64_t>(ray_blocks, 1));
}

namespace {

// Into log-likelihoods (double) or losses (std::int64_t).
template <class Result>
void evaluate_into(const DeviceRays& rays, DeviceMatrixView<const Capsule> bodies, DeviceSpan<Result> results,
                   const EvaluateOptions& options, Workspace& workspace, StreamRef stream) {
  require(bodies.rows() == results.size(), "there are ", bodies.rows(), " bodies but ", results.size(),
          " results");
  check_method(options.method);
  const DeviceRays::Data& d = rays.data();
  int device = 0;
  TRIPTYCH_CUDA_CHECK(cudaGetDevice(&device));
  const EvaluateOptions filled =
      with_remembered(device, size_class(options.method, bodies.rows(), bodies.cols(), d.points), options);
  const EvaluatePlan plan(d, bodies, filled, reduction::detail::multiprocessors());
  workspace.reserve(EvaluateArrays(nullptr, plan).bytes, stream);
  const EvaluateArrays arrays(workspace.scratch(), plan);
  for (std::int64_t first = 0; first < bodies.rows(); first += plan.samples) {
    const std::int64_t samples = std::min(plan.samples, bodies.rows() - first);
    const EvaluateCall call{d, plan, arrays, samples, workspace.tickets(), stream};
    enqueue_prepare(call, bodies, first);
    if (d.points > 0 && plan.capsules > 0) {
      switch (plan.method) {
        case Method::culled:
          enqueue_culled(call);
          break;
        case Method::brute:
          enqueue_brute(call);
          break;
        case Method::tiled:
          enqueue_tiled({d, arrays.prepared, samples, plan.capsules, plan.samples_per_tiled_launch,
                         plan.points_per_block, plan.point_blocks(), arrays.partial, arrays.gained},
                        stream);
          break;
      }
    }
    enqueue_finish(call, results.data() + first);
  }
}

}  // namespace

void evaluate_cuda(const DeviceRays& rays, DeviceMatrixView<const Capsule> bodies,
                   DeviceSpan<double> log_likelihoods, const EvaluateOptions& options, Workspace& workspace,
                   StreamRef stream) {
  evaluate_into(rays, bodies, log_likelihoods, options, workspace, stream);
}

void losses_cuda(const DeviceRays& rays, DeviceMatrixView<const Capsule> bodies,
                 DeviceSpan<std::int64_t> losses, Workspace& workspace, StreamRef stream) {
  evaluate_into(rays, bodies, losses, {}, workspace, stream);
}

}  // namespace triptych::capsule_likelihood
