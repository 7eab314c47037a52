#include <algorithm>
#include <cmath>
#include <utility>

#include "filter/pose/candidate.hpp"
#include "filter/pose/limbs.hpp"
#include "filter/pose/pose_score.hpp"
#include "filter/step_search.hpp"

namespace triptych::capsule_likelihood {

namespace {

using detail::Rot;
using detail::Vec;

// The search goes on with fewer candidates from round to round. A body and the same body turned round fit a
// cloud about equally well until the limbs are found, so that candidates of both ways go on. The second round
// looks farther, for limbs that are far from the rest pose.
struct SearchRound {
  int tries;            // steps on the same cloud
  float spread_factor;  // of the first of them
  std::size_t kept;     // of each way, afterwards
};
constexpr SearchRound search_rounds[] = {{3, 4, 2}, {8, 8, 1}, {10, 4, 1}};

// The best candidates, and the best of those that are turned the other way.
std::vector<Candidate> keep_both_ways(std::vector<Candidate> candidates, std::size_t kept) {
  sort_by_score(candidates);
  const Candidate best = candidates.front();
  std::size_t same = 0, other = 0;
  std::erase_if(candidates, [&](const Candidate& candidate) {
    return ++(look_the_same_way(candidate, best) ? same : other) > kept;
  });
  return candidates;
}

class StepSearch {
 public:
  StepSearch(FilterEngine& engine, const CloudView& cloud)
      : engine_(engine),
        cloud_(cloud),
        limbs_(limbs_of(engine.skeleton())),
        front_(front_of(engine.skeleton())),
        score_(engine.skeleton(), limbs_) {}

  void improve(Candidate& best, std::vector<float> from, int tries, float spread_factor) {
    Candidate tried{std::move(from), best.score, best.body_seen};
    improve_by_steps(engine_, cloud_, score_, tried, tries, spread_factor);
    if (tried.score > best.score) best = std::move(tried);
  }

  // A wide search may leave a limb far from its points. Each is searched for once more.
  void try_limbs(Candidate& best) {
    for (const Limb& limb : std::span(limbs_).subspan(1)) {
      for (const std::vector<float>& pose : poses_of(limb, best.pose)) improve(best, pose, 2, 1.5f);
    }
  }

  // The left and the right limb of a pair may have each other's points.
  void try_limbs_exchanged(Candidate& best) {
    for (std::size_t limb = 1; limb < limbs_.size(); ++limb) {
      if (limb < limbs_[limb].other)
        improve(best, with_limbs_exchanged(engine_.skeleton(), limbs_, limb, best.pose), 3, 1.5f);
    }
  }

  void refine(Candidate& best) {
    try_limbs(best);
    try_limbs_exchanged(best);
    improve(best, best.pose, 8, 1.5f);
  }

  // The same limbs seen from behind, which fit the cloud nearly as well. other: the best that looks the other
  // way, if there is one. The probability that the way of the better one is right.
  double try_turned_round(Candidate& best, Candidate other) {
    improve(other, turned_round(engine_.skeleton(), limbs_, best.pose), 4, 2);
    try_limbs(other);
    for (Candidate* one : {&best, &other}) improve(*one, one->pose, 4, 1);
    if (other.score > best.score) std::swap(best, other);
    if (length(front_) == 0) return 1;
    return probability_of_way(best, other);
  }

  // A limb that no point shows is more likely to do what the other one does than anything else.
  void try_limbs_mirrored(Candidate& best) {
    // The best of as few steps: that of many is better by chance.
    Candidate again;
    improve(again, best.pose, 4, 1);
    const double least = again.score - mirrored_bonus, seen = again.body_seen;
    for (std::size_t limb = 1; limb < limbs_.size(); ++limb) {
      if (limbs_[limb].other == 0) continue;
      Candidate mirrored;
      improve(mirrored, with_limb_mirrored(engine_.skeleton(), limbs_, limb, best.pose), 4, 1);
      if (mirrored.score > least && mirrored.body_seen >= seen) best = std::move(mirrored);
    }
  }

 private:
  // Where a limb may be, the rest of the body as it is.
  std::vector<std::vector<float>> poses_of(const Limb& limb, const std::vector<float>& pose) const {
    std::vector<float> at_rest = pose;
    put_at_rest(engine_.skeleton(), at_rest, limb);
    if (limb.bones.empty()) return {at_rest};
    std::vector<std::vector<float>> poses;
    for (const Vec& direction : directions_of(limb, at_rest)) {
      poses.push_back(at_rest);
      aim(engine_.skeleton(), poses.back(), limb.bones[0], direction);
    }
    return poses;
  }

  // Where the first bone of a limb may point: a leg down or forward, an arm also up or aside, as the body
  // sees it.
  std::vector<Vec> directions_of(const Limb& limb, std::span<const float> pose) const {
    const Skeleton& skeleton = engine_.skeleton();
    std::vector<Vec> directions = {{0, -1, 0}};
    if (length(front_) > 0) directions.push_back(front_);
    if (!limb.is_leg) {
      directions.emplace_back(0, 1, 0);
      const Vec shoulder(skeleton.joints(skeleton.rest_pose())[limb.bones[0].joint]);
      const Vec aside = cross({0, 1, 0}, front_);
      if (length(front_) > 0) directions.push_back(dot(shoulder, aside) > 0 ? aside : -1 * aside);
    }
    const Rot orientation = orientation_of(pose);
    for (Vec& direction : directions) direction = orientation * direction;
    return directions;
  }

  FilterEngine& engine_;
  const CloudView& cloud_;
  std::vector<Limb> limbs_;
  Vec front_;
  PoseScore score_;
};

}  // namespace

void improve_by_steps(FilterEngine& engine, const CloudView& cloud, const PoseScore& score, Candidate& best,
                      int steps, float spread_factor) {
  engine.start(std::vector<float>(best.pose), spread_factor);
  for (int i = 0; i < steps; ++i) {
    Estimate estimate = engine.step(cloud);
    const double points = static_cast<double>(std::max<std::int64_t>(1, estimate.points.used)),
                 seen = estimate.evidence.body_seen,
                 value = score.of(estimate.pose, estimate.log_likelihood / points, seen);
    if (value > best.score) best = {std::move(estimate.pose), value, seen};
  }
}

FoundPose search_by_steps(FilterEngine& engine, const CloudView& cloud,
                          std::span<const std::vector<float>> starts) {
  StepSearch search(engine, cloud);
  std::vector<Candidate> candidates;
  for (const std::vector<float>& pose : starts) candidates.push_back({pose});
  for (const SearchRound& round : search_rounds) {
    for (Candidate& best : candidates) search.improve(best, best.pose, round.tries, round.spread_factor);
    candidates = keep_both_ways(std::move(candidates), round.kept);
  }
  for (Candidate& candidate : candidates) search.refine(candidate);
  sort_by_score(candidates);
  Candidate best = candidates.front();
  const double way = search.try_turned_round(best, best_of_other_way(candidates));
  search.try_limbs_mirrored(best);
  return {std::move(best.pose), way};
}

}  // namespace triptych::capsule_likelihood
