#include <triptych/capsule_likelihood/kinematics.hpp>
#include <triptych/capsule_likelihood/likelihood.hpp>
#include <triptych/core/parallel.hpp>
#include <triptych/core/philox.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

#include "body/rotation.hpp"
#include "filter/search/limb_search.hpp"

namespace triptych::capsule_likelihood {

namespace {

using detail::Vec;

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

// Draws the angles of the joints that move the limb's bones: evenly between two values for each.
template <class Range>
void draw_limb(const Skeleton& skeleton, const Limb& limb, std::int64_t draw, std::span<float> pose,
               const Range& range_of) {
  PhiloxStream random(0, static_cast<std::uint64_t>(draw));
  for (const Bone& bone : limb.bones) {
    const auto first = static_cast<std::size_t>(skeleton.first_angle(static_cast<int>(bone.joint)));
    const auto& rotations = skeleton.joints()[bone.joint].rotations;
    for (std::size_t r = 0; r < rotations.size(); ++r) {
      const auto [lower, upper] = range_of(rotations[r], pose[first + r]);
      pose[first + r] = lower + random.next_uniform() * (upper - lower);
    }
  }
}

// One pose after the other.
std::vector<float> drawn_poses(const Skeleton& skeleton, const Limb& limb, std::span<const float> pose,
                               const LimbDraws& draws) {
  std::vector<float> at_rest(pose.begin(), pose.end()), poses;
  put_at_rest(skeleton, at_rest, limb);
  for (std::int64_t i = 0; i < draws.anywhere; ++i) {
    poses.insert(poses.end(), at_rest.begin(), at_rest.end());
    draw_limb(skeleton, limb, i, std::span(poses).last(pose.size()),
              [](const Rotation& of, float) { return std::pair(of.lower_rad, of.upper_rad); });
  }
  for (std::int64_t i = 0; i < draws.around; ++i) {
    const float reach_rad = 0.1f * static_cast<float>(1 + i % 15);
    poses.insert(poses.end(), pose.begin(), pose.end());
    draw_limb(skeleton, limb, draws.anywhere + i, std::span(poses).last(pose.size()),
              [reach_rad](const Rotation& of, float angle) {
                const float lower = angle - reach_rad, upper = angle + reach_rad;
                if (detail::turns_freely(of)) return std::pair(lower, upper);
                return std::pair(std::clamp(lower, of.lower_rad, of.upper_rad),
                                 std::clamp(upper, of.lower_rad, of.upper_rad));
              });
  }
  return poses;
}

}  // namespace

LimbSearch::LimbSearch(const Skeleton& skeleton, const PoseScore& score, const SensorModel& sensor,
                       const CloudView& cloud, const ImageBounds& image)
    : skeleton_(skeleton),
      score_(score),
      sample_(EvidenceSample::of(cloud.points)),
      sigma_m_(sigmas_of(cloud, sample_.size)),
      rays_(sample_.view(), sigma_m_, sensor, 1),
      image_(image),
      scale_(body_scale(skeleton)) {}

double LimbSearch::moved_m2(const Limb& limb, std::span<const Vec3> joints,
                            std::span<const Vec3> were) const {
  double sum = 0;
  for (const Bone& bone : limb.bones) {
    const Vec moved = Vec(joints[bone.end]) - Vec(were[bone.end]);
    sum += dot(moved, moved);
  }
  return sum / (scale_ * scale_);
}

// What a camera sees of bodies that differ in a limb alone: the rest is counted once.
class LimbSearch::SeenLimb {
 public:
  SeenLimb(const LimbSearch& search, const Limb& limb, std::span<const Capsule> body)
      : search_(search),
        capsules_(capsules_of(search.skeleton_, limb)),
        rest_(count(rest_of(body), search.image_)) {}

  double share(std::span<const Capsule> body) const {
    std::vector<Capsule> part;
    for (const std::size_t k : capsules_) part.push_back(body[k]);
    EvidenceCounts counts = count(part, {});
    counts.places += rest_.places;
    counts.seen += rest_.seen;
    return counts.evidence().body_seen;
  }

 private:
  EvidenceCounts count(std::span<const Capsule> part, const ImageBounds& image) const {
    return count_seen(part, search_.scale_, search_.sample_.view(), search_.rays_.sensor(), image);
  }
  std::vector<Capsule> rest_of(std::span<const Capsule> body) const {
    std::vector<Capsule> rest;
    for (std::size_t k = 0; k < body.size(); ++k)
      if (std::find(capsules_.begin(), capsules_.end(), k) == capsules_.end()) rest.push_back(body[k]);
    return rest;
  }

  const LimbSearch& search_;
  std::vector<std::size_t> capsules_;
  EvidenceCounts rest_;
};

Candidate LimbSearch::judge(std::vector<float> pose) const {
  const std::vector<Capsule> body = skeleton_.capsules(pose);
  return judge(std::move(pose), body,
               count_seen(body, scale_, sample_.view(), rays_.sensor(), image_).evidence().body_seen);
}

Candidate LimbSearch::judge(std::vector<float> pose, const Limb& moved) const {
  const std::vector<Capsule> body = skeleton_.capsules(pose);
  return judge(std::move(pose), body, SeenLimb(*this, moved, body).share(body));
}

Candidate LimbSearch::judge(std::vector<float> pose, std::span<const Capsule> body, double seen) const {
  double log_likelihood = 0;
  evaluate_cpu(rays_, {body.data(), 1, skeleton_.capsule_count()}, {&log_likelihood, 1}, {}, 1);
  const double points = static_cast<double>(std::max<std::int64_t>(1, rays_.count().used));
  const double score = score_.of(pose, log_likelihood / points, seen);
  return {std::move(pose), score, seen};
}

std::vector<std::vector<float>> LimbSearch::best_poses(std::span<const float> pose, const Limb& limb,
                                                       std::size_t count, int threads,
                                                       const LimbDraws& draws) const {
  if (limb.bones.empty() || rays_.count().used == 0) return {};
  const std::vector<float> drawn = drawn_poses(skeleton_, limb, pose, draws);
  const std::int64_t total = draws.anywhere + draws.around, judged = std::min(draws.judged, total);
  const MatrixView<const float> poses(drawn.data(), total, std::ssize(pose));
  std::vector<Capsule> all_capsules(static_cast<std::size_t>(total * skeleton_.capsule_count()));
  std::vector<Vec3> all_joints(static_cast<std::size_t>(total * skeleton_.joint_count()));
  const MatrixView<Capsule> bodies(all_capsules.data(), total, skeleton_.capsule_count());
  const MatrixView<Vec3> joints(all_joints.data(), total, skeleton_.joint_count());
  pose_cpu(skeleton_, poses, joints, bodies, threads);
  std::vector<double> scores(static_cast<std::size_t>(total));
  evaluate_cpu(rays_, bodies, scores, {}, threads);

  const auto score = [&](std::int64_t i) -> double& { return scores[static_cast<std::size_t>(i)]; };
  const auto is_better = [&](std::int64_t a, std::int64_t b) {
    return score(a) != score(b) ? score(a) > score(b) : a < b;
  };
  std::vector<std::int64_t> order(static_cast<std::size_t>(total));
  std::iota(order.begin(), order.end(), 0);
  std::partial_sort(order.begin(), order.begin() + judged, order.end(), is_better);
  order.resize(static_cast<std::size_t>(judged));
  const SeenLimb seen(*this, limb, bodies.row(0));
  const std::vector<Vec3> were = skeleton_.joints(pose);
  parallel_for(0, judged, threads, [&](std::int64_t k) {
    const std::int64_t i = order[static_cast<std::size_t>(k)];
    const double per_point = score(i) / static_cast<double>(rays_.count().used);
    score(i) = score_.of(poses.row(i), per_point, seen.share(bodies.row(i))) -
               draws.move_cost * moved_m2(limb, joints.row(i), were);
  });
  std::sort(order.begin(), order.end(), is_better);

  const double apart = min_distance * height_at_rest(skeleton_);
  const auto end_of = [&](std::int64_t i) { return Vec(joints.row(i)[limb.bones.back().end]); };
  std::vector<std::int64_t> kept;
  for (const std::int64_t i : order) {
    if (kept.size() < count && std::all_of(kept.begin(), kept.end(), [&](std::int64_t other) {
          return length(end_of(i) - end_of(other)) > apart;
        }))
      kept.push_back(i);
  }
  std::vector<std::vector<float>> best;
  for (const std::int64_t i : kept) best.emplace_back(poses.row(i).begin(), poses.row(i).end());
  return best;
}

}  // namespace triptych::capsule_likelihood
