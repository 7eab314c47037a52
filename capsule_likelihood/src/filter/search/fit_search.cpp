#include <triptych/core/parallel.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include "filter/evidence/confidence.hpp"
#include "filter/fit/surface_fit.hpp"
#include "filter/pose/candidate.hpp"
#include "filter/pose/limbs.hpp"
#include "filter/pose/pose_score.hpp"
#include "filter/search/fit_search.hpp"
#include "filter/search/limb_search.hpp"

namespace triptych::capsule_likelihood {

namespace {

using detail::Vec;

constexpr std::size_t kept_of_each_way = 3, poses_of_a_limb = 3;
constexpr int rounds = 2;
constexpr double min_gain = 0.003;    // of the score: the next round is left out when the last gained less
constexpr double same_pose_m = 0.05;  // mean distance of the joints, of a body of 1.75 m

double mean_distance_m(std::span<const Vec3> a, std::span<const Vec3> b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += length(Vec(a[j]) - Vec(b[j]));
  return sum / static_cast<double>(a.size());
}

class FitSearch {
 public:
  FitSearch(const Skeleton& skeleton, const SensorModel& sensor, const CloudView& cloud, int threads)
      : skeleton_(skeleton),
        limbs_(limbs_of(skeleton)),
        score_(skeleton, limbs_, true),
        limb_search_(skeleton, score_, sensor, cloud),
        fit_(skeleton, limb_search_.points(), limb_search_.sigma_m(), sensor),
        threads_(threads) {}
  FitSearch(const FitSearch&) = delete;
  FitSearch& operator=(const FitSearch&) = delete;

  std::vector<Candidate> fitted(std::span<const std::vector<float>> poses) const {
    std::vector<Candidate> candidates(poses.size());
    parallel_for(0, static_cast<std::int64_t>(poses.size()), threads_, [&](std::int64_t i) {
      const auto k = static_cast<std::size_t>(i);
      candidates[k] = limb_search_.judge(fit_.fit(poses[k]));
    });
    return candidates;
  }

  // The best ones, and the best of those that look the other way. No two are about the same.
  std::vector<Candidate> keep_both_ways(std::vector<Candidate> candidates) const {
    sort_by_score(candidates);
    const double apart = same_pose_m * body_scale(skeleton_);
    std::vector<Candidate> kept;
    std::vector<std::vector<Vec3>> joints;
    std::size_t same = 0, other = 0;
    for (Candidate& candidate : candidates) {
      std::vector<Vec3> at = skeleton_.joints(candidate.pose);
      const bool is_new = std::none_of(joints.begin(), joints.end(), [&](const std::vector<Vec3>& there) {
        return mean_distance_m(at, there) <= apart;
      });
      std::size_t& count = kept.empty() || look_the_same_way(candidate, kept.front()) ? same : other;
      if (!is_new || count == kept_of_each_way) continue;
      ++count;
      joints.push_back(std::move(at));
      kept.push_back(std::move(candidate));
    }
    return kept;
  }

  void improve_all(std::vector<Candidate>& candidates) const {
    std::vector<Candidate*> improving;
    for (Candidate& candidate : candidates) improving.push_back(&candidate);
    for (int round = 0; round < rounds; ++round) {
      std::vector<double> before;
      for (const Candidate* candidate : improving) before.push_back(candidate->score);
      improve(improving);
      std::vector<Candidate*> improved;
      for (std::size_t i = 0; i < improving.size(); ++i)
        if (improving[i]->score > before[i] + min_gain) improved.push_back(improving[i]);
      improving = std::move(improved);
    }
  }

  // The same limbs seen from behind, which fit the cloud nearly as well. other: the best that looks the other
  // way. The probability that the way of the better one is right.
  double try_turned_round(Candidate& best, Candidate& other) const {
    double before = -std::numeric_limits<double>::infinity();
    for (int round = 0; round < rounds && best.score > before + min_gain; ++round) {
      before = best.score;
      const std::vector<float> turned = turned_round(skeleton_, limbs_, best.pose);
      std::vector<Candidate> both = fitted({&turned, 1});
      both.push_back(best);
      improve_all(both);
      keep_better(other, std::move(both[0]));
      keep_better(best, std::move(both[1]));
      if (other.score > best.score) std::swap(best, other);
    }
    return length(front_of(skeleton_)) > 0 ? probability_of_way(best, other) : 1;
  }

  // A limb that no point shows is more likely to do what the other one does than anything else.
  void try_limbs_mirrored(Candidate& best) const {
    const double least = best.score - mirrored_bonus, seen = best.body_seen;
    for (std::size_t limb = 1; limb < limbs_.size(); ++limb) {
      if (limbs_[limb].other == 0) continue;
      Candidate mirrored = limb_search_.judge(with_limb_mirrored(skeleton_, limbs_, limb, best.pose));
      if (mirrored.score > least && mirrored.body_seen >= seen) best = std::move(mirrored);
    }
  }

 private:
  static void keep_better(Candidate& best, Candidate tried) {
    if (tried.score > best.score) best = std::move(tried);
  }

  // Poses to try in the place of candidates.
  struct Tries {
    std::vector<std::vector<float>> poses;
    std::vector<Candidate*> of;

    void add(Candidate* candidate, std::vector<float> pose) {
      poses.push_back(std::move(pose));
      of.push_back(candidate);
    }
  };

  void keep_best(const Tries& tries) const {
    std::vector<Candidate> tried = fitted(tries.poses);
    for (std::size_t i = 0; i < tried.size(); ++i) keep_better(*tries.of[i], std::move(tried[i]));
  }

  // A fit may leave a limb far from its points: each is searched for anew. The left and the right limb of a
  // pair may have each other's points, or one of them none. All candidates at once, for the threads.
  void improve(std::span<Candidate* const> candidates) const {
    for (const Limb& limb : std::span(limbs_).subspan(1)) {
      Tries tries;
      for (Candidate* candidate : candidates)
        for (std::vector<float>& pose : poses_of(limb, candidate->pose))
          tries.add(candidate, std::move(pose));
      keep_best(tries);
    }
    Tries tries;
    for (Candidate* candidate : candidates) {
      for (std::size_t limb = 1; limb < limbs_.size(); ++limb) {
        if (limbs_[limb].other == 0) continue;
        tries.add(candidate, with_limb_mirrored(skeleton_, limbs_, limb, candidate->pose));
        if (limb < limbs_[limb].other)
          tries.add(candidate, with_limbs_exchanged(skeleton_, limbs_, limb, candidate->pose));
      }
    }
    keep_best(tries);
  }

  std::vector<std::vector<float>> poses_of(const Limb& limb, const std::vector<float>& pose) const {
    if (!limb.bones.empty()) return limb_search_.best_poses(pose, limb, poses_of_a_limb, threads_);
    std::vector<float> at_rest = pose;
    put_at_rest(skeleton_, at_rest, limb);
    return {at_rest};
  }

  const Skeleton& skeleton_;
  std::vector<Limb> limbs_;
  PoseScore score_;
  LimbSearch limb_search_;
  SurfaceFit fit_;
  int threads_;
};

}  // namespace

FoundPose search_by_fits(const Skeleton& skeleton, const SensorModel& sensor, const CloudView& cloud,
                         std::span<const std::vector<float>> starts, int threads) {
  const FitSearch search(skeleton, sensor, cloud, threads);
  std::vector<Candidate> candidates = search.keep_both_ways(search.fitted(starts));
  search.improve_all(candidates);
  sort_by_score(candidates);
  Candidate best = candidates.front(), other = best_of_other_way(candidates);
  const double way = search.try_turned_round(best, other);
  search.try_limbs_mirrored(best);
  return {std::move(best.pose), way};
}

}  // namespace triptych::capsule_likelihood
