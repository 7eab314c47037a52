// The argument checks of weighing and resampling, shared by both twins.
#pragma once

#include <triptych/capsule_likelihood/resample.hpp>
#include <triptych/core/error.hpp>

#include <cstdint>

namespace triptych::capsule_likelihood {

inline void check_temper(std::int64_t likelihoods, double target, double max_loss, std::int64_t weights) {
  require(likelihoods == weights, "cannot weigh ", likelihoods, " samples with room for ", weights,
          " weights");
  require(likelihoods <= max_weighed_samples, "cannot weigh ", likelihoods, " samples: at most ",
          max_weighed_samples);
  require(target >= 0, "the effective samples to aim at cannot be ", target);
  require(max_loss >= 0, "max_loss must not be negative: ", max_loss);
}

inline void check_resample(std::int64_t weights, std::int64_t ancestors) {
  require(weights <= max_weighed_samples && ancestors <= max_weighed_samples, "cannot draw ", ancestors,
          " samples out of ", weights, ": at most ", max_weighed_samples);
  require(weights > 0 || ancestors == 0, "cannot draw ", ancestors, " samples out of none");
}

}  // namespace triptych::capsule_likelihood
