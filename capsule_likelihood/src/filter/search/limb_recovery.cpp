#include <triptych/core/parallel.hpp>

#include <iterator>
#include <utility>

#include "filter/evidence/confidence.hpp"
#include "filter/evidence/host_cloud.hpp"
#include "filter/fit/surface_fit.hpp"
#include "filter/pose/candidate.hpp"
#include "filter/search/limb_recovery.hpp"
#include "filter/search/limb_search.hpp"

namespace triptych::capsule_likelihood {

namespace {

// Points may show the limb as far from the body as this, of a person of 1.75 m.
constexpr double reach_m = 0.7;
// Of the 512 points of the sample, those near the body. A place counts as seen when there is a point within 5
// cm: with 320 points on the 0.6 m^2 of a person that a camera sees, 1.5 % of the places have none by chance.
constexpr std::int64_t min_points_near_body = 320;
// Of the places of a limb on the camera's side. A right pose may miss one or two of an arm's 21.
constexpr double min_seen = 0.9;
constexpr double min_limb_gain = 0.03;  // of the score: two places of 120 that are seen give 0.033
constexpr std::size_t tried_poses = 2;
// A hidden limb may be anywhere behind the body: it moves no farther than it must.
constexpr LimbDraws limb_draws{.anywhere = 128, .around = 128, .judged = 256, .move_cost = 0.3};

}  // namespace

LimbRecovery::LimbRecovery(const Skeleton& skeleton, const SensorModel& sensor)
    : skeleton_(skeleton),
      sensor_(sensor),
      limbs_(limbs_of(skeleton)),
      score_(skeleton, {}),
      scale_(body_scale(skeleton)) {
  for (const Limb& limb : limbs_) capsules_.push_back(capsules_of(skeleton, limb));
}

std::size_t LimbRecovery::limb_in_empty_space(std::span<const Capsule> body, std::span<const Vec3> points,
                                              std::uint64_t frame) const {
  const EvidenceSample sample = EvidenceSample::of(points);
  if (count_near_body(body, scale_, sample.view(), sensor_) < min_points_near_body) return 0;
  std::vector<std::size_t> found;
  std::vector<Capsule> part;
  for (std::size_t limb = 1; limb < limbs_.size(); ++limb) {
    if (limbs_[limb].bones.empty() || capsules_[limb].empty()) continue;
    part.clear();
    for (const std::size_t k : capsules_[limb]) part.push_back(body[k]);
    if (count_seen(part, scale_, sample.view(), sensor_).evidence().body_seen < min_seen)
      found.push_back(limb);
  }
  return found.empty() ? 0 : found[frame % found.size()];
}

LimbRecovery::Result LimbRecovery::recover(const CloudView& sample, int steps, std::span<const float> pose,
                                           std::uint64_t frame, int threads) const {
  Result kept{{pose.begin(), pose.end()}, {}};
  const std::vector<Capsule> body = skeleton_.capsules(pose);
  const HostCloud near = points_near(body, sample, reach_m * scale_);
  const std::size_t lost = limb_in_empty_space(body, near.points, frame);
  if (lost == 0) return kept;
  const Limb& limb = limbs_[lost];
  // The image may end where the points end.
  const LimbSearch search(skeleton_, score_, sensor_, near.view(), ImageBounds::of(sample.points, sensor_));
  std::vector<std::vector<float>> tried =
      search.best_poses(kept.pose, limb, tried_poses, threads, limb_draws);
  const std::vector<Vec3> were = skeleton_.joints(pose);
  const SurfaceFit fit(skeleton_, sample.points, sample.sigma_m, sensor_);
  std::vector<Candidate> candidates(tried.size());
  parallel_for(0, std::ssize(tried), threads, [&](std::int64_t i) {
    Candidate& candidate = candidates[static_cast<std::size_t>(i)];
    candidate = search.judge(fit.refine(tried[static_cast<std::size_t>(i)], steps), limb);
    candidate.score -= limb_draws.move_cost * search.moved_m2(limb, skeleton_.joints(candidate.pose), were);
  });
  const double least = search.judge(kept.pose).score + min_limb_gain;
  sort_by_score(candidates);
  if (candidates.empty() || !(candidates.front().score > least)) return kept;
  return {std::move(candidates.front().pose), limb.joints};
}

}  // namespace triptych::capsule_likelihood
