#include <triptych/core/cuda.cuh>
#include <triptych/reduction/detail/kernel_arch.cuh>

#include <cub/block/block_radix_sort.cuh>

#include <algorithm>
#include <vector>

#include "body/upload.hpp"
#include "filter/evidence/cloud_sample.hpp"
#include "filter/fit/estimate_fit_cuda.hpp"
#include "filter/fit/fit_parameters.hpp"
#include "filter/fit/morton_key.hpp"
#include "filter/fit/surface_fit_block.cuh"
#include "rays/rays_math.hpp"

namespace triptych::capsule_likelihood {

namespace {

constexpr int cluster_blocks = max_fit_points / fit_chunk;
constexpr int sort_threads = 512, points_per_thread = max_fit_points / sort_threads;

// One block draws the sample, and sorts those of its points that have a ray along the curve. A thread owns
// some neighbouring points before the sort and some places after it.
__global__ void __launch_bounds__(sort_threads)
    fit_points_kernel(const Vec3* points, const float* sigma_m, const std::int64_t* count, SensorModel sensor,
                      FitPoints sample) {
  using Sort = cub::BlockRadixSort<std::uint32_t, sort_threads, points_per_thread, std::int32_t>;
  __shared__ typename Sort::TempStorage memory;
  constexpr std::uint32_t unused = ~0u;  // behind all keys
  const std::int32_t size = sample_size(*count, max_fit_points);
  const auto of_sample = [&](std::int32_t i) { return sample_index(i, *count, size); };
  const auto sigma_of = [&](std::int64_t k) { return sigma_m != nullptr ? sigma_m[k] : sensor.sigma_m; };
  std::uint32_t keys[points_per_thread];
  std::int32_t own[points_per_thread];
#pragma unroll
  for (int k = 0; k < points_per_thread; ++k) {
    own[k] = static_cast<std::int32_t>(threadIdx.x) * points_per_thread + k;
    keys[k] = unused;
    if (own[k] >= size) continue;
    const std::int64_t from = of_sample(own[k]);
    if (make_ray(points[from], sigma_of(from), sensor).status == RayStatus::used)
      keys[k] = morton_key(about_camera(points[from], sensor));
  }
  Sort(memory).Sort(keys, own);  // stable: points with the same key stay in order
  int used = 0;
#pragma unroll
  for (int k = 0; k < points_per_thread; ++k) {
    const bool is_used = keys[k] != unused;
    used += __syncthreads_count(is_used);
    if (!is_used) continue;
    const std::int64_t from = of_sample(own[k]);
    FitPoint point;
    point.p = about_camera(points[from], sensor);
    const detail::Vec p(point.p);
    point.measured_m = length(p);
    point.view = 1 / point.measured_m * p;
    point.inverse_variance = inverse_variance_of(sigma_of(from), sensor);
    sample.points[static_cast<int>(threadIdx.x) * points_per_thread + k] = point;
  }
  // The mean, in the order of the chunks: a thread for each.
  __shared__ double of_chunk[cluster_blocks];
  __syncthreads();
  if (threadIdx.x < cluster_blocks) {
    double sum = 0;
    const int begin = static_cast<int>(threadIdx.x) * fit_chunk, end = min(used, begin + fit_chunk);
    for (int i = begin; i < end; ++i) sum += sample.points[i].inverse_variance;
    of_chunk[threadIdx.x] = sum;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  double sum = 0;
  for (int c = 0; c * fit_chunk < used; ++c) sum += of_chunk[c];
  *sample.count = used;
  *sample.mean_inverse_variance = sum / static_cast<double>(max(1, used));
}

// A team of blocks for the fit: a cluster, or one block where there are no clusters.
template <int Blocks>
__global__ void __launch_bounds__(fit_threads) fit_kernel(const __grid_constant__ FitTask task) {
  extern __shared__ __align__(16) unsigned char shared[];
  BlockFit<Blocks>(task, shared).refine();
}

std::size_t shared_bytes_of(const Skeleton& skeleton) {
  return FitMemory(nullptr, skeleton.joint_count(), skeleton.capsule_count(),
                   static_cast<int>(FitParameters(skeleton).count()), skeleton.pose_size())
      .bytes;
}

template <int Blocks>
void allow_shared_memory(std::size_t bytes) {
  TRIPTYCH_CUDA_CHECK(cudaFuncSetAttribute(fit_kernel<Blocks>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           static_cast<int>(bytes)));
}

}  // namespace

bool EstimateFitCuda::has_room_for(const Skeleton& skeleton) {
  int device = 0, bytes = 0;
  TRIPTYCH_CUDA_CHECK(cudaGetDevice(&device));
  TRIPTYCH_CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  return shared_bytes_of(skeleton) <= static_cast<std::size_t>(bytes);
}

EstimateFitCuda::EstimateFitCuda(const Skeleton& skeleton, const DeviceSkeleton& placed,
                                 const SensorModel& sensor, int steps, Team team)
    : has_clusters_(team == Team::cluster &&
                    reduction::detail::kernel_arch<fit_kernel<cluster_blocks>>() >= 90),
      shared_bytes_(shared_bytes_of(skeleton)),
      points_(max_fit_points),
      matches_{DeviceBuffer<RayMatch>(max_fit_points), DeviceBuffer<RayMatch>(max_fit_points)},
      count_(1),
      mean_inverse_variance_(1) {
  if (has_clusters_) {
    allow_shared_memory<cluster_blocks>(shared_bytes_);
  } else {
    allow_shared_memory<1>(shared_bytes_);
  }
  const FitParameters parameters(skeleton);
  const auto count = static_cast<std::int32_t>(parameters.count()), pose_size = skeleton.pose_size();
  std::vector<std::int32_t> of_angle(static_cast<std::size_t>(pose_size), -1), angle_of, first_move,
      move_count, joint_of, moves;
  for (std::size_t i = 0; i < parameters.angles.size(); ++i) {
    of_angle[parameters.angles[i]] = static_cast<std::int32_t>(FitParameters::of_root + i);
    angle_of.push_back(static_cast<std::int32_t>(parameters.angles[i]));
  }
  for (std::size_t j = 0; j < parameters.moves.size(); ++j) {
    const std::vector<std::size_t>& of_joint = parameters.moves[j];
    const auto first = static_cast<std::int32_t>(moves.size());
    for (std::size_t i = of_joint.size() - parameters.own(skeleton, j); i < of_joint.size(); ++i) {
      first_move.push_back(first);
      move_count.push_back(static_cast<std::int32_t>(i + 1));
      joint_of.push_back(static_cast<std::int32_t>(j));
    }
    for (const std::size_t p : of_joint) moves.push_back(static_cast<std::int32_t>(p));
  }
  std::vector<float> limits = parameters.lower;
  limits.insert(limits.end(), parameters.upper.begin(), parameters.upper.end());
  std::vector<std::int32_t> numbers;
  std::vector<std::size_t> begins;
  for (const auto* part : {&of_angle, &angle_of, &first_move, &move_count, &joint_of, &moves}) {
    begins.push_back(numbers.size());
    numbers.insert(numbers.end(), part->begin(), part->end());
  }
  const Stream stream;
  numbers_ = detail::upload(numbers, stream);
  limits_ = detail::upload(limits, stream);
  stream.synchronize();
  const std::int32_t* const n = numbers_.data();
  task_.sensor = sensor;
  task_.steps = steps;
  task_.skeleton = placed.data().view();
  task_.parameters = {count,         pose_size,      n + begins[0],
                      n + begins[1], limits_.data(), limits_.data() + parameters.lower.size(),
                      n + begins[2], n + begins[3],  n + begins[4],
                      n + begins[5]};
  task_.points = {points_.data(), count_.data(), mean_inverse_variance_.data()};
  for (std::size_t i = 0; i < matches_.size(); ++i) task_.matches[i] = matches_[i].data();
}

void EstimateFitCuda::enqueue_points(const Vec3* points, const float* sigma_m, const std::int64_t* count,
                                     StreamRef stream) {
  launch(fit_points_kernel, {.grid = dim3(1), .block = dim3(sort_threads)}, stream, points, sigma_m, count,
         task_.sensor, task_.points);
}

void EstimateFitCuda::enqueue_fit(const FitState& state, StreamRef stream) {
  FitTask task = task_;
  task.state = state;
  const unsigned blocks = has_clusters_ ? cluster_blocks : 1;
  launch(has_clusters_ ? fit_kernel<cluster_blocks> : fit_kernel<1>,
         {.grid = dim3(blocks), .block = dim3(fit_threads), .shared_bytes = shared_bytes_, .cluster = blocks},
         stream, task);
}

}  // namespace triptych::capsule_likelihood
