// What a ParticleFilter runs on: a CPU, a GPU, or a CPU with several GPUs.
#pragma once

#include <triptych/capsule_likelihood/particle_filter.hpp>

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "filter/estimate_fit.hpp"
#include "filter/evidence/confidence.hpp"
#include "filter/filter_plan.hpp"
#include "filter/filter_share.hpp"

namespace triptych::capsule_likelihood {

// Factor of the spreads in the first frames from a pose that was searched for.
inline constexpr float uncertain_start = 1.5f;

// Arguments are checked by ParticleFilter: at most max_in_flight frames, clouds that fit.
class FilterEngine {
 public:
  FilterEngine(const Skeleton& skeleton, const SensorModel& sensor)
      : skeleton_(skeleton), sensor_(sensor), body_scale_(body_scale(skeleton)) {}
  virtual ~FilterEngine() = default;
  // For work on the host beside the engine's own; 0: all cores.
  virtual int threads() const { return 0; }
  const Skeleton& skeleton() const { return skeleton_; }
  const SensorModel& sensor() const { return sensor_; }
  // Whether the estimate of each frame is fitted to the cloud.
  virtual bool fits_estimates() const = 0;
  // widen: factor of the spreads in the first frames. Drops what is in flight.
  virtual void start(std::span<const float> pose, float widen) = 0;
  virtual void submit(const CloudView& cloud) = 0;
  // One cloud for each camera.
  virtual void submit_cameras(std::span<const CloudView> clouds) { submit(clouds.front()); }
  // Clouds in device memory, by engines that check_device_clouds() does not refuse with InvalidArgument.
  virtual void check_device_clouds() const = 0;
  virtual void submit(const DeviceCloudView& cloud) = 0;
  // Copies a cloud to the host, and waits for it.
  virtual void download(const DeviceCloudView& cloud, std::span<Vec3> points, std::span<float> sigma_m) = 0;
  virtual Estimate next() = 0;
  virtual void drop() = 0;  // forgets the frames in flight
  virtual void wait(const Event& event) { event.synchronize(); }
  // The population after the last submitted frame, one pose per row.
  virtual std::vector<float> samples() const = 0;

  Estimate step(const CloudView& cloud) {
    submit(cloud);
    return next();
  }

 protected:
  // Fills in the evidence and the confidence from the sample of the frame's cloud.
  void judge(Estimate& estimate, const EvidenceSample& sample) const {
    add_confidence(estimate, skeleton_, body_scale_, sample.view(), sensor_);
  }

  double scale() const { return body_scale_; }

  // The fit of the estimates, if the plan has one and there is one cloud in the frame of the world.
  std::optional<EstimateFit> make_fit(const FilterPlan& plan, const FilterShare* share) const {
    if (plan.fit_steps == 0 || (share != nullptr && !share->has_one_cloud())) return {};
    return EstimateFit(skeleton_, sensor_, plan.fit_steps, plan.recovers_limbs);
  }

 private:
  Skeleton skeleton_;
  SensorModel sensor_;
  double body_scale_;
};

// share: what the filter shares with other ranks, or null; outlives the engine. Frames are then collective.
std::unique_ptr<FilterEngine> make_cpu_engine(const Skeleton& skeleton, const SensorModel& sensor,
                                              FilterPlan plan, int threads,
                                              const FilterShare* share = nullptr);
std::unique_ptr<FilterEngine> make_cuda_engine(const Skeleton& skeleton, const SensorModel& sensor,
                                               const FilterPlan& plan, std::int64_t max_points, int ordinal,
                                               const FilterShare* share = nullptr);
// The likelihoods by several GPUs, all else on the CPU.
std::unique_ptr<FilterEngine> make_group_engine(const Skeleton& skeleton, const SensorModel& sensor,
                                                FilterPlan plan, std::int64_t max_points,
                                                const Device& devices);

}  // namespace triptych::capsule_likelihood
