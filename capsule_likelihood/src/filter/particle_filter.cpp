// ParticleFilter: argument checks, the choice of the engine, frames in flight and their latencies.
#include <triptych/capsule_likelihood/particle_filter.hpp>
#include <triptych/core/clock.hpp>
#include <triptych/core/error.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "body/check_poses.hpp"
#include "filter/evidence/host_cloud.hpp"
#include "filter/filter_engine.hpp"
#include "filter/find_pose.hpp"
#include "filter/find_shared.hpp"
#include "filter/search/heading_recovery.hpp"
#include "rays/rays_data.hpp"

namespace triptych::capsule_likelihood {

namespace {

std::unique_ptr<FilterShare> make_share(const FilterOptions& options) {
  return FilterShare::is_wanted(options) ? std::make_unique<FilterShare>(options) : nullptr;
}

std::unique_ptr<FilterEngine> make_engine(const Skeleton& skeleton, const FilterOptions& options,
                                          const Device& device, const FilterShare* share) {
  constexpr DeviceKind kinds[] = {DeviceKind::cpu, DeviceKind::cuda, DeviceKind::cuda_group};
  require_kind(device, kinds, "ParticleFilter");
  require(!skeleton.body_capsules().empty(), "a filter cannot follow a skeleton without capsules");
  check_sensor(options.sensor);
  FilterPlan plan = make_plan(skeleton, options);
  require(
      share == nullptr || device.kind() != DeviceKind::cuda_group,
      "a filter with an exchange or cameras runs on a CPU or on one GPU: make one filter for each GPU, with "
      "an exchange");
  require(share == nullptr || share->cameras().size() == 1 || device.kind() == DeviceKind::cpu,
          "a filter on a GPU takes one camera: make one filter for each camera, with an exchange");
  switch (device.kind()) {
    case DeviceKind::cuda:
      return make_cuda_engine(skeleton, options.sensor, plan, options.max_points, device.ordinal(), share);
    case DeviceKind::cuda_group:
      return make_group_engine(skeleton, options.sensor, std::move(plan), options.max_points, device);
    default:
      return make_cpu_engine(skeleton, options.sensor, std::move(plan), device.threads(), share);
  }
}

}  // namespace

struct ParticleFilter::State {
  State(const Skeleton& skeleton, const FilterOptions& wanted, const Device& on)
      : share(make_share(wanted)),
        engine(make_engine(skeleton, wanted, on, share.get())),
        options(wanted),
        device(on) {}

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
  // is_step: the result is wanted at once.
  void check_submit(bool is_step) const {
    require(in_flight == 0 || !is_step, "step() cannot be mixed with ", in_flight,
            " submitted frames: call next() first");
    require(in_flight < max_in_flight, "at most ", max_in_flight, " frames can be in flight: call next()");
    check_started();
  }
  void check_clouds(std::span<const CloudView> clouds) const {
    const std::size_t cameras = share ? share->cameras().size() : 1;
    require(clouds.size() == cameras, "there are ", clouds.size(), " clouds but ", cameras, " cameras");
    for (const CloudView& cloud : clouds) check_cloud(cloud);
  }
  void submit(std::span<const CloudView> clouds, bool is_step) {
    if (share) {
      submit_shared(clouds, is_step);
      return;
    }
    check_submit(is_step);
    check_clouds(clouds);
    enqueue([&] { engine->submit_cameras(clouds); });
  }
  void submit(const DeviceCloudView& cloud, bool is_step) {
    if (share) {
      submit_shared(cloud, is_step);
      return;
    }
    check_submit(is_step);
    check_cloud(cloud);
    enqueue([&] { engine->submit(cloud); });
  }
  // The ranks agree that all can begin the frame; then the engine is collective.
  void submit_shared(std::span<const CloudView> own, bool is_step) {
    const FilterShare::Frame frame = begin_frame(header_of(frames, own), [&] {
      check_submit(is_step);
      if (takes_own_cloud()) check_clouds(own);
    });
    CloudView received;
    const std::span<const CloudView> clouds = clouds_of_frame(own, frame, received);
    enqueue([&] { engine->submit_cameras(clouds); });
  }
  void submit_shared(const DeviceCloudView& cloud, bool is_step) {
    begin_frame({frames, 0, 0}, [&] {
      check_submit(is_step);
      check_cloud(cloud);
      require(!share->splits_samples() || share->exchange().size() == 1,
              "ranks that split the samples take clouds in host memory: rank 0 sends its cloud to all");
    });
    enqueue([&] { engine->submit(cloud); });
  }
  // Whether the cloud that is submitted here counts: when the samples are split, that of rank 0 does.
  bool takes_own_cloud() const { return !share->splits_samples() || share->exchange().rank() == 0; }
  // Whether find() searches in the frame of the world, from what several cameras see.
  bool searches_world() const { return share && !share->has_one_cloud(); }
  // The clouds to search: those of the caller or, received, that of rank 0. Collective.
  std::span<const CloudView> clouds_to_search(std::span<const CloudView> own, CloudView& received) {
    const auto check = [&] {
      check_clouds(own);
      if (!searches_world()) check_usable(own.front());
    };
    if (!share) {
      check();
      return own;
    }
    const FilterShare::Frame frame = begin_frame(header_of(0, own), [&] {
      if (takes_own_cloud()) check();
    });
    return clouds_of_frame(own, frame, received);
  }
  FilterShare::Frame header_of(std::int64_t number, std::span<const CloudView> clouds) const {
    if (clouds.empty()) return {number, 0, 0};
    return {number, static_cast<std::int64_t>(clouds.front().points.size()),
            static_cast<std::int64_t>(clouds.front().sigma_m.size())};
  }
  std::span<const CloudView> clouds_of_frame(std::span<const CloudView> own, const FilterShare::Frame& frame,
                                             CloudView& received) {
    if (!share->splits_samples() || share->exchange().size() == 1) return own;
    received = shared_cloud.receive(share->exchange(), own.empty() ? CloudView() : own.front(), frame);
    return {&received, 1};
  }
  template <class Check>
  FilterShare::Frame begin_frame(const FilterShare::Frame& own, const Check& check) const {
    std::exception_ptr failure;
    try {
      check();
    } catch (...) {
      failure = std::current_exception();
    }
    return share->begin_frame(own, failure);
  }
  template <class Work>
  void enqueue(const Work& work) {
    Stopwatch& watch = watches[static_cast<std::size_t>((first + in_flight) % max_in_flight)];
    watch.restart();
    or_lose_samples(work);
    ++in_flight;
    ++frames;
  }
  // The same on all ranks, which agree on it: poses to start at.
  void check_start(std::span<const float> at) const {
    const auto check = [&] { detail::check_pose(engine->skeleton(), at, "a pose to start at"); };
    if (!share) {
      check();
      return;
    }
    agree_on(share->exchange(), check);
    require_same(share->exchange(), std::as_bytes(at), "the poses to start at");
  }
  void set_status(Estimate& estimate) const {
    estimate.evidence.way = way;
    estimate.confidence *= way;
    estimate.status = !(estimate.points.used > 0 && estimate.score >= options.min_score) ? FilterStatus::lost
                      : estimate.confidence < options.min_confidence ? FilterStatus::uncertain
                                                                     : FilterStatus::tracking;
  }
  // Counts the frames without the body: whether to search for it now.
  bool is_to_search(const Estimate& estimate) {
    frames_without_body = estimate.status == FilterStatus::tracking ? 0 : frames_without_body + 1;
    return options.search_after_frames > 0 && frames_without_body >= options.search_after_frames &&
           estimate.points.used > 0;
  }
  // Before a frame of step(): the longer a pose was followed, the more seldom. Not before the first one: a
  // start may be so far off that the body turned round fits as well.
  bool is_to_check_heading() const {
    return options.recover_heading && engine->fits_estimates() && frames > 0 &&
           std::has_single_bit(static_cast<std::uint64_t>(frames) + 1);
  }
  // Starts again at the pose turned round when that explains the cloud clearly better. Collective.
  void check_heading(std::span<const CloudView> own) {
    const Stopwatch watch;
    CloudView received;
    const CloudView& cloud = clouds_to_check(own, received).front();
    std::vector<float> turned;
    const auto work = [&] {
      turned = turned_if_better(engine->skeleton(), engine->sensor(), cloud, pose, engine->threads());
    };
    if (share) {
      agree_on(share->exchange(), work);
    } else {
      work();
    }
    if (!turned.empty()) {
      or_lose_samples([&] { engine->start(turned, uncertain_start); });
      pose = std::move(turned);
      way = 1;
    }
    check_us = watch.elapsed_us();
  }
  std::span<const CloudView> clouds_to_check(std::span<const CloudView> own, CloudView& received) {
    const auto check = [&] {
      check_submit(true);
      if (!share || takes_own_cloud()) check_clouds(own);
    };
    if (!share) {
      check();
      return own;
    }
    return clouds_of_frame(own, begin_frame(header_of(frames, own), check), received);
  }
  void started_at(std::vector<float> at, double way_of_it) {
    pose = std::move(at);
    way = way_of_it;
    frames = 0;
    frames_without_body = 0;
    started = true;
  }
  HostCloud download(const DeviceCloudView& cloud) {
    HostCloud on_host;
    on_host.points.resize(static_cast<std::size_t>(cloud.points.size()));
    on_host.sigma_m.resize(static_cast<std::size_t>(cloud.sigma_m.size()));
    or_lose_samples([&] { engine->download(cloud, on_host.points, on_host.sigma_m); });
    return on_host;
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
      lose_samples();
      throw;
    } catch (...) {
      if (share && device.is_cuda()) lose_samples();
      throw;
    }
  }
  void lose_samples() {
    started = false;
    in_flight = 0;
    try {
      engine->drop();
    } catch (const Error&) {  // the first error counts
    }
  }

  std::unique_ptr<FilterShare> share;
  std::unique_ptr<FilterEngine> engine;
  FilterOptions options;
  Device device;
  bool started = false;
  std::vector<float> pose;  // of the start or the last estimate
  double way = 1;           // Evidence::way of the last find(); 1 since start()
  double check_us = 0;      // of check_heading() before the frame
  LatencyHistogram latencies;
  std::array<Stopwatch, max_in_flight> watches;  // of the frames in flight, a ring
  int first = 0, in_flight = 0;
  std::int64_t frames = 0;  // since the start
  int frames_without_body = 0;
  SharedCloud shared_cloud;
};

int default_samples(const Device& device) { return device.is_cuda() ? 2000 : 1000; }

ParticleFilter::ParticleFilter(const Skeleton& skeleton, const FilterOptions& options, const Device& device) {
  FilterOptions chosen = options;
  if (chosen.samples == 0) chosen.samples = default_samples(device);
  const auto construct = [&] { state_ = std::make_unique<State>(skeleton, chosen, device); };
  if (!chosen.exchange) {
    construct();
    return;
  }
  agree_on(*chosen.exchange, construct);
  require_same(*chosen.exchange, fingerprint_of(skeleton, chosen),
               "the skeleton, the options or the version of Triptych");
}
ParticleFilter::ParticleFilter(ParticleFilter&&) noexcept = default;
ParticleFilter& ParticleFilter::operator=(ParticleFilter&&) noexcept = default;
ParticleFilter::~ParticleFilter() = default;

void ParticleFilter::start(std::span<const float> pose) {
  state_->check_start(pose);
  std::vector<float> at(pose.begin(), pose.end());
  state_->engine->start(pose, 1);
  state_->in_flight = 0;
  state_->started_at(std::move(at), 1);
}

Estimate ParticleFilter::find(const CloudView& cloud) { return find_cameras({&cloud, 1}); }

Estimate ParticleFilter::find_cameras(std::span<const CloudView> own) {
  State& s = *state_;
  const Stopwatch watch;
  CloudView received;
  const std::span<const CloudView> clouds = s.clouds_to_search(own, received);
  std::vector<Vec3> points;
  if (s.searches_world()) points = points_in_world(*s.share, s.options.sensor, clouds);
  s.drop();
  s.started = false;  // in case of an exception
  Estimate estimate = s.searches_world() ? find_shared(*s.engine, points, clouds)
                                         : find_pose(*s.engine, clouds.front(), true);
  s.started_at(estimate.pose, estimate.evidence.way);
  s.set_status(estimate);
  estimate.latency_us = watch.elapsed_us();
  return estimate;
}

Estimate ParticleFilter::find(const DeviceCloudView& cloud) {
  const Stopwatch watch;
  state_->check_cloud(cloud);
  const HostCloud on_host = state_->download(cloud);
  Estimate estimate = find(on_host.view());
  estimate.latency_us = watch.elapsed_us();
  return estimate;
}

Estimate ParticleFilter::step(const CloudView& cloud) { return step_cameras({&cloud, 1}); }

Estimate ParticleFilter::step(const DeviceCloudView& cloud) {
  State& s = *state_;
  HostCloud on_host;
  const auto fetch = [&] {
    on_host = s.download(cloud);
    on_host.drop_points_without_sigma(s.options.sensor.sigma_m);
    return on_host.view();
  };
  // Ranks that share their samples take clouds in host memory alone, as submit() says.
  if (s.is_to_check_heading() && !(s.share && s.share->exchange().size() > 1)) {
    s.check_submit(true);
    s.check_cloud(cloud);
    const CloudView points = fetch();
    s.check_heading({&points, 1});
  }
  s.submit(cloud, true);
  Estimate estimate = next();
  return s.is_to_search(estimate) ? find(fetch()) : estimate;
}

Estimate ParticleFilter::step_cameras(std::span<const CloudView> clouds) {
  if (state_->is_to_check_heading()) state_->check_heading(clouds);
  state_->submit(clouds, true);
  Estimate estimate = next();
  if (state_->is_to_search(estimate)) return find_cameras(clouds);
  return estimate;
}

void ParticleFilter::submit(const CloudView& cloud) { state_->submit({&cloud, 1}, false); }
void ParticleFilter::submit(const DeviceCloudView& cloud) { state_->submit(cloud, false); }

Estimate ParticleFilter::next() {
  State& s = *state_;
  require(s.in_flight > 0, "no frame is in flight: call submit() first");
  Estimate estimate;
  s.or_lose_samples([&] { estimate = s.engine->next(); });
  s.set_status(estimate);
  std::copy(estimate.pose.begin(), estimate.pose.end(), s.pose.begin());
  estimate.latency_us =
      std::exchange(s.check_us, 0) + s.watches[static_cast<std::size_t>(s.first)].elapsed_us();
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
         std::to_string(options.max_points) + " points, on " + state_->device.describe() +
         (options.exchange ? ", " + options.exchange->describe() : "");
}

}  // namespace triptych::capsule_likelihood
