// The filter on the CPU: sampling, weighing and resampling around any likelihood of poses.
#pragma once

#include <triptych/capsule_likelihood/resample.hpp>
#include <triptych/core/matrix_view.hpp>

#include <array>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "filter/filter_plan.hpp"

namespace triptych::capsule_likelihood {

// Fills the log-likelihood of each row of poses.
using PoseLikelihood = std::function<void(MatrixView<const float> poses, std::span<double> log_likelihoods)>;
// Fills the positions of the joints, one row per pose.
using PoseJoints = std::function<void(MatrixView<const float> poses, MatrixView<Vec3> joints)>;

class FilterCpu {
 public:
  FilterCpu(FilterPlan plan, std::int32_t joints, PoseJoints positions, int threads);

  // All samples about a pose.
  void start(std::span<const float> pose, float widen = 1);
  void step(const PoseLikelihood& likelihood);
  // Before a step, and after one that failed: the state is as it was.
  void save() { saved_ = state_; }
  void restore() noexcept { std::swap(state_, saved_); }

  // The population, poses in rows; the last row is the estimate.
  MatrixView<const float> poses() const { return {state_.poses.data(), plan_.samples + 1, plan_.dims + 1}; }
  // Where the next frame starts, and how fast. pose: the estimate.
  const FilterFrame& frame() const { return state_.frame; }
  FittedState fitted_state(std::span<float> pose) {
    return {pose, state_.centre, state_.velocity, state_.last};
  }
  std::span<const float> estimate() const { return poses().row(plan_.samples); }
  // Of the estimate's joints, and how they vary over the samples.
  std::span<const Vec3> joints() const;
  const std::vector<std::array<float, 6>>& covariances() const { return covariances_; }
  double effective_samples() const { return effective_of(temperings_, plan_.samples); }
  double log_likelihood() const { return highest_of(temperings_); }

 private:
  FilterView view();
  void find_compensation();
  void find_compensation(const FilterLimb& limb);
  void propose(const FilterLayer& layer, int index, const FilterLayer* old);
  void weigh(const FilterLayer& layer);
  void move_centre(const FilterLayer& layer);
  void settle(const FilterLayer& old, int index);
  void find_covariances();

  FilterPlan plan_;
  std::int32_t joint_count_;
  PoseJoints positions_;
  int threads_;
  FilterState state_, saved_;
  std::vector<float> proposals_, old_proposals_, compensation_, moved_poses_;
  std::vector<Vec3> moved_joints_, joints_;
  std::vector<double> log_likelihoods_;
  std::vector<std::uint32_t> weights_;
  std::vector<std::uint64_t> cumulative_;
  std::vector<Tempering> temperings_;
  std::vector<std::array<float, 6>> covariances_;
};

}  // namespace triptych::capsule_likelihood
