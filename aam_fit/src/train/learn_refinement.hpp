// Model::refinement, from the textures around the landmarks of the training faces.
#pragma once

#include <triptych/aam_fit/model.hpp>

#include <span>

#include "train/execution.hpp"
#include "train/training_set.hpp"

namespace triptych::aam_fit {

// last: the last level of the model; mean: the mean shape. None when the level has more than
// max_refined_modes.
Refinement learn_refinement(const Level& last, std::span<const Point> mean,
                            std::span<const TrainingFace> faces, const Execution& run);

}  // namespace triptych::aam_fit
