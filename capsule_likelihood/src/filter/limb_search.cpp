#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/capsule_likelihood/likelihood.hpp>
#include <triptych/core/parallel.hpp>
#include <triptych/core/philox.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

#include "filter/limb_search.hpp"

namespace triptych::capsule_likelihood {

namespace {

using detail::Vec;

constexpr std::int64_t draws = 512;
constexpr std::int64_t judged = 32;    // of them, the most likely ones, by the evidence as well
constexpr double min_distance = 0.08;  // of the height at rest: between the ends of the limb in two results

// One sigma for each point of the sample, or none.
std::vector<float> sigmas_of(const CloudView& cloud, std::int32_t size) {
  std::vector<float> sigmas;
  const auto points = static_cast<std::int64_t>(cloud.points.size());
  if (cloud.sigma_m.empty()) return sigmas;
  for (std::int32_t i = 0; i < size; ++i)
    sigmas.push_back(cloud.sigma_m[static_cast<std::size_t>(sample_index(i, points, size))]);
  return sigmas;
}

// Draws the angles of the joints that move the limb's bones; its other joints are at rest.
void draw_limb(const Skeleton& skeleton, const Limb& limb, std::int64_t draw, std::span<float> pose) {
  PhiloxStream random(0, static_cast<std::uint64_t>(draw));
  for (const Bone& bone : limb.bones) {
    const auto first = static_cast<std::size_t>(skeleton.first_angle(static_cast<int>(bone.joint)));
    const auto& rotations = skeleton.joints()[bone.joint].rotations;
    for (std::size_t r = 0; r < rotations.size(); ++r)
      pose[first + r] =
          rotations[r].lower_rad + random.next_uniform() * (rotations[r].upper_rad - rotations[r].lower_rad);
  }
}

}  // namespace

LimbSearch::LimbSearch(const Skeleton& skeleton, const PoseScore& score, const SensorModel& sensor,
                       const CloudView& cloud)
    : skeleton_(skeleton),
      score_(score),
      sample_(EvidenceSample::of(cloud.points)),
      sigma_m_(sigmas_of(cloud, sample_.size)),
      rays_(sample_.view(), sigma_m_, sensor, 1),
      scale_(body_scale(skeleton)) {}

Candidate LimbSearch::judge(std::vector<float> pose) const {
  const std::vector<Capsule> body = skeleton_.capsules(pose);
  double log_likelihood = 0;
  evaluate_cpu(rays_, {body.data(), 1, skeleton_.capsule_count()}, {&log_likelihood, 1}, {}, 1);
  const double points = static_cast<double>(std::max<std::int64_t>(1, rays_.count().used));
  const double seen = count_evidence(body, scale_, sample_.view(), rays_.sensor()).evidence().body_seen;
  const double score = score_.of(pose, log_likelihood / points, seen);
  return {std::move(pose), score, seen};
}

std::vector<std::vector<float>> LimbSearch::best_poses(std::span<const float> pose, const Limb& limb,
                                                       std::size_t count, int threads) const {
  if (limb.bones.empty() || rays_.count().used == 0) return {};
  const auto dims = static_cast<std::int64_t>(pose.size());
  std::vector<float> at_rest(pose.begin(), pose.end());
  put_at_rest(skeleton_, at_rest, limb);
  std::vector<float> poses;
  for (std::int64_t i = 0; i < draws; ++i) {
    poses.insert(poses.end(), at_rest.begin(), at_rest.end());
    draw_limb(skeleton_, limb, i, std::span(poses).last(at_rest.size()));
  }
  const std::int64_t capsules = skeleton_.capsule_count(), joint_count = skeleton_.joint_count();
  std::vector<Capsule> bodies(static_cast<std::size_t>(draws * capsules));
  std::vector<Vec3> joints(static_cast<std::size_t>(draws * joint_count));
  pose_cpu(skeleton_, {poses.data(), draws, dims}, {joints.data(), draws, joint_count},
           {bodies.data(), draws, capsules}, threads);
  std::vector<double> scores(static_cast<std::size_t>(draws));
  evaluate_cpu(rays_, {bodies.data(), draws, capsules}, scores, {}, threads);

  const auto score = [&](std::int64_t i) -> double& { return scores[static_cast<std::size_t>(i)]; };
  const auto is_better = [&](std::int64_t a, std::int64_t b) {
    return score(a) != score(b) ? score(a) > score(b) : a < b;
  };
  std::vector<std::int64_t> order(static_cast<std::size_t>(draws));
  std::iota(order.begin(), order.end(), 0);
  std::partial_sort(order.begin(), order.begin() + judged, order.end(), is_better);
  order.resize(judged);
  parallel_for(0, judged, threads, [&](std::int64_t k) {
    const std::int64_t i = order[static_cast<std::size_t>(k)];
    const auto row = [i](auto& values, std::int64_t columns) {
      return std::span(std::as_const(values))
          .subspan(static_cast<std::size_t>(i * columns), static_cast<std::size_t>(columns));
    };
    const double seen =
        count_evidence(row(bodies, capsules), scale_, sample_.view(), rays_.sensor()).evidence().body_seen;
    score(i) = score_.of(row(poses, dims), score(i) / static_cast<double>(rays_.count().used), seen);
  });
  std::sort(order.begin(), order.end(), is_better);

  const double apart = min_distance * height_at_rest(skeleton_);
  const auto end_of = [&](std::int64_t i) {
    return Vec(joints[static_cast<std::size_t>(i * joint_count) + limb.bones.back().end]);
  };
  std::vector<std::int64_t> kept;
  for (const std::int64_t i : order) {
    if (kept.size() < count && std::all_of(kept.begin(), kept.end(), [&](std::int64_t other) {
          return length(end_of(i) - end_of(other)) > apart;
        }))
      kept.push_back(i);
  }
  std::vector<std::vector<float>> best;
  for (const std::int64_t i : kept)
    best.emplace_back(poses.begin() + i * dims, poses.begin() + (i + 1) * dims);
  return best;
}

}  // namespace triptych::capsule_likelihood
