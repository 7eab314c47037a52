// The filter on the CPU, around a likelihood of the CPU or of several GPUs.
#include <triptych/capsule_likelihood/gpu_team.hpp>
#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/capsule_likelihood/likelihood.hpp>

#include <optional>
#include <utility>

#include "filter/filter_cpu.hpp"
#include "filter/filter_engine.hpp"

namespace triptych::capsule_likelihood {

namespace {

class CpuEngine final : public FilterEngine {
 public:
  // team: calculates the likelihoods, when there is one.
  CpuEngine(const Skeleton& skeleton, const Measure& measure, FilterPlan plan, int threads,
            std::optional<GpuTeam> team)
      : FilterEngine(skeleton),
        measure_(measure),
        threads_(threads),
        team_(std::move(team)),
        samples_(plan.samples),
        bodies_(static_cast<std::size_t>(plan.samples) * static_cast<std::size_t>(skeleton.capsule_count())),
        filter_(
            std::move(plan), skeleton.joint_count(),
            [this](MatrixView<const float> poses, MatrixView<Vec3> joints) {
              pose_cpu(this->skeleton(), poses, joints, {}, threads_);
            },
            threads) {
    const Rays check({}, {}, measure, 1);  // refuses a measure that makes no sense
  }

  void start(std::span<const float> pose, float widen) override { filter_.start(pose, widen); }

  Estimate step(std::span<const Vec3> points, std::span<const float> sigma_m) override {
    PointCount count;
    if (team_) {
      count = team_->set(points, sigma_m);
      filter_.step([&](MatrixView<const float> poses, std::span<double> log_likelihoods) {
        team_->evaluate(bodies_in(poses), log_likelihoods);
      });
    } else {
      const Rays rays(points, sigma_m, measure_, threads_);
      count = rays.count();
      filter_.step([&](MatrixView<const float> poses, std::span<double> log_likelihoods) {
        evaluate_cpu(rays, bodies_in(poses), log_likelihoods, {}, threads_);
      });
    }
    Estimate estimate;
    estimate.pose.assign(filter_.estimate().begin(), filter_.estimate().end());
    estimate.joints.assign(filter_.joints().begin(), filter_.joints().end());
    estimate.covariances = filter_.covariances();
    estimate.effective_samples = filter_.effective_samples();
    estimate.log_likelihood = filter_.log_likelihood();
    estimate.points = count;
    return estimate;
  }

  std::vector<float> samples() const override {
    const MatrixView<const float> poses = filter_.poses();
    return {poses.data(), poses.data() + std::int64_t{samples_} * poses.cols()};
  }

 private:
  MatrixView<const Capsule> bodies_in(MatrixView<const float> poses) {
    const MatrixView<Capsule> bodies(bodies_.data(), samples_, skeleton().capsule_count());
    pose_cpu(skeleton(), poses, {}, bodies, threads_);
    return bodies;
  }

  Measure measure_;
  int threads_;
  std::optional<GpuTeam> team_;
  std::int32_t samples_;
  std::vector<Capsule> bodies_;
  FilterCpu filter_;
};

}  // namespace

std::unique_ptr<FilterEngine> make_cpu_engine(const Skeleton& skeleton, const Measure& measure,
                                              FilterPlan plan, int threads) {
  return std::make_unique<CpuEngine>(skeleton, measure, std::move(plan), threads, std::nullopt);
}

std::unique_ptr<FilterEngine> make_team_engine(const Skeleton& skeleton, const Measure& measure,
                                               FilterPlan plan, std::int64_t max_points,
                                               std::span<const int> ordinals) {
  return std::make_unique<CpuEngine>(skeleton, measure, std::move(plan), 0,
                                     GpuTeam(ordinals, max_points, measure));
}

}  // namespace triptych::capsule_likelihood
