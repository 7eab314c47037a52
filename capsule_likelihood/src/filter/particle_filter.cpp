// ParticleFilter: argument checks, the choice of the engine, frames in flight and their latencies.
#include <triptych/capsule_likelihood/particle_filter.hpp>
#include <triptych/core/clock.hpp>
#include <triptych/core/error.hpp>

#include <cmath>
#include <string>
#include <utility>

#include "body/check_poses.hpp"
#include "filter/filter_engine.hpp"
#include "filter/find_pose.hpp"
#include "rays/rays_data.hpp"

namespace triptych::capsule_likelihood {

namespace {

std::unique_ptr<FilterEngine> make_engine(const Skeleton& skeleton, const FilterOptions& options,
                                          const Device& device) {
  constexpr DeviceKind kinds[] = {DeviceKind::cpu, DeviceKind::cuda, DeviceKind::cuda_group};
  require_kind(device, kinds, "ParticleFilter");
  require(!skeleton.body_capsules().empty(), "a filter cannot follow a skeleton without capsules");
  check_sensor(options.sensor);
  FilterPlan plan = make_plan(skeleton, options);
  switch (device.kind()) {
    case DeviceKind::cuda:
      return make_cuda_engine(skeleton, options.sensor, plan, options.max_points, device.ordinal());
    case DeviceKind::cuda_group:
      return make_group_engine(skeleton, options.sensor, std::move(plan), options.max_points, device);
    default:
      return make_cpu_engine(skeleton, options.sensor, std::move(plan), device.threads());
  }
}

}  // namespace

struct ParticleFilter::State {
  State(const Skeleton& skeleton, const FilterOptions& wanted, const Device& on)
      : engine(make_engine(skeleton, wanted, on)), options(wanted), device(on) {}

  void check_started() const {
    require(started, "a filter needs a pose to start from: call start() or find() first");
  }
  void check_cloud(const CloudView& cloud) const {
    check_size(static_cast<std::int64_t>(cloud.points.size()));
    check_sigmas(cloud.points.size(), cloud.sigma_m);
  }
  void check_cloud(const DeviceCloudView& cloud) const {
    engine->check_device_clouds();
    check_size(cloud.points.size());
    require(cloud.sigma_m.empty() || cloud.sigma_m.size() == cloud.points.size(), "there are ",
            cloud.points.size(), " points but ", cloud.sigma_m.size(), " sigmas");
  }
  void check_size(std::int64_t points) const {
    require(points <= options.max_points, "a cloud of ", points,
            " points is larger than max_points = ", options.max_points, ": raise FilterOptions::max_points");
  }
  // Of all points, some must have a ray.
  void check_usable(const CloudView& cloud) const {
    std::size_t not_finite = 0, not_in_front = 0;
    for (const Vec3& point : cloud.points) {
      const RayStatus status = make_ray(point, options.sensor.sigma_m, options.sensor).status;
      not_finite += status == RayStatus::not_finite;
      not_in_front += status == RayStatus::not_in_front;
    }
    require(not_finite + not_in_front < cloud.points.size(), "no pose can be found in ", cloud.points.size(),
            " points: ", not_finite, " are not finite or farther than 1000 km, ", not_in_front,
            " are not in front of the camera, which looks along +z");
  }
  template <class View>
  void submit(const View& cloud) {
    require(in_flight < max_in_flight, "at most ", max_in_flight, " frames can be in flight: call next()");
    check_started();
    check_cloud(cloud);
    Stopwatch& watch = watches[static_cast<std::size_t>((first + in_flight) % max_in_flight)];
    watch.restart();
    or_lose_samples([&] { engine->submit(cloud); });
    ++in_flight;
  }
  void check_no_frames() const {
    require(in_flight == 0, "step() cannot be mixed with ", in_flight,
            " submitted frames: call next() first");
  }
  void set_status(Estimate& estimate) const {
    estimate.status = !(estimate.points.used > 0 && estimate.score >= options.min_score) ? FilterStatus::lost
                      : estimate.confidence < options.min_confidence ? FilterStatus::uncertain
                                                                     : FilterStatus::tracking;
  }
  void drop() {
    engine->drop();
    in_flight = 0;
  }
  // After a CUDA error the samples on the GPU are of no frame in particular: the filter must be started
  // again.
  template <class Work>
  void or_lose_samples(const Work& work) {
    try {
      work();
    } catch (const CudaError&) {
      started = false;
      in_flight = 0;
      try {
        engine->drop();
      } catch (const CudaError&) {  // the first error counts
      }
      throw;
    }
  }

  std::unique_ptr<FilterEngine> engine;
  FilterOptions options;
  Device device;
  bool started = false;
  LatencyHistogram latencies;
  std::array<Stopwatch, max_in_flight> watches;  // of the frames in flight, a ring
  int first = 0, in_flight = 0;
};

int default_samples(const Device& device) { return device.is_cuda() ? 2000 : 1000; }

ParticleFilter::ParticleFilter(const Skeleton& skeleton, const FilterOptions& options, const Device& device) {
  FilterOptions chosen = options;
  if (chosen.samples == 0) chosen.samples = default_samples(device);
  state_ = std::make_unique<State>(skeleton, chosen, device);
}
ParticleFilter::ParticleFilter(ParticleFilter&&) noexcept = default;
ParticleFilter& ParticleFilter::operator=(ParticleFilter&&) noexcept = default;
ParticleFilter::~ParticleFilter() = default;

void ParticleFilter::start(std::span<const float> pose) {
  detail::check_pose(state_->engine->skeleton(), pose, "a pose to start at");
  state_->engine->start(pose, 1);
  state_->in_flight = 0;
  state_->started = true;
}

Estimate ParticleFilter::find(const CloudView& cloud) {
  State& s = *state_;
  s.check_cloud(cloud);
  s.check_usable(cloud);
  const Stopwatch watch;
  s.drop();
  s.started = false;  // in case of an exception
  Estimate estimate = find_pose(*s.engine, cloud);
  s.started = true;
  s.set_status(estimate);
  estimate.latency_us = watch.elapsed_us();
  return estimate;
}

Estimate ParticleFilter::find(const DeviceCloudView& cloud) {
  const Stopwatch watch;
  state_->check_cloud(cloud);
  std::vector<Vec3> points(static_cast<std::size_t>(cloud.points.size()));
  std::vector<float> sigma_m(static_cast<std::size_t>(cloud.sigma_m.size()));
  state_->or_lose_samples([&] { state_->engine->download(cloud, points, sigma_m); });
  Estimate estimate = find(CloudView(points, sigma_m));
  estimate.latency_us = watch.elapsed_us();
  return estimate;
}

Estimate ParticleFilter::step(const CloudView& cloud) {
  state_->check_no_frames();
  submit(cloud);
  return next();
}

Estimate ParticleFilter::step(const DeviceCloudView& cloud) {
  state_->check_no_frames();
  submit(cloud);
  return next();
}

void ParticleFilter::submit(const CloudView& cloud) { state_->submit(cloud); }
void ParticleFilter::submit(const DeviceCloudView& cloud) { state_->submit(cloud); }

Estimate ParticleFilter::next() {
  State& s = *state_;
  require(s.in_flight > 0, "no frame is in flight: call submit() first");
  Estimate estimate;
  s.or_lose_samples([&] { estimate = s.engine->next(); });
  s.set_status(estimate);
  estimate.latency_us = s.watches[static_cast<std::size_t>(s.first)].elapsed_us();
  s.latencies.add(estimate.latency_us);
  s.first = (s.first + 1) % max_in_flight;
  --s.in_flight;
  return estimate;
}

int ParticleFilter::in_flight() const { return state_->in_flight; }
void ParticleFilter::wait(const Event& event) { state_->engine->wait(event); }

void ParticleFilter::reset() {
  state_->drop();
  state_->started = false;
  state_->latencies = {};
}

std::vector<float> ParticleFilter::samples() const {
  require(state_->started, "a filter has no samples before start() or find()");
  return state_->engine->samples();
}

const Device& ParticleFilter::device() const { return state_->device; }
Latency ParticleFilter::latency() const { return state_->latencies.latency(); }

std::string ParticleFilter::describe() const {
  const Skeleton& skeleton = state_->engine->skeleton();
  const FilterOptions& options = state_->options;
  return "particle filter of " + std::to_string(options.samples) + " samples x " +
         std::to_string(options.layers) + " layers for " + std::to_string(skeleton.joint_count()) +
         " joints and " + std::to_string(skeleton.capsule_count()) + " capsules, up to " +
         std::to_string(options.max_points) + " points, on " + state_->device.describe();
}

}  // namespace triptych::capsule_likelihood
