// A search over the directions of colour space. For a given normal of a plane the other parameters are found
// exactly in one dimension; the two angles of the normal are found by a sweep and a local refinement.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace triptych::skin_tracker {

struct Direction {
  double r, g, b;
};

inline double dot(const Direction& a, const Direction& b) { return a.r * b.r + a.g * b.g + a.b * b.b; }

inline Direction unit(const Direction& a) {
  const double length = std::sqrt(dot(a, a));
  return {a.r / length, a.g / length, a.b / length};
}

// Unit vectors spread evenly over the sphere (a Fibonacci spiral).
inline std::vector<Direction> spread_directions(int count) {
  constexpr double golden_angle = 2.399963229728653;
  std::vector<Direction> directions;
  directions.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    const double z = 1 - (2.0 * i + 1) / count;
    const double radius = std::sqrt(1 - z * z);
    directions.push_back({radius * std::cos(golden_angle * i), radius * std::sin(golden_angle * i), z});
  }
  return directions;
}

struct ScoredDirection {
  Direction direction;
  double score;
};

// Hill climbing on the sphere with steps in radians; the step is halved when no neighbour is better.
template <class Score>
ScoredDirection refine_direction(ScoredDirection best, double first_step, double last_step, Score&& score) {
  for (double step = first_step; step >= last_step;) {
    const Direction n = best.direction;
    const Direction helper = std::abs(n.r) < 0.6 ? Direction{1, 0, 0} : Direction{0, 1, 0};
    const Direction u = unit(
        {n.g * helper.b - n.b * helper.g, n.b * helper.r - n.r * helper.b, n.r * helper.g - n.g * helper.r});
    const Direction v = {n.g * u.b - n.b * u.g, n.b * u.r - n.r * u.b, n.r * u.g - n.g * u.r};
    bool better = false;
    constexpr std::array<std::array<double, 2>, 6> hexagon{
        {{1, 0}, {0.5, 0.866}, {-0.5, 0.866}, {-1, 0}, {-0.5, -0.866}, {0.5, -0.866}}};
    for (const auto& corner : hexagon) {
      const double a = step * corner[0], c = step * corner[1];
      const Direction candidate =
          unit({n.r + a * u.r + c * v.r, n.g + a * u.g + c * v.g, n.b + a * u.b + c * v.b});
      const double candidate_score = score(candidate);
      if (candidate_score > best.score) {
        best = {candidate, candidate_score};
        better = true;
      }
    }
    if (!better) step /= 2;
  }
  return best;
}

// Refines the best `starts` directions of a sweep and returns the best result.
template <class Score>
ScoredDirection refine_best(std::vector<ScoredDirection> sweep, std::size_t starts, double last_step,
                            Score&& score) {
  const auto better = [](const ScoredDirection& a, const ScoredDirection& b) { return a.score > b.score; };
  std::stable_sort(sweep.begin(), sweep.end(), better);
  const double first_step =
      1.8 / std::sqrt(static_cast<double>(sweep.size()));  // half the distance between neighbours
  ScoredDirection best = sweep.front();
  for (std::size_t i = 0; i < std::min(starts, sweep.size()); ++i) {
    const ScoredDirection refined = refine_direction(sweep[i], first_step, last_step, score);
    if (refined.score > best.score) best = refined;
  }
  return best;
}

}  // namespace triptych::skin_tracker
