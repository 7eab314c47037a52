// The filter on the CPU, around a likelihood of the CPU or of several GPUs.
#include <triptych/capsule_likelihood/cuda_group.hpp>
#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/capsule_likelihood/likelihood.hpp>
#include <triptych/core/error.hpp>

#include <deque>
#include <optional>
#include <utility>

#include "filter/estimate_fit.hpp"
#include "filter/filter_cpu.hpp"
#include "filter/filter_engine.hpp"
#include "filter/shared_likelihood.hpp"

namespace triptych::capsule_likelihood {

namespace {

class CpuEngine final : public FilterEngine {
 public:
  // group: evaluates the likelihoods when given. share: as make_cpu_engine has it.
  CpuEngine(const Skeleton& skeleton, const SensorModel& sensor, FilterPlan plan, int threads,
            std::optional<CudaGroup> group, const FilterShare* share)
      : FilterEngine(skeleton, sensor),
        threads_(threads),
        fit_(make_fit(plan, share)),
        group_(std::move(group)),
        samples_(plan.samples),
        bodies_(static_cast<std::size_t>(plan.samples) * static_cast<std::size_t>(skeleton.capsule_count())),
        filter_(
            std::move(plan), skeleton.joint_count(),
            [this](MatrixView<const float> poses, MatrixView<Vec3> joints) {
              pose_cpu(this->skeleton(), poses, joints, {}, threads_);
            },
            threads) {
    if (share != nullptr) shared_.emplace(*share, this->skeleton(), this->sensor(), threads);
  }

  int threads() const override { return threads_; }
  bool fits_estimates() const override { return fit_.has_value(); }

  void start(std::span<const float> pose, float widen) override {
    filter_.start(pose, widen);
    results_.clear();
  }

  void submit(const CloudView& cloud) override { submit_cameras({&cloud, 1}); }

  void submit_cameras(std::span<const CloudView> clouds) override {
    filter_.save();
    try {
      results_.push_back(shared_ ? step_shared(clouds) : step_on(clouds.front()));
    } catch (...) {
      filter_.restore();
      throw;
    }
  }

  void check_device_clouds() const override {
    if (group_) throw InvalidArgument("a filter on several GPUs takes clouds in host memory alone");
    throw InvalidArgument(
        "this filter runs on the CPU and cannot read device memory: construct it with Device::cuda()");
  }
  void submit(const DeviceCloudView&) override { check_device_clouds(); }
  void download(const DeviceCloudView&, std::span<Vec3>, std::span<float>) override { check_device_clouds(); }

  Estimate next() override {
    Estimate estimate = std::move(results_.front());
    results_.pop_front();
    return estimate;
  }

  void drop() override { results_.clear(); }

  std::vector<float> samples() const override {
    const MatrixView<const float> poses = filter_.poses();
    return {poses.data(), poses.data() + std::int64_t{samples_} * poses.cols()};
  }

 private:
  // What does not depend on the likelihood.
  Estimate estimate_of_filter(const CloudView& cloud) {
    Estimate estimate;
    estimate.pose.assign(filter_.estimate().begin(), filter_.estimate().end());
    estimate.joints.assign(filter_.joints().begin(), filter_.joints().end());
    if (fit_) {
      fit_->apply(fit_sample(cloud), filter_.frame(), filter_.fitted_state(estimate.pose), threads_);
      estimate.joints = skeleton().joints(estimate.pose);
    }
    estimate.covariances = filter_.covariances();
    estimate.effective_samples = filter_.effective_samples();
    estimate.log_likelihood = filter_.log_likelihood();
    return estimate;
  }

  Estimate step_shared(std::span<const CloudView> clouds) {
    shared_->set(clouds);
    filter_.step([&](MatrixView<const float> poses, std::span<double> log_likelihoods) {
      shared_->evaluate(poses, log_likelihoods);
    });
    Estimate estimate = estimate_of_filter(clouds.front());
    shared_->complete(estimate, clouds, scale());
    return estimate;
  }

  Estimate step_on(const CloudView& cloud) {
    PointCount count;
    double max_loss = 0;
    if (group_) {
      count = group_->set(cloud.points, cloud.sigma_m);
      max_loss = group_->max_loss();
      filter_.step([&](MatrixView<const float> poses, std::span<double> log_likelihoods) {
        group_->evaluate(bodies_in(poses), log_likelihoods);
      });
    } else {
      const Rays rays(cloud.points, cloud.sigma_m, sensor(), threads_);
      count = rays.count();
      max_loss = rays.max_loss();
      filter_.step([&](MatrixView<const float> poses, std::span<double> log_likelihoods) {
        evaluate_cpu(rays, bodies_in(poses), log_likelihoods, {}, threads_);
      });
    }
    Estimate estimate = estimate_of_filter(cloud);
    estimate.score = score_of(estimate.log_likelihood, max_loss);
    estimate.points = count;
    judge(estimate, EvidenceSample::of(cloud.points));
    return estimate;
  }

  MatrixView<const Capsule> bodies_in(MatrixView<const float> poses) {
    const MatrixView<Capsule> bodies(bodies_.data(), samples_, skeleton().capsule_count());
    pose_cpu(skeleton(), poses, {}, bodies, threads_);
    return bodies;
  }

  int threads_;
  std::optional<EstimateFit> fit_;
  std::optional<CudaGroup> group_;
  std::int32_t samples_;
  std::vector<Capsule> bodies_;
  FilterCpu filter_;
  std::optional<SharedLikelihood> shared_;
  std::deque<Estimate> results_;
};

}  // namespace

std::unique_ptr<FilterEngine> make_cpu_engine(const Skeleton& skeleton, const SensorModel& sensor,
                                              FilterPlan plan, int threads, const FilterShare* share) {
  return std::make_unique<CpuEngine>(skeleton, sensor, std::move(plan), threads, std::nullopt, share);
}

std::unique_ptr<FilterEngine> make_group_engine(const Skeleton& skeleton, const SensorModel& sensor,
                                                FilterPlan plan, std::int64_t max_points,
                                                const Device& devices) {
  return std::make_unique<CpuEngine>(skeleton, sensor, std::move(plan), devices.threads(),
                                     CudaGroup(devices.ordinals(), max_points, sensor), nullptr);
}

}  // namespace triptych::capsule_likelihood
