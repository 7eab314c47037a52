// What the graphs of a frame on the GPU are made of.
#include "filter/filter_engine_cuda.hpp"
#include "likelihood/evaluate_paths.hpp"
#include "rays/sensor_math.hpp"

namespace triptych::capsule_likelihood {

void CudaEngine::set_rays(std::int64_t room, bool with_sigma) {
  rays_.set(points_.span().first(room), with_sigma ? sigma_m_.span().first(room) : DeviceSpan<float>(),
            point_count_.data(), workspace_, stream_);
}

void CudaEngine::evaluate() {
  if (share_ != nullptr) {  // this rank's samples; the losses of the others are 0
    const std::int64_t first = share_->first_sample(), count = share_->sample_count();
    fill_bytes(losses_.span(), 0, stream_);
    if (count > 0)
      losses_cuda(
          rays_,
          DeviceMatrixView<const Capsule>(bodies_.data() + first * capsule_count_, count, capsule_count_),
          losses_.span().subspan(first, count), workspace_, stream_);
    return;
  }
  evaluate_cuda(rays_, DeviceMatrixView<const Capsule>(bodies_.data(), plan_.samples, capsule_count_),
                log_likelihoods_.span(), {}, workspace_, stream_);
}

void CudaEngine::enqueue_cloud_samples(const FrameKind& kind, StreamRef stream) {
  const float* const sigma_m = kind.with_sigma ? sigma_m_.data() : nullptr;
  if (device_fit_) device_fit_->enqueue_points(points_.data(), sigma_m, point_count_.data(), stream);
  if (kind.uploads) return;
  // They come with the report.
  enqueue_cloud_sample(points_.data(), sigma_m, point_count_.data(), evidence_points,
                       reinterpret_cast<Vec3*>(report_.data() + sample_begin()), nullptr, stream);
  if (fits_on_host())
    enqueue_cloud_sample(points_.data(), sigma_m, point_count_.data(), max_fit_points,
                         reinterpret_cast<Vec3*>(report_.data() + fit_sample_begin()),
                         reinterpret_cast<float*>(report_.data() + fit_sigma_begin()), stream);
}

// The prediction does not need the points: it runs beside their preparation. The samples of the cloud are
// drawn beside the search.
void CudaEngine::enqueue_frame(const FrameKind& kind, const Cut& cut) {
  Slot& s = slot(kind.slot);
  const std::int64_t room = kind.room;
  copy_to_device(s.point_count.span(), point_count_.span(), stream_);
  begun_.record(stream_);
  side_.wait(begun_);
  enqueue_prediction(side_);
  enqueue_samples(0, side_);
  proposed_.record(side_);

  if (kind.uploads)
    copy_to_device(s.points.span().first(static_cast<std::size_t>(room)), points_.span().first(room),
                   stream_);
  if (kind.uploads && kind.with_sigma)
    copy_to_device(s.sigma_m.span().first(static_cast<std::size_t>(room)), sigma_m_.span().first(room),
                   stream_);
  uploaded_.record(stream_);
  side_.wait(uploaded_);
  enqueue_cloud_samples(kind, side_);
  sampled_.record(side_);

  set_rays(room, kind.with_sigma);
  stream_.wait(proposed_);
  if (cut) stream_.wait(sampled_);  // in the graph that it belongs to
  enqueue_layers(Likelihood::with, cut);
  enqueue_result();
  if (!cut) stream_.wait(sampled_);
  if (device_fit_) enqueue_fit_of_estimate();
  copy_to_host(report_.span(), s.report.span(), stream_);
  if (fits_on_host()) {
    copy_to_host(DeviceSpan<const FilterFrame>(frame_.span()), s.frame.span(), stream_);
    copy_to_host(DeviceSpan<const float>(fitted_state()), s.state.span(), stream_);
  }
  copy_to_host(DeviceSpan<const PointTotals>(rays_.data().totals.span()), s.totals.span(), stream_);
}

void CudaEngine::enqueue_search(Likelihood likelihood) {
  enqueue_prediction(stream_);
  enqueue_samples(0, stream_);
  enqueue_layers(likelihood);
  enqueue_result();
}

void CudaEngine::enqueue_fit_of_estimate() {
  float* const pose = estimate_of(report_.data());
  device_fit_->enqueue_fit({frame_.data(), common_.data(), pose, pose + plan_.dims + 1}, stream_);
}

void CudaEngine::enqueue_fit() {
  if (!device_fit_) return;
  device_fit_->enqueue_points(points_.data(), nullptr, point_count_.data(), stream_);
  enqueue_fit_of_estimate();
}

void CudaEngine::enqueue_likelihoods() {
  for (std::size_t i = 0; i < plan_.layers.size(); ++i) evaluate();
}

// After the samples of the first layer.
void CudaEngine::enqueue_layers(Likelihood likelihood, const Cut& cut) {
  for (int i = 0; i < static_cast<int>(plan_.layers.size()); ++i) {
    const FilterLayer& layer = plan_.layers[static_cast<std::size_t>(i)];
    if (i > 0) enqueue_samples(i, stream_);
    if (likelihood == Likelihood::with) evaluate();
    if (likelihood == Likelihood::with && share_ != nullptr) exchange_losses(cut);
    enqueue_weigh(log_likelihoods_.data(), plan_.samples, layer, weights_.data(), cumulative_.data(),
                  temperings(), stream_);
    enqueue_move_centre(view(i), layer, log_likelihoods_.data(), weights_.data(), temperings(), stream_);
  }
}

void CudaEngine::exchange_losses(const Cut& cut) {
  if (share_->exchange().sums_on_device()) {
    share_->exchange().sum_on_device(losses_.span(), stream_);
  } else if (cut) {
    const auto on_host = host_losses_.span().first(static_cast<std::size_t>(plan_.samples));
    copy_to_host(losses_.span(), on_host, stream_);
    cut();
    copy_to_device(on_host, losses_.span(), stream_);
  }
  enqueue_log_likelihoods(losses_.span(), log_of_step(sensor(), true), log_likelihoods_.data(), stream_);
}

void CudaEngine::enqueue_prediction(StreamRef stream) {
  FilterView v = view(0);
  enqueue_predict(v, plan_.motion, stream);
  if (plan_.limbs.empty()) return;
  v.poses = moved_poses_.data();
  enqueue_moved_poses(v, stream);
  pose_cuda(device_skeleton_, DeviceMatrixView<const float>(moved_poses_.data(), v.dims + 1, v.dims + 1),
            DeviceMatrixView<Vec3>(moved_joints_.data(), v.dims + 1, joint_count_), {}, stream);
  LimbView limbs;
  limbs.limbs = static_cast<std::int32_t>(plan_.limbs.size());
  limbs.ranges = limb_ranges_.data();
  limbs.dims = limb_dims_.data();
  limbs.joints = limb_joints_.data();
  limbs.positions = moved_joints_.data();
  limbs.joint_count = joint_count_;
  limbs.compensation = compensation_.data();
  enqueue_limb_compensation(v, limbs, stream);
}

void CudaEngine::enqueue_samples(int index, StreamRef stream) {
  const FilterLayer* const old = index > 0 ? &plan_.layers[static_cast<std::size_t>(index - 1)] : nullptr;
  enqueue_propose(view(index), plan_.layers[static_cast<std::size_t>(index)], index, old, stream);
  const std::int64_t first = share_ != nullptr ? share_->first_sample() : 0,
                     count = share_ != nullptr ? share_->sample_count() : plan_.samples;
  if (count == 0) return;
  const DeviceMatrixView<Capsule> bodies(bodies_.data() + first * capsule_count_, count, capsule_count_);
  pose_cuda(device_skeleton_,
            DeviceMatrixView<const float>(poses_.data() + first * (plan_.dims + 1), count, plan_.dims + 1),
            {}, bodies, stream);
  if (share_ != nullptr && share_->cameras().front() != RigidTransform{})
    enqueue_into_camera(DeviceSpan<Capsule>(bodies.data(), count * capsule_count_), share_->cameras().front(),
                        stream);
}

void CudaEngine::enqueue_result() {
  const int layers = static_cast<int>(plan_.layers.size());
  const FilterView v = view(layers);
  enqueue_settle(v, plan_.layers.back(), layers - 1, stream_);
  pose_cuda(device_skeleton_, DeviceMatrixView<const float>(poses_.data(), plan_.samples + 1, plan_.dims + 1),
            DeviceMatrixView<Vec3>(joints_.data(), plan_.samples + 1, joint_count_), {}, stream_);
  enqueue_report(v, joints_.data(), joint_count_, reinterpret_cast<float*>(report_.data() + temperings_bytes),
                 stream_);
}

// Layer i proposes into one buffer and reads the other, which the layer before proposed into.
FilterView CudaEngine::view(int layer) {
  const std::int64_t dims = plan_.dims;
  FilterView v;
  v.samples = plan_.samples;
  v.dims = plan_.dims;
  v.dimensions = dimensions_.data();
  v.frame = frame_.data();
  v.centre = common_.data();
  v.elite = common_.data() + dims;
  v.velocity = common_.data() + 2 * dims;
  v.last = common_.data() + 3 * dims;
  v.innovation = common_.data() + 4 * dims;
  v.spread = common_.data() + 5 * dims;
  v.home = common_.data() + 6 * dims;
  v.population = population_.data();
  v.proposals = proposals_[static_cast<std::size_t>(layer % 2)].data();
  v.old_proposals = proposals_[static_cast<std::size_t>((layer + 1) % 2)].data();
  v.poses = poses_.data();
  v.cumulative = cumulative_.data();
  v.trunk_dims = static_cast<std::int32_t>(plan_.trunk.size());
  v.trunk = trunk_.data();
  v.compensation = compensation_.data();
  return v;
}

}  // namespace triptych::capsule_likelihood
