// The filter on the CPU, around the capsule likelihood.
#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/capsule_likelihood/likelihood.hpp>

#include <utility>

#include "filter_cpu.hpp"
#include "filter_engine.hpp"

namespace triptych::capsule_likelihood {

namespace {

class CpuEngine final : public FilterEngine {
 public:
  CpuEngine(const Skeleton& skeleton, const Measure& measure, FilterPlan plan, int threads)
      : skeleton_(skeleton),
        measure_(measure),
        threads_(threads),
        samples_(plan.samples),
        bodies_(static_cast<std::size_t>(plan.samples) * static_cast<std::size_t>(skeleton.capsule_count())),
        filter_(
            std::move(plan), skeleton.joint_count(),
            [this](MatrixView<const float> poses, MatrixView<Vec3> joints) {
              pose_cpu(skeleton_, poses, joints, {}, threads_);
            },
            threads) {
    const Rays check({}, {}, measure, 1);  // refuses a measure that makes no sense
  }

  void start(std::span<const float> pose, float widen) override { filter_.start(pose, widen); }

  Estimate step(std::span<const Vec3> points, std::span<const float> sigma_m) override {
    const Rays rays(points, sigma_m, measure_, threads_);
    filter_.step([&](MatrixView<const float> poses, std::span<double> log_likelihoods) {
      const MatrixView<Capsule> bodies(bodies_.data(), samples_, skeleton_.capsule_count());
      pose_cpu(skeleton_, poses, {}, bodies, threads_);
      evaluate_cpu(rays, bodies, log_likelihoods, {}, threads_);
    });
    Estimate estimate;
    estimate.pose.assign(filter_.estimate().begin(), filter_.estimate().end());
    estimate.joints.assign(filter_.joints().begin(), filter_.joints().end());
    estimate.covariances = filter_.covariances();
    estimate.effective_samples = filter_.effective_samples();
    estimate.log_likelihood = filter_.log_likelihood();
    estimate.points = rays.count();
    return estimate;
  }

  std::vector<float> samples() const override {
    const MatrixView<const float> poses = filter_.poses();
    return {poses.data(), poses.data() + std::int64_t{samples_} * poses.cols()};
  }

 private:
  Skeleton skeleton_;
  Measure measure_;
  int threads_;
  std::int32_t samples_;
  std::vector<Capsule> bodies_;
  FilterCpu filter_;
};

}  // namespace

std::unique_ptr<FilterEngine> make_cpu_engine(const Skeleton& skeleton, const Measure& measure,
                                              FilterPlan plan, int threads) {
  return std::make_unique<CpuEngine>(skeleton, measure, std::move(plan), threads);
}

}  // namespace triptych::capsule_likelihood
