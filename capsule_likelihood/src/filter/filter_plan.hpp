// The plan of a filter, made once from the skeleton and the options: the dimensions and their spreads, the
// units of the body that can be searched separately, and the layers.
#pragma once

#include <triptych/capsule_likelihood/particle_filter.hpp>
#include <triptych/capsule_likelihood/skeleton.hpp>

#include <span>
#include <vector>

#include "filter/samples/filter_motion.hpp"

namespace triptych::capsule_likelihood {

// A unit that can compensate the motion of the trunk: its free dimensions and its joints.
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
  int fit_steps = 0;            // of the estimate, see estimate_fit.hpp
  bool recovers_limbs = false;  // ... see limb_recovery.hpp
};

// InvalidArgument, with a sentence, when an option is out of range.
FilterPlan make_plan(const Skeleton& skeleton, const FilterOptions& options);

// A layer for one part: the trunk, compensated by the limbs; every limb separately; all at once.
enum class Part { trunk, limbs, all };
FilterLayer make_layer(Part part, int units, int samples);

// The state at the start.
struct FilterState {
  FilterFrame frame;
  std::vector<float> centre, elite, velocity, last, innovation, spread, home;  // dims each
  std::vector<float> population;                                               // samples x dims
  std::vector<float> poses;  // (samples + 1) x (dims + 1), the last the centre
};
FilterState make_start(const FilterPlan& plan, std::span<const float> pose, float widen, int threads);

// From the temperings of a layer's groups: the effective samples (of the group that has the smallest
// share, times all samples), and the best log-likelihood.
double effective_of(std::span<const Tempering> temperings, std::int32_t samples);
double highest_of(std::span<const Tempering> temperings);

// Estimate::score: 1 - loss / max_loss, where loss = -log_likelihood; 0 when there is no loss to compare
// with.
double score_of(double log_likelihood, double max_loss);

// The arrays of the state as a filter's functions see them; the others are null.
FilterView view_of(const FilterPlan& plan, FilterState& state);

}  // namespace triptych::capsule_likelihood
