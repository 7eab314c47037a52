#include <triptych/core/parallel.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "filter/filter_cpu.hpp"
#include "filter/samples/filter_sums.hpp"
#include "filter/samples/limb_compensation_math.hpp"

namespace triptych::capsule_likelihood {

namespace {

int blocks_of(int dims) { return (dims + dims_per_block - 1) / dims_per_block; }

// Which row each group of the layer before gives to a row.
void find_ancestors(const FilterView& view, const FilterLayer& old, int old_index, std::int32_t row,
                    std::int32_t* ancestors) {
  for (int g = 0; g < old.groups; ++g) ancestors[g] = ancestor_of(view, old, old_index, g, row);
}

}  // namespace

FilterCpu::FilterCpu(FilterPlan plan, std::int32_t joints, PoseJoints positions, int threads)
    : plan_(std::move(plan)), joint_count_(joints), positions_(std::move(positions)), threads_(threads) {
  const auto dims = static_cast<std::size_t>(plan_.dims), samples = static_cast<std::size_t>(plan_.samples);
  for (auto* v : {&proposals_, &old_proposals_}) v->assign(dims * samples, 0);
  compensation_.assign(dims * plan_.trunk.size(), 0);
  moved_poses_.assign((dims + 1) * (dims + 1), 0);
  moved_joints_.resize((dims + 1) * static_cast<std::size_t>(joints));
  joints_.resize((samples + 1) * static_cast<std::size_t>(joints));
  covariances_.resize(static_cast<std::size_t>(joints));
  log_likelihoods_.assign(samples, 0);
  weights_.assign(samples, 0);
  cumulative_.assign(samples, 0);
}

FilterView FilterCpu::view() {
  FilterView v = view_of(plan_, state_);
  v.old_proposals = old_proposals_.data();
  v.proposals = proposals_.data();
  v.cumulative = cumulative_.data();
  v.compensation = compensation_.data();
  return v;
}

void FilterCpu::start(std::span<const float> pose, float widen) {
  state_ = make_start(plan_, pose, widen, threads_);
}

void FilterCpu::step(const PoseLikelihood& likelihood) {
  predict_rotation(view(), plan_.motion);
  for (int d = 3; d < plan_.dims; ++d) predict(view(), d, plan_.motion);
  find_compensation();
  const FilterLayer* old = nullptr;
  for (std::size_t i = 0; i < plan_.layers.size(); ++i) {
    const FilterLayer& layer = plan_.layers[i];
    propose(layer, static_cast<int>(i), old);
    likelihood({state_.poses.data(), plan_.samples, plan_.dims + 1}, log_likelihoods_);
    weigh(layer);
    move_centre(layer);
    proposals_.swap(old_proposals_);
    old = &layer;
  }
  settle(*old, static_cast<int>(plan_.layers.size()) - 1);
  find_covariances();
}

void FilterCpu::propose(const FilterLayer& layer, int index, const FilterLayer* old) {
  const FilterView v = view();
  parallel_for(0, v.samples, threads_, [&](std::int64_t i) {
    const auto row = static_cast<std::int32_t>(i);
    std::array<std::int32_t, max_units> ancestors{};
    if (old != nullptr) find_ancestors(v, *old, index - 1, row, ancestors.data());
    for (int block = 0; block < blocks_of(v.dims); ++block)
      propose_block(v, layer, index, old, ancestors.data(), row, block);
    if (layer.compensates)
      for (int d = root_dims; d < v.dims; ++d) compensate_dim(v, row, d);
  });
}

void FilterCpu::find_compensation() {
  if (plan_.limbs.empty()) return;
  FilterView v = view();
  v.poses = moved_poses_.data();
  for (std::int32_t row = 0; row <= v.dims; ++row)
    for (int d = 0; d < v.dims; ++d) moved_dim(v, row, d);
  positions_({moved_poses_.data(), v.dims + 1, v.dims + 1}, {moved_joints_.data(), v.dims + 1, joint_count_});
  parallel_chunks(static_cast<std::int64_t>(plan_.limbs.size()), 1, threads_,
                  [&](std::int64_t i, std::int64_t, std::int64_t) {
                    find_compensation(plan_.limbs[static_cast<std::size_t>(i)]);
                  });
}

void FilterCpu::find_compensation(const FilterLimb& limb) {
  const auto n = static_cast<int>(limb.dims.size()), t = static_cast<int>(plan_.trunk.size());
  std::array<double, max_limb_dims * max_limb_dims> matrix{};
  std::array<double, max_limb_dims * max_trunk_dims> right{};
  double* const m = matrix.data();
  double* const b = right.data();
  const std::int32_t* const dims = limb.dims.data();
  const std::int32_t* const trunk = plan_.trunk.data();
  const auto product = [&](std::int32_t d, std::int32_t e) {
    return slope_product(moved_joints_.data(), joint_count_, limb.joints.data(),
                         static_cast<std::int32_t>(limb.joints.size()), d, e);
  };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j)
      m[i * max_limb_dims + j] = product(dims[i], dims[j]) + (i == j ? compensation_damping : 0.0);
    for (int k = 0; k < t; ++k) b[i * t + k] = -product(dims[i], trunk[k]);
  }
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n; ++i) m[i * max_limb_dims + j] = factor_entry(m, i, j);
  for (int k = 0; k < t; ++k) {
    solve_factored(m, n, b + k, t);
    for (int i = 0; i < n; ++i)
      compensation_.data()[std::int64_t{dims[i]} * t + k] = static_cast<float>(b[i * t + k]);
  }
}

void FilterCpu::weigh(const FilterLayer& layer) {
  temperings_.resize(static_cast<std::size_t>(layer.groups));
  parallel_chunks(layer.groups, 1, threads_, [&](std::int64_t g, std::int64_t, std::int64_t) {
    const auto group = static_cast<std::int32_t>(g);
    const auto begin = static_cast<std::size_t>(group_begin(group, plan_.samples, layer.groups));
    const auto n = static_cast<std::size_t>(group_begin(group + 1, plan_.samples, layer.groups)) - begin;
    temperings_[static_cast<std::size_t>(g)] =
        temper_cpu(std::span(log_likelihoods_).subspan(begin, n), layer.target_share * static_cast<double>(n),
                   std::span(weights_).subspan(begin, n), layer.max_loss);
    std::uint64_t sum = 0;
    for (std::size_t j = begin; j < begin + n; ++j) cumulative_[j] = sum += weights_[j];
  });
}

void FilterCpu::move_centre(const FilterLayer& layer) {
  const FilterView v = view();
  parallel_chunks(v.dims, 1, threads_, [&](std::int64_t i, std::int64_t, std::int64_t) {
    const int d = static_cast<int>(i);
    const std::int32_t group = layer.group_of_unit[v.dimensions[d].unit];
    if (group < 0) return;
    const std::int32_t begin = group_begin(group, v.samples, layer.groups);
    const std::int32_t end = group_begin(group + 1, v.samples, layer.groups);
    std::array<MeanSums, sum_lanes> lanes{};
    for (std::int32_t row = begin; row < end; ++row)
      lanes[static_cast<std::size_t>((row - begin) % sum_lanes)].add(
          v.proposals + std::int64_t{row} * v.dims, d, v.centre[d], weights_[static_cast<std::size_t>(row)]);
    for (std::size_t step = sum_lanes / 2; step > 0; step /= 2)
      for (std::size_t lane = 0; lane < step; ++lane) lanes[lane].add(lanes[lane + step]);
    v.centre[d] = lanes[0].mean(d, v.centre[d]);
    const Tempering& tempering = temperings_[static_cast<std::size_t>(group)];
    if (searching_group(layer, v.dimensions[d].unit) == group &&
        is_clearly_better(tempering, log_likelihoods_[static_cast<std::size_t>(begin)]))
      v.elite[d] = v.proposals[(begin + tempering.best) * v.dims + d];
  });
}

void FilterCpu::settle(const FilterLayer& old, int index) {
  const FilterView v = view();
  parallel_for(0, v.samples + 1, threads_, [&](std::int64_t i) {
    const auto row = static_cast<std::int32_t>(i);
    std::array<std::int32_t, max_units> ancestors{};
    if (row < v.samples) find_ancestors(v, old, index, row, ancestors.data());
    for (int block = 0; block < blocks_of(v.dims); ++block)
      settle_block(v, old, ancestors.data(), row, block);
  });
}

void FilterCpu::find_covariances() {
  const MatrixView<Vec3> positions(joints_.data(), plan_.samples + 1, joint_count_);
  positions_(poses(), positions);
  parallel_chunks(joint_count_, 1, threads_, [&](std::int64_t joint, std::int64_t, std::int64_t) {
    std::vector<PositionSums> lanes(sum_lanes);
    for (std::int32_t row = 0; row < plan_.samples; ++row)
      lanes[static_cast<std::size_t>(row % sum_lanes)].add(positions(row, joint),
                                                           positions(plan_.samples, joint));
    for (std::size_t step = sum_lanes / 2; step > 0; step /= 2)
      for (std::size_t lane = 0; lane < step; ++lane) lanes[lane].add(lanes[lane + step]);
    lanes[0].covariance(plan_.samples, covariances_[static_cast<std::size_t>(joint)].data());
  });
}

std::span<const Vec3> FilterCpu::joints() const {
  return std::span(joints_).last(static_cast<std::size_t>(joint_count_));
}

}  // namespace triptych::capsule_likelihood
