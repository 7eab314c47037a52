#include <triptych/core/cuda.cuh>
#include <triptych/reduction/collective/block.cuh>

#include "filter/evidence/cloud_sample.hpp"
#include "filter/filter_kernels.hpp"
#include "filter/samples/filter_sums.hpp"
#include "filter/samples/limb_compensation_math.hpp"
#include "resample/weigh_block.cuh"

namespace triptych::capsule_likelihood {

namespace {

constexpr int rows_per_block = 8;  // a warp for each row of samples
constexpr int dims_per_sum = 8;    // side by side in memory: a whole sector

__device__ int thread() { return static_cast<int>(threadIdx.x); }
__device__ int lane_of_warp() { return thread() % 32; }
__device__ int warp_of_block() { return thread() / 32; }

// One block for the common state: a thread for a dimension, the first also for the rotation.
__global__ void predict_kernel(FilterView view, FilterMotion motion) {
  for (int d = 3 + thread(); d < view.dims; d += static_cast<int>(blockDim.x)) predict(view, d, motion);
  if (thread() == 0) predict_rotation(view, motion);
}

// A block for each pose, a thread for each dimension.
__global__ void moved_poses_kernel(FilterView view) {
  for (int d = thread(); d < view.dims; d += static_cast<int>(blockDim.x))
    moved_dim(view, static_cast<std::int32_t>(blockIdx.x), d);
}

// A block for each limb: the normal equations in shared memory, a thread for an entry, then for a right side.
__global__ void limb_compensation_kernel(FilterView view, LimbView limbs) {
  __shared__ double matrix[max_limb_dims * max_limb_dims];
  __shared__ double right[max_limb_dims * max_trunk_dims];
  const LimbRange range = limbs.ranges[blockIdx.x];
  const int n = range.dims, t = view.trunk_dims;
  const std::int32_t* const dims = limbs.dims + range.first_dim;
  const auto product = [&](std::int32_t d, std::int32_t e) {
    return slope_product(limbs.positions, limbs.joint_count, limbs.joints + range.first_joint, range.joints,
                         d, e);
  };
  for (int k = thread(); k < n * n; k += static_cast<int>(blockDim.x)) {
    const int i = k / n, j = k % n;
    if (j <= i)
      matrix[i * max_limb_dims + j] = product(dims[i], dims[j]) + (i == j ? compensation_damping : 0.0);
  }
  for (int k = thread(); k < n * t; k += static_cast<int>(blockDim.x))
    right[k] = -product(dims[k / t], view.trunk[k % t]);
  for (int j = 0; j < n; ++j) {
    __syncthreads();
    if (thread() == 0) matrix[j * max_limb_dims + j] = factor_entry(matrix, j, j);
    __syncthreads();
    for (int i = j + 1 + thread(); i < n; i += static_cast<int>(blockDim.x))
      matrix[i * max_limb_dims + j] = factor_entry(matrix, i, j);
  }
  __syncthreads();
  for (int k = thread(); k < t; k += static_cast<int>(blockDim.x)) {
    solve_factored(matrix, n, right + k, t);
    for (int i = 0; i < n; ++i) limbs.compensation[dims[i] * t + k] = static_cast<float>(right[i * t + k]);
  }
}

// The ancestors of this warp's row in each group of the layer before: one lane per group.
__device__ void find_ancestors(const FilterView& view, const FilterLayer& old, int old_index,
                               std::int32_t row, std::int32_t* ancestors) {
  for (int g = lane_of_warp(); g < old.groups; g += 32)
    ancestors[g] = ancestor_of(view, old, old_index, g, row);
  __syncwarp();
}

// A warp owns a row, a lane four of its dimensions.
__global__ void __launch_bounds__(rows_per_block * 32)
    propose_kernel(FilterView view, FilterLayer layer, int index, bool has_old, FilterLayer old) {
  __shared__ std::int32_t ancestors[rows_per_block][max_units];
  const auto row = static_cast<std::int32_t>(blockIdx.x) * rows_per_block + warp_of_block();
  if (row >= view.samples) return;
  std::int32_t* const own = ancestors[warp_of_block()];
  if (has_old) find_ancestors(view, old, index - 1, row, own);
  for (int block = lane_of_warp(); block * dims_per_block < view.dims; block += 32)
    propose_block(view, layer, index, has_old ? &old : nullptr, own, row, block);
  if (!layer.compensates) return;
  __syncwarp();
  for (int d = root_dims + lane_of_warp(); d < view.dims; d += 32) compensate_dim(view, row, d);
}

__global__ void __launch_bounds__(rows_per_block * 32)
    settle_kernel(FilterView view, FilterLayer old, int index) {
  __shared__ std::int32_t ancestors[rows_per_block][max_units];
  const auto row = static_cast<std::int32_t>(blockIdx.x) * rows_per_block + warp_of_block();
  if (row > view.samples) return;
  std::int32_t* const own = ancestors[warp_of_block()];
  if (row < view.samples) find_ancestors(view, old, index, row, own);
  for (int block = lane_of_warp(); block * dims_per_block < view.dims; block += 32)
    settle_block(view, old, own, row, block);
}

// A block for each group. There are few groups, so a block may have all registers of a multiprocessor.
__global__ void __launch_bounds__(weigh_threads, 1)
    weigh_kernel(const double* log_likelihoods, std::int32_t samples, std::int32_t groups,
                 double target_share, double max_loss, std::uint32_t* weights, std::uint64_t* cumulative,
                 Tempering* temperings) {
  const auto group = static_cast<std::int32_t>(blockIdx.x);
  const std::int32_t begin = group_begin(group, samples, groups);
  const std::int32_t n = group_begin(group + 1, samples, groups) - begin;
  const double* const l = log_likelihoods + begin;
  const Tempering tempering = temper_block(l, n, target_share * static_cast<double>(n), max_loss);
  const auto weigh = [=](int j) {
    const std::uint32_t weight = weight_under(tempering, l[j]);
    weights[begin + j] = weight;
    return std::uint64_t{weight};
  };
  scan_block(n, weigh, cumulative + begin);
  if (thread() == 0) temperings[group] = tempering;
}

// The step of the filter's ordered sums.
constexpr auto add_sums = [](auto& into, const auto& from) { into.add(from); };

// A block owns dims_per_sum dimensions; sum_lanes threads share a dimension, each every sum_lanes-th row of
// its group. Their partial sums are added in a fixed order.
__global__ void __launch_bounds__(dims_per_sum* sum_lanes)
    move_centre_kernel(FilterView view, FilterLayer layer, const double* log_likelihoods,
                       const std::uint32_t* weights, const Tempering* temperings) {
  __shared__ MeanSums partial[sum_lanes][dims_per_sum];
  const int column = thread() % dims_per_sum, lane = thread() / dims_per_sum;
  const int d = static_cast<int>(blockIdx.x) * dims_per_sum + column;
  const std::int32_t group = d < view.dims ? layer.group_of_unit[view.dimensions[d].unit] : -1;
  MeanSums sums;
  if (group >= 0) {
    const std::int32_t begin = group_begin(group, view.samples, layer.groups);
    const std::int32_t end = group_begin(group + 1, view.samples, layer.groups);
    const float centre = view.centre[d];
#pragma unroll 8
    for (std::int32_t row = begin + lane; row < end; row += sum_lanes)
      sums.add(view.proposals + std::int64_t{row} * view.dims, d, centre, weights[row]);
  }
  const MeanSums& total = reduction::block_combine_columns(sums, partial, add_sums);
  if (lane != 0 || group < 0) return;
  view.centre[d] = total.mean(d, view.centre[d]);
  if (searching_group(layer, view.dimensions[d].unit) != group) return;
  const std::int64_t begin = group_begin(group, view.samples, layer.groups);
  if (is_clearly_better(temperings[group], log_likelihoods[begin]))
    view.elite[d] = view.proposals[(begin + temperings[group].best) * view.dims + d];
}

// A block for each joint, and one for the pose; the sums' order as in move_centre_kernel.
__global__ void __launch_bounds__(sum_lanes)
    report_kernel(FilterView view, const Vec3* positions, std::int32_t joint_count, float* report) {
  __shared__ PositionSums partial[sum_lanes][1];
  const auto joint = static_cast<std::int32_t>(blockIdx.x);
  if (joint == joint_count) {
    const float* const pose = view.poses + std::int64_t{view.samples} * (view.dims + 1);
    for (int i = thread(); i <= view.dims; i += sum_lanes) report[i] = pose[i];
    return;
  }
  const Vec3 about = positions[std::int64_t{view.samples} * joint_count + joint];
  PositionSums sums;
  for (std::int32_t row = thread(); row < view.samples; row += sum_lanes)
    sums.add(positions[std::int64_t{row} * joint_count + joint], about);
  const PositionSums& total = reduction::block_combine_columns(sums, partial, add_sums);
  if (thread() != 0) return;
  float* const position = report + view.dims + 1 + std::int64_t{3} * joint;
  position[0] = about.x;
  position[1] = about.y;
  position[2] = about.z;
  total.covariance(view.samples,
                   report + view.dims + 1 + std::int64_t{3} * joint_count + std::int64_t{6} * joint);
}

// A point whose sigma is not above 0 is no point: NaN, as the rays drop it.
__global__ void cloud_sample_kernel(const Vec3* points, const float* sigma_m, const std::int64_t* count,
                                    std::int32_t max_size, Vec3* sample, float* sample_sigma_m) {
  const auto i = static_cast<std::int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  const std::int32_t size = sample_size(*count, max_size);
  if (i >= size) return;
  const std::int64_t k = sample_index(i, *count, size);
  Vec3 point = points[k];
  if (sigma_m != nullptr && !(sigma_m[k] > 0)) point.x = nanf("");
  sample[i] = point;
  if (sigma_m != nullptr && sample_sigma_m != nullptr) sample_sigma_m[i] = sigma_m[k];
}

unsigned blocks_for(std::int64_t count, int each) { return static_cast<unsigned>((count + each - 1) / each); }

}  // namespace

void enqueue_predict(const FilterView& view, const FilterMotion& motion, StreamRef stream) {
  launch(predict_kernel, {.grid = dim3(1), .block = dim3(128)}, stream, view, motion);
}

void enqueue_moved_poses(const FilterView& view, StreamRef stream) {
  launch(moved_poses_kernel, {.grid = dim3(static_cast<unsigned>(view.dims + 1)), .block = dim3(64)}, stream,
         view);
}

void enqueue_limb_compensation(const FilterView& view, const LimbView& limbs, StreamRef stream) {
  if (limbs.limbs == 0) return;
  launch(limb_compensation_kernel, {.grid = dim3(static_cast<unsigned>(limbs.limbs)), .block = dim3(128)},
         stream, view, limbs);
}

void enqueue_propose(const FilterView& view, const FilterLayer& layer, int index, const FilterLayer* old,
                     StreamRef stream) {
  launch(propose_kernel,
         {.grid = dim3(blocks_for(view.samples, rows_per_block)), .block = dim3(rows_per_block * 32)}, stream,
         view, layer, index, old != nullptr, old != nullptr ? *old : layer);
}

void enqueue_weigh(const double* log_likelihoods, std::int32_t samples, const FilterLayer& layer,
                   std::uint32_t* weights, std::uint64_t* cumulative, Tempering* temperings,
                   StreamRef stream) {
  launch(weigh_kernel, {.grid = dim3(static_cast<unsigned>(layer.groups)), .block = dim3(weigh_threads)},
         stream, log_likelihoods, samples, layer.groups, layer.target_share, layer.max_loss, weights,
         cumulative, temperings);
}

void enqueue_move_centre(const FilterView& view, const FilterLayer& layer, const double* log_likelihoods,
                         const std::uint32_t* weights, const Tempering* temperings, StreamRef stream) {
  launch(move_centre_kernel,
         {.grid = dim3(blocks_for(view.dims, dims_per_sum)), .block = dim3(dims_per_sum * sum_lanes)}, stream,
         view, layer, log_likelihoods, weights, temperings);
}

void enqueue_settle(const FilterView& view, const FilterLayer& old, int index, StreamRef stream) {
  launch(settle_kernel,
         {.grid = dim3(blocks_for(view.samples + 1, rows_per_block)), .block = dim3(rows_per_block * 32)},
         stream, view, old, index);
}

void enqueue_cloud_sample(const Vec3* points, const float* sigma_m, const std::int64_t* count,
                          std::int32_t max_size, Vec3* sample, float* sample_sigma_m, StreamRef stream) {
  launch(cloud_sample_kernel, {.grid = dim3(blocks_for(max_size, 128)), .block = dim3(128)}, stream, points,
         sigma_m, count, max_size, sample, sample_sigma_m);
}

void enqueue_report(const FilterView& view, const Vec3* positions, std::int32_t joint_count, float* report,
                    StreamRef stream) {
  launch(report_kernel, {.grid = dim3(static_cast<unsigned>(joint_count + 1)), .block = dim3(sum_lanes)},
         stream, view, positions, joint_count, report);
}

}  // namespace triptych::capsule_likelihood
