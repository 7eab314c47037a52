#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/core/parallel.hpp>

#include <algorithm>
#include <array>

#include "filter/filter_plan.hpp"
#include "filter/shared_likelihood.hpp"
#include "geometry/rigid_transform_math.hpp"
#include "likelihood/evaluate_paths.hpp"
#include "rays/rays_data.hpp"
#include "rays/sensor_math.hpp"

namespace triptych::capsule_likelihood {

void SharedLikelihood::set(std::span<const CloudView> clouds) {
  failure_ = nullptr;
  rays_.clear();
  try {
    for (const CloudView& cloud : clouds) rays_.emplace_back(cloud.points, cloud.sigma_m, sensor_, threads_);
  } catch (...) {
    failure_ = std::current_exception();
  }
}

void SharedLikelihood::evaluate(MatrixView<const float> poses, std::span<double> log_likelihoods) {
  losses_.assign(log_likelihoods.size() + 1, 0);
  if (!failure_) {
    try {
      add_losses(poses);
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
  share_.sum_or_fail(losses_, failure_);
  const double step = log_of_step(sensor_, true);
  for (std::size_t j = 0; j < log_likelihoods.size(); ++j)
    log_likelihoods[j] = log_likelihood(static_cast<std::uint64_t>(losses_[j]), 0, step);
}

void SharedLikelihood::add_losses(MatrixView<const float> poses) {
  const std::int64_t samples = share_.sample_count(), capsules = skeleton_.capsule_count();
  if (samples == 0) return;
  const auto first = static_cast<std::size_t>(share_.first_sample());
  bodies_.resize(static_cast<std::size_t>(samples * capsules));
  const MatrixView<Capsule> bodies(bodies_.data(), samples, capsules);
  pose_cpu(skeleton_,
           {poses.data() + share_.first_sample() * poses.stride(), samples, poses.cols(), poses.stride()}, {},
           bodies, threads_);
  for (std::size_t c = 0; c < rays_.size(); ++c) {
    const RigidTransform& camera = share_.cameras()[c];
    MatrixView<const Capsule> seen = bodies;
    if (camera != RigidTransform{}) {
      in_camera_.resize(bodies_.size());
      parallel_for(0, samples, threads_, [&](std::int64_t j) {
        for (std::int64_t i = j * capsules; i < (j + 1) * capsules; ++i)
          in_camera_[static_cast<std::size_t>(i)] = transformed(camera, bodies_[static_cast<std::size_t>(i)]);
      });
      seen = MatrixView<const Capsule>(in_camera_.data(), samples, capsules);
    }
    add_losses_cpu(rays_[c], seen, std::span(losses_).subspan(first, static_cast<std::size_t>(samples)),
                   threads_);
  }
}

void SharedLikelihood::complete(Estimate& estimate, std::span<const CloudView> clouds, double scale) {
  FrameTotals totals;
  std::exception_ptr failure;
  try {
    const std::vector<Capsule> body = skeleton_.capsules(estimate.pose);
    for (std::size_t c = 0; c < clouds.size(); ++c) {
      const Rays::Data& data = rays_[c].data();
      totals.points.used += data.count.used;
      totals.points.not_finite += data.count.not_finite;
      totals.points.not_in_front += data.count.not_in_front;
      totals.max_loss += static_cast<std::int64_t>(loss_steps(data.weighted, data.max_gain));
      add_evidence(totals.evidence, body, share_.cameras()[c], scale, EvidenceSample::of(clouds[c].points),
                   sensor_);
    }
  } catch (...) {
    failure = std::current_exception();
  }
  totals.sum(share_, failure);
  totals.complete(estimate, sensor_);
}

void FrameTotals::sum(const FilterShare& share, const std::exception_ptr& failure) {
  if (share.splits_samples()) {  // all ranks have the same clouds
    if (failure) std::rethrow_exception(failure);
    return;
  }
  std::int64_t* const parts[] = {&points.used,        &points.not_finite, &points.not_in_front,
                                 &max_loss,           &evidence.points,   &evidence.on_body,
                                 &evidence.near_body, &evidence.places,   &evidence.seen};
  std::array<std::int64_t, std::size(parts) + 1> values{};
  for (std::size_t i = 0; i < std::size(parts); ++i) values[i] = *parts[i];
  share.sum_or_fail(values, failure);
  for (std::size_t i = 0; i < std::size(parts); ++i) *parts[i] = values[i];
}

void FrameTotals::complete(Estimate& estimate, const SensorModel& sensor) const {
  estimate.points = points;
  estimate.score = score_of(estimate.log_likelihood,
                            capsule_likelihood::max_loss(sensor, true, static_cast<std::uint64_t>(max_loss)));
  estimate.evidence = evidence.evidence();
  estimate.confidence = confidence_of(estimate.evidence);
}

void add_evidence(EvidenceCounts& counts, std::span<const Capsule> body, const RigidTransform& camera,
                  double scale, const EvidenceSample& sample, const SensorModel& sensor) {
  std::vector<Capsule> seen(body.begin(), body.end());
  if (camera != RigidTransform{})
    for (Capsule& capsule : seen) capsule = transformed(camera, capsule);
  const EvidenceCounts more = count_evidence(seen, scale, sample.view(), sensor);
  counts.points += more.points;
  counts.on_body += more.on_body;
  counts.near_body += more.near_body;
  counts.places += more.places;
  counts.seen += more.seen;
}

}  // namespace triptych::capsule_likelihood
