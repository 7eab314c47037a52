#include <algorithm>
#include <optional>
#include <utility>

#include "body/upload.hpp"
#include "filter/filter_engine_cuda.hpp"
#include "filter/shared_likelihood.hpp"
#include "rays/sensor_math.hpp"

namespace triptych::capsule_likelihood {

namespace {

// The numbers of points that graphs are made for are multiples of this.
constexpr std::int64_t points_per_step = 4096;

}  // namespace

CudaEngine::CudaEngine(const Skeleton& skeleton, const SensorModel& sensor, FilterPlan plan,
                       std::int64_t max_points, const Device& device, const FilterShare* share,
                       const DeviceGuard&)
    : FilterEngine(skeleton, sensor),
      device_(device),
      plan_(std::move(plan)),
      joint_count_(skeleton.joint_count()),
      capsule_count_(skeleton.capsule_count()),
      device_skeleton_(skeleton),
      max_points_((max_points + points_per_step - 1) / points_per_step * points_per_step),
      rays_(max_points_, sensor),
      fit_(make_fit(plan_, share)),
      share_(share) {
  if (fit_ && EstimateFitCuda::has_room_for(skeleton))
    device_fit_.emplace(skeleton, device_skeleton_, sensor, plan_.fit_steps);
  const std::int64_t samples = plan_.samples, dims = plan_.dims;
  upload_plan();
  frame_ = DeviceBuffer<FilterFrame>(1);
  common_ = DeviceBuffer<float>(7 * dims);
  population_ = DeviceBuffer<float>(samples * dims);
  for (auto& proposals : proposals_) proposals = DeviceBuffer<float>(samples * dims);
  poses_ = DeviceBuffer<float>((samples + 1) * (dims + 1));
  joints_ = DeviceBuffer<Vec3>((samples + 1) * joint_count_);
  bodies_ = DeviceBuffer<Capsule>(samples * std::max(1, capsule_count_));
  log_likelihoods_ = DeviceBuffer<double>(samples);
  weights_ = DeviceBuffer<std::uint32_t>(samples);
  cumulative_ = DeviceBuffer<std::uint64_t>(samples);
  points_ = DeviceBuffer<Vec3>(max_points_);
  sigma_m_ = DeviceBuffer<float>(max_points_);
  point_count_ = DeviceBuffer<std::int64_t>(1);
  report_ = DeviceBuffer<std::byte>(report_bytes());
  fill_bytes(report_.span(), 0, stream_);  // entries of absent groups are copied with the rest
  if (share_ != nullptr) {
    losses_ = DeviceBuffer<std::int64_t>(samples);
    fill_bytes(losses_.span(), 0, stream_);
    host_losses_ = PinnedBuffer<std::int64_t>(samples + 1);
  }
  make_slots();
  reserve({max_points_, true, 0});
}

void CudaEngine::make_slots() {
  for (Slot& s : slots_) {
    s.points = PinnedBuffer<Vec3>(max_points_);
    s.sigma_m = PinnedBuffer<float>(max_points_);
    s.point_count = PinnedBuffer<std::int64_t>(1);
    s.report = PinnedBuffer<std::byte>(report_.size());
    s.totals = PinnedBuffer<PointTotals>(1);
    s.engine = this;
    s.frame = PinnedBuffer<FilterFrame>(1);
    s.state = PinnedBuffer<float>(fitted_arrays * plan_.dims);
    if (fits_on_host()) s.sample.reserve(static_cast<std::size_t>(max_fit_points));
  }
}

CudaEngine::~CudaEngine() {
  // Enqueued work must not outlive its buffers; a destructor does not throw.
  try {
    drop();
  } catch (...) {
    try {
      const DeviceGuard guard(device_);
      stream_.synchronize();
    } catch (...) {
    }
  }
}

void CudaEngine::start(std::span<const float> pose, float widen) {
  const DeviceGuard guard(device_);
  const FilterState state = make_start(plan_, pose, widen, 0);
  drop();
  copy_to_device(std::span(&state.frame, 1), frame_.span(), stream_);
  std::vector<float> common;
  for (const auto* part : {&state.centre, &state.elite, &state.velocity, &state.last, &state.innovation,
                           &state.spread, &state.home})
    common.insert(common.end(), part->begin(), part->end());
  copy_to_device(std::span<const float>(common), common_.span(), stream_);
  copy_to_device(std::span<const float>(state.population), population_.span(), stream_);
  copy_to_device(std::span<const float>(state.poses), poses_.span(), stream_);
  stream_.synchronize();
}

void CudaEngine::submit(const CloudView& cloud) {
  const DeviceGuard guard(device_);
  const FrameKind kind =
      begin_frame(static_cast<std::int64_t>(cloud.points.size()), !cloud.sigma_m.empty(), true);
  Slot& s = slot(kind.slot);
  std::copy(cloud.points.begin(), cloud.points.end(), s.points.data());
  std::copy(cloud.sigma_m.begin(), cloud.sigma_m.end(), s.sigma_m.data());
  run_frame(kind, [] {});
}

void CudaEngine::submit(const DeviceCloudView& cloud) {
  const DeviceGuard guard(device_);
  const FrameKind kind = begin_frame(cloud.points.size(), !cloud.sigma_m.empty(), false);
  run_frame(kind, [&] {
    copy_on_device(cloud.points, points_.span().first(cloud.points.size()), stream_);
    copy_on_device(cloud.sigma_m, sigma_m_.span().first(cloud.sigma_m.size()), stream_);
  });
}

CudaEngine::FrameKind CudaEngine::begin_frame(std::int64_t points, bool with_sigma, bool uploads) {
  const int index = (first_ + in_flight_) % max_in_flight;
  Slot& s = slot(index);
  *s.point_count.data() = points;
  s.with_sigma = with_sigma;
  s.uploads = uploads;
  const std::int64_t room =
      std::max<std::int64_t>(1, (points + points_per_step - 1) / points_per_step) * points_per_step;
  return {room, with_sigma, index, uploads};
}

template <class Prepare>
void CudaEngine::run_frame(const FrameKind& kind, const Prepare& prepare) {
  const std::vector<Graph>* parts = nullptr;
  const auto begin = [&] {
    enqueue_pending_fit();
    parts = &graphs_for(kind);  // may use the stream
    prepare();
  };
  if (sums_on_host()) {
    for (std::size_t i = 0; i < plan_.layers.size(); ++i) {
      std::exception_ptr failure;
      try {
        if (i == 0) begin();
        (*parts)[i].launch(stream_);
        stream_.synchronize();
      } catch (...) {
        failure = std::current_exception();
      }
      share_->sum_or_fail(host_losses_.span(), failure);
    }
  } else {
    begin();
  }
  parts->back().launch(stream_);
  Slot& s = slot(kind.slot);
  if (fits_on_host()) {
    if (s.uploads) draw_fit_sample(cloud_of(s), s.sample);  // while the GPU searches
    s.fit_pending = true;
  }
  s.done.record(stream_);
  ++in_flight_;
}

void CudaEngine::download(const DeviceCloudView& cloud, std::span<Vec3> points, std::span<float> sigma_m) {
  const DeviceGuard guard(device_);
  copy_to_host(cloud.points, points, stream_);
  copy_to_host(cloud.sigma_m, sigma_m, stream_);
  stream_.synchronize();
}

Estimate CudaEngine::next() {
  const DeviceGuard guard(device_);
  Slot& s = slot(first_);
  if (share_ != nullptr) {
    share_->exchange().wait(s.done);
  } else {
    s.done.synchronize();
  }
  if (s.fit_failure) std::rethrow_exception(std::exchange(s.fit_failure, nullptr));
  if (s.fit_pending) finish_pending_fit(s);
  Estimate estimate = report(s);
  // One frame at a time uses the first slot and its graphs alone.
  first_ = --in_flight_ == 0 ? 0 : (first_ + 1) % max_in_flight;
  return estimate;
}

void CudaEngine::drop() {
  const DeviceGuard guard(device_);
  const int last = (first_ + in_flight_ + max_in_flight - 1) % max_in_flight;
  const bool has_frames = in_flight_ > 0;
  first_ = in_flight_ = 0;
  for (Slot& s : slots_) s.fit_pending = false;
  // Sums on the device may wait for a rank that is missing.
  if (share_ != nullptr && has_frames) share_->exchange().wait(slot(last).done);
  stream_.synchronize();
}

std::vector<float> CudaEngine::samples() const {
  const DeviceGuard guard(device_);
  std::vector<float> poses(static_cast<std::size_t>(plan_.samples) *
                           static_cast<std::size_t>(plan_.dims + 1));
  copy_to_host(poses_.span().first(static_cast<std::int64_t>(poses.size())), std::span<float>(poses),
               stream_);
  stream_.synchronize();
  return poses;
}

void CudaEngine::upload_plan() {
  dimensions_ = detail::upload(plan_.dimensions, stream_);
  trunk_ = detail::upload(plan_.trunk, stream_);
  std::vector<LimbRange> ranges;
  std::vector<std::int32_t> dims, joints;
  for (const FilterLimb& limb : plan_.limbs) {
    ranges.push_back({static_cast<std::int32_t>(dims.size()), static_cast<std::int32_t>(limb.dims.size()),
                      static_cast<std::int32_t>(joints.size()),
                      static_cast<std::int32_t>(limb.joints.size())});
    dims.insert(dims.end(), limb.dims.begin(), limb.dims.end());
    joints.insert(joints.end(), limb.joints.begin(), limb.joints.end());
  }
  limb_ranges_ = detail::upload(ranges, stream_);
  limb_dims_ = detail::upload(dims, stream_);
  limb_joints_ = detail::upload(joints, stream_);
  const std::int64_t rows = plan_.dims + 1;
  moved_poses_ = DeviceBuffer<float>(rows * rows);
  moved_joints_ = DeviceBuffer<Vec3>(rows * joint_count_);
  compensation_ = DeviceBuffer<float>(
      std::max<std::int64_t>(1, std::int64_t{plan_.dims} * static_cast<std::int64_t>(plan_.trunk.size())));
  fill_bytes(compensation_.span(), 0, stream_);
  stream_.synchronize();
}

// Runs what uses the workspace once, outside of a capture, so that it is large enough. When it grows, older
// graphs are dropped: they refer to its memory.
void CudaEngine::reserve(const FrameKind& kind) {
  stream_.synchronize();
  const std::size_t before = workspace_.bytes();
  fill_bytes(point_count_.span(), 0, stream_);
  fill_bytes(bodies_.span(), 0, stream_);
  set_rays(kind.room, kind.with_sigma);
  evaluate();
  stream_.synchronize();
  if (workspace_.bytes() != before) graphs_.clear();
}

const std::vector<Graph>& CudaEngine::graphs_for(const FrameKind& kind) {
  if (const auto found = graphs_.find(kind); found != graphs_.end()) return found->second;
  reserve(kind);
  std::vector<Graph> parts;
  if (sums_on_host()) {
    std::optional<triptych::detail::Capture> capture(std::in_place, stream_);
    enqueue_frame(kind, [&] {
      parts.push_back(capture->finish());
      capture.emplace(stream_);
    });
    parts.push_back(capture->finish());
  } else {
    parts.push_back(Graph::capture(stream_, [&] { enqueue_frame(kind); }));
  }
  return graphs_.emplace(kind, std::move(parts)).first->second;
}

Estimate CudaEngine::report(const Slot& s) const {
  const auto* const floats = reinterpret_cast<const float*>(s.report.data() + temperings_bytes);
  const auto* const temperings = reinterpret_cast<const Tempering*>(s.report.data());
  const std::span last(temperings, static_cast<std::size_t>(plan_.layers.back().groups));
  Estimate estimate;
  estimate.pose.assign(floats, floats + plan_.dims + 1);
  const float* at = floats + plan_.dims + 1;
  for (int j = 0; j < joint_count_; ++j, at += 3) estimate.joints.push_back({at[0], at[1], at[2]});
  for (int j = 0; j < joint_count_; ++j, at += 6)
    estimate.covariances.push_back({at[0], at[1], at[2], at[3], at[4], at[5]});
  estimate.effective_samples = effective_of(last, plan_.samples);
  estimate.log_likelihood = highest_of(last);
  complete(estimate, s);
  return estimate;
}

void CudaEngine::complete(Estimate& estimate, const Slot& s) const {
  const PointTotals& totals = *s.totals.data();
  if (share_ != nullptr) {
    FrameTotals of_frame;
    of_frame.points = totals.count();
    of_frame.max_loss = static_cast<std::int64_t>(loss_steps(s.with_sigma, totals.max_gain));
    add_evidence(of_frame.evidence, skeleton().capsules(estimate.pose), share_->cameras().front(), scale(),
                 sample(s), sensor());
    of_frame.sum(*share_, nullptr);
    of_frame.complete(estimate, sensor());
    return;
  }
  estimate.score = score_of(estimate.log_likelihood, max_loss(rays_.sensor(), s.with_sigma, totals.max_gain));
  estimate.points = totals.count();
  judge(estimate, sample(s));
}

void CudaEngine::enqueue_pending_fit() {
  if (in_flight_ == 0) return;
  Slot& s = slot((first_ + in_flight_ - 1) % max_in_flight);
  if (!s.fit_pending) return;
  s.fit_failure = nullptr;
  stream_.ref().call_on_host(
      [](void* slot) {
        Slot& of_frame = *static_cast<Slot*>(slot);
        try {
          of_frame.engine->fit_on_host(of_frame, 1);  // the thread belongs to the driver
        } catch (...) {  // for next(): the estimate and the state are as they were
          of_frame.fit_failure = std::current_exception();
        }
      },
      &s);
  copy_to_device(s.state.span(), fitted_state(), stream_);
  s.done.record(stream_);
  s.fit_pending = false;
}

// The graph of the frame has ended, and none follows.
void CudaEngine::finish_pending_fit(Slot& s) {
  if (fit_on_host(s, threads())) copy_to_device(s.state.span(), fitted_state(), stream_);
  s.fit_pending = false;
}

// Writes the pose and the joints into the report.
bool CudaEngine::fit_on_host(Slot& s, int threads) const {
  float* const estimate = estimate_of(s.report.data());
  const auto dims = static_cast<std::size_t>(plan_.dims), pose_size = dims + 1;
  const std::span<float> state_of_slot = s.state.span();
  std::vector<float> pose(estimate, estimate + pose_size), state(state_of_slot.begin(), state_of_slot.end());
  const std::span<float> arrays(state);  // centre, elite, velocity, last
  const FittedState fitted{pose, arrays.first(dims), arrays.subspan(2 * dims, dims),
                           arrays.subspan(3 * dims, dims)};
  if (!s.uploads) s.sample = downloaded_sample(s);
  const FilterFrame& frame = *s.frame.data();
  const bool is_moved = device_fit_ ? fit_->recover_limbs(s.sample, frame, fitted, threads)
                                    : fit_->apply(s.sample, frame, fitted, threads);
  if (!is_moved) return false;
  const std::vector<Vec3> joints = skeleton().joints(pose);
  // Nothing throws from here on.
  std::copy(state.begin(), state.end(), state_of_slot.begin());
  std::copy(pose.begin(), pose.end(), estimate);
  float* at = estimate + pose_size;
  for (const Vec3& joint : joints) {
    *at++ = joint.x;
    *at++ = joint.y;
    *at++ = joint.z;
  }
  return true;
}

CloudView CudaEngine::cloud_of(const Slot& s) const {
  const auto count = static_cast<std::size_t>(*s.point_count.data());
  return {std::span<const Vec3>(s.points.data(), count),
          std::span<const float>(s.sigma_m.data(), s.with_sigma ? count : 0)};
}

HostCloud CudaEngine::downloaded_sample(const Slot& s) const {
  const auto size = static_cast<std::size_t>(sample_size(*s.point_count.data(), max_fit_points));
  const auto* const points = reinterpret_cast<const Vec3*>(s.report.data() + fit_sample_begin());
  const auto* const sigma_m = reinterpret_cast<const float*>(s.report.data() + fit_sigma_begin());
  HostCloud sample;
  sample.points.assign(points, points + size);
  if (s.with_sigma) sample.sigma_m.assign(sigma_m, sigma_m + size);
  sample.drop_points_without_sigma(sensor().sigma_m);
  return sample;
}

EvidenceSample CudaEngine::sample(const Slot& s) const {
  if (s.uploads) return EvidenceSample::of(cloud_of(s).points);
  EvidenceSample sample;
  sample.size = sample_size(*s.point_count.data(), evidence_points);
  const auto* const points = reinterpret_cast<const Vec3*>(s.report.data() + sample_begin());
  std::copy_n(points, sample.size, sample.points.begin());
  return sample;
}

std::unique_ptr<FilterEngine> make_cuda_engine(const Skeleton& skeleton, const SensorModel& sensor,
                                               const FilterPlan& plan, std::int64_t max_points, int ordinal,
                                               const FilterShare* share) {
  return std::make_unique<CudaEngine>(skeleton, sensor, plan, max_points, ordinal, share);
}

}  // namespace triptych::capsule_likelihood
