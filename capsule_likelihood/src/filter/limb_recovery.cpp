#include <triptych/core/parallel.hpp>

#include <cstdint>
#include <iterator>
#include <utility>

#include "filter/confidence.hpp"
#include "filter/limb_recovery.hpp"
#include "filter/limb_search.hpp"

namespace triptych::capsule_likelihood {

namespace {

// Of the places of a limb on the camera's side. Limbs of right poses have all of them shown, but for one or
// two now and then.
constexpr double min_seen = 0.9;
constexpr double min_limb_gain = 0.03;  // of the score
constexpr std::size_t tried_poses = 2;
// A hidden limb may be anywhere behind the body: it moves no farther than it must.
constexpr LimbDraws limb_draws{.anywhere = 128, .around = 128, .judged = 256, .move_cost = 0.3};

}  // namespace

LimbRecovery::LimbRecovery(const Skeleton& skeleton, const SensorModel& sensor, int threads)
    : skeleton_(skeleton),
      sensor_(sensor),
      threads_(threads),
      limbs_(limbs_of(skeleton)),
      score_(skeleton, {}),
      scale_(body_scale(skeleton)) {
  for (const Limb& limb : limbs_) capsules_.push_back(capsules_of(skeleton, limb));
}

std::size_t LimbRecovery::least_seen(const CloudView& sample, std::span<const float> pose) const {
  const EvidenceSample evidence = EvidenceSample::of(sample.points);
  const std::vector<Capsule> body = skeleton_.capsules(pose);
  std::size_t found = 0;
  double least = min_seen;
  std::vector<Capsule> part;
  for (std::size_t limb = 1; limb < limbs_.size(); ++limb) {
    if (limbs_[limb].bones.empty() || capsules_[limb].empty()) continue;
    part.clear();
    for (const std::size_t k : capsules_[limb]) part.push_back(body[k]);
    const double seen = count_seen(part, scale_, evidence.view(), sensor_).evidence().body_seen;
    if (seen >= least) continue;
    least = seen;
    found = limb;
  }
  return found;
}

LimbRecovery::Result LimbRecovery::recover(const CloudView& sample, const SurfaceFit& fit, int steps,
                                           std::vector<float> pose) const {
  const std::size_t lost = least_seen(sample, pose);
  if (lost == 0) return {std::move(pose), {}};
  const Limb& limb = limbs_[lost];
  const LimbSearch search(skeleton_, score_, sensor_, sample);
  std::vector<std::vector<float>> tried = search.best_poses(pose, limb, tried_poses, threads_, limb_draws);
  const std::vector<Vec3> were = skeleton_.joints(pose);
  std::vector<Candidate> candidates(tried.size());
  parallel_for(0, std::ssize(tried), threads_, [&](std::int64_t i) {
    Candidate& candidate = candidates[static_cast<std::size_t>(i)];
    candidate = search.judge(fit.refine(tried[static_cast<std::size_t>(i)], steps));
    candidate.score -=
        limb_draws.move_cost * LimbSearch::moved_m2(limb, skeleton_.joints(candidate.pose), were);
  });
  const double least = search.judge(pose).score + min_limb_gain;
  sort_by_score(candidates);
  if (candidates.empty() || !(candidates.front().score > least)) return {std::move(pose), {}};
  return {std::move(candidates.front().pose), limb.joints};
}

}  // namespace triptych::capsule_likelihood
