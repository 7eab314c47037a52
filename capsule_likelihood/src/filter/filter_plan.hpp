// What a filter does in every frame, worked out once from the skeleton and the options: the dimensions and
// their spreads, the parts of the body that can be searched for by themselves, and the layers.
#pragma once

#include <triptych/capsule_likelihood/particle_filter.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>

#include <span>
#include <vector>

#include "filter/filter_motion.hpp"

namespace triptych::capsule_likelihood {

// A unit that can give way when the trunk moves: its free dimensions and its joints.
struct FilterLimb {
  std::vector<std::int32_t> dims, joints;
};

struct FilterPlan {
  std::int32_t samples = 0;
  std::int32_t dims = 0;
  std::int32_t units = 1;
  std::uint64_t seed = 0;
  std::vector<FilterDimension> dimensions;
  std::vector<FilterLayer> layers;
  std::vector<std::int32_t> trunk;  // the free dimensions of unit 0
  std::vector<FilterLimb> limbs;    // of the units from 1 on
  float start_noise = 1;            // times the spreads, about a given pose
  FilterMotion motion;
};

// InvalidArgument, with a sentence, when the options make no sense.
FilterPlan make_plan(const Skeleton& skeleton, const FilterOptions& options);

// A layer for one part: the trunk, to which the limbs give way; every limb by itself; all at once.
enum class Part { trunk, limbs, all };
FilterLayer make_layer(Part part, int units, int samples);

// What a filter starts from.
struct FilterState {
  FilterFrame frame;
  std::vector<float> centre, elite, velocity, last, innovation, spread;  // dims each
  std::vector<float> population;                                         // samples x dims
  std::vector<float> poses;  // (samples + 1) x (dims + 1), the last the centre
};
FilterState make_start(const FilterPlan& plan, std::span<const float> pose, float widen, int threads);

// The unit of each joint: 0 for the root and for all that lies on the way to a place where the body branches;
// every long branch that does not branch again is one of its own.
std::vector<int> units_of(const Skeleton& skeleton);

// What the temperings of a layer's groups say: the effective samples (of the group that has the smallest
// share, times all samples), and the best log-likelihood.
double effective_of(std::span<const Tempering> temperings, std::int32_t samples);
double highest_of(std::span<const Tempering> temperings);

// Estimate::score: 1 - loss / max_loss, where loss = -log_likelihood; 0 when there is no loss to compare
// with.
double score_of(double log_likelihood, double max_loss);

// The arrays of the state as a filter's functions see them; the others are null.
FilterView view_of(const FilterPlan& plan, FilterState& state);

}  // namespace triptych::capsule_likelihood
