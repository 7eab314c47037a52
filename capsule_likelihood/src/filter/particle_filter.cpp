// ParticleFilter: argument checks, the choice of twin, and the search for a first pose.
#include <triptych/capsule_likelihood/particle_filter.hpp>
#include <triptych/core/error.hpp>

#include <utility>

#include "filter/filter_engine.hpp"
#include "filter/find_pose.hpp"

namespace triptych::capsule_likelihood {

namespace {

FilterPlan checked_plan(const Skeleton& skeleton, const FilterOptions& options) {
  require(!skeleton.flesh().empty(), "a filter cannot follow a skeleton without capsules");
  return make_plan(skeleton, options);
}

}  // namespace

ParticleFilter::ParticleFilter(const Skeleton& skeleton, const Measure& measure, const FilterOptions& options,
                               const Device& device) {
  FilterPlan plan = checked_plan(skeleton, options);
  engine_ = device.is_cuda() ? make_cuda_engine(skeleton, measure, plan, options.max_points, device.ordinal())
                             : make_cpu_engine(skeleton, measure, std::move(plan), device.threads());
}
ParticleFilter::ParticleFilter(const Skeleton& skeleton, const Measure& measure, const FilterOptions& options,
                               std::span<const int> gpus) {
  require(!gpus.empty(), "a filter on GPUs needs the number of at least one");
  FilterPlan plan = checked_plan(skeleton, options);
  engine_ = gpus.size() == 1 ? make_cuda_engine(skeleton, measure, plan, options.max_points, gpus.front())
                             : make_team_engine(skeleton, measure, std::move(plan), options.max_points, gpus);
}
ParticleFilter::ParticleFilter(ParticleFilter&&) noexcept = default;
ParticleFilter& ParticleFilter::operator=(ParticleFilter&&) noexcept = default;
ParticleFilter::~ParticleFilter() = default;

void ParticleFilter::start(std::span<const float> pose) {
  engine_->start(pose, 1);
  started_ = true;
}

Estimate ParticleFilter::find(std::span<const Vec3> points) {
  Estimate estimate = find_pose(*engine_, points);
  started_ = true;
  return estimate;
}

Estimate ParticleFilter::step(std::span<const Vec3> points, std::span<const float> sigma_m) {
  require(started_, "a filter needs a pose to start from: call start() or find() first");
  return engine_->step(points, sigma_m);
}

std::vector<float> ParticleFilter::samples() const {
  require(started_, "a filter has no samples before start() or find()");
  return engine_->samples();
}

}  // namespace triptych::capsule_likelihood
