// What a ParticleFilter runs on: a CPU, a GPU, or a CPU with several GPUs.
#pragma once

#include <triptych/capsule_likelihood/particle_filter.hpp>

#include <memory>
#include <span>
#include <vector>

#include "filter/filter_plan.hpp"

namespace triptych::capsule_likelihood {

class FilterEngine {
 public:
  explicit FilterEngine(const Skeleton& skeleton) : skeleton_(skeleton) {}
  virtual ~FilterEngine() = default;
  const Skeleton& skeleton() const { return skeleton_; }
  // widen: how much wider than usual the first frames search.
  virtual void start(std::span<const float> pose, float widen) = 0;
  virtual Estimate step(std::span<const Vec3> points, std::span<const float> sigma_m) = 0;
  // The population, poses in rows.
  virtual std::vector<float> samples() const = 0;

 private:
  Skeleton skeleton_;
};

std::unique_ptr<FilterEngine> make_cpu_engine(const Skeleton& skeleton, const Measure& measure,
                                              FilterPlan plan, int threads);
std::unique_ptr<FilterEngine> make_cuda_engine(const Skeleton& skeleton, const Measure& measure,
                                               const FilterPlan& plan, std::int64_t max_points, int ordinal);
// The likelihoods by several GPUs, all else on the CPU.
std::unique_ptr<FilterEngine> make_team_engine(const Skeleton& skeleton, const Measure& measure,
                                               FilterPlan plan, std::int64_t max_points,
                                               std::span<const int> ordinals);

}  // namespace triptych::capsule_likelihood
