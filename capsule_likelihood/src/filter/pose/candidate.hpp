// What a search for a pose compares: poses with their scores, of bodies that look one way or the other.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "filter/pose/limbs.hpp"

namespace triptych::capsule_likelihood {

struct Candidate {
  std::vector<float> pose;
  double score = -std::numeric_limits<double>::infinity();  // by PoseScore
  double body_seen = 0;                                     // as in Evidence
};

// Whether the z axes of the bodies are at most 90 degrees apart.
inline bool look_the_same_way(const Candidate& a, const Candidate& b) {
  const detail::Vec z(0, 0, 1);
  return dot(orientation_of(a.pose) * z, orientation_of(b.pose) * z) >= 0;
}

inline void sort_by_score(std::vector<Candidate>& candidates) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
}

// Of candidates sorted by score: the best that looks the other way than the first; without a pose when there
// is none.
inline Candidate best_of_other_way(const std::vector<Candidate>& candidates) {
  const auto other = std::find_if(candidates.begin(), candidates.end(), [&](const Candidate& c) {
    return !look_the_same_way(c, candidates.front());
  });
  return other == candidates.end() ? Candidate{} : *other;
}

// A limb that the body hides may be anywhere there. It is the mirror image of the other limb when that costs
// no more than this and is hidden as well.
inline constexpr double mirrored_bonus = 0.06;

struct FoundPose {
  std::vector<float> pose;
  double way = 1;  // as in Evidence
};

// The probability that the body looks the way of the better one: a logistic function of the difference
// between the scores. Fitted to searches in rendered poses and depth images (docs/method.md).
inline double probability_of_way(const Candidate& best, const Candidate& other) {
  constexpr double even_difference = 0.015, difference_scale = 0.015;
  return 1 / (1 + std::exp((even_difference - (best.score - other.score)) / difference_scale));
}

}  // namespace triptych::capsule_likelihood
