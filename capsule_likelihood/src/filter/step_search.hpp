// The search for a pose by steps of the filter: for any number of cameras.
#pragma once

#include <span>
#include <vector>

#include "filter/filter_engine.hpp"
#include "filter/pose/candidate.hpp"
#include "filter/pose/pose_score.hpp"

namespace triptych::capsule_likelihood {

// Steps of the filter on the same cloud, from a pose: the best estimate replaces it when its score is higher.
void improve_by_steps(FilterEngine& engine, const CloudView& cloud, const PoseScore& score, Candidate& best,
                      int steps, float spread_factor);

// Takes the time of some 310 frames. Collective when the engine's frames are.
FoundPose search_by_steps(FilterEngine& engine, const CloudView& cloud,
                          std::span<const std::vector<float>> starts);

}  // namespace triptych::capsule_likelihood
