// The two ways to learn a level's update R.
#pragma once

#include <triptych/aam_fit/train.hpp>

#include <functional>
#include <span>
#include <vector>

#include "train/level_model.hpp"

namespace triptych::aam_fit {

// R = (J'J)^-1 J', J the average over faces of how the residual changes with each parameter, by central
// differences of several sizes. c: of the faces at their optimum, one a row.
void learn_displaced_update(Level& level, std::span<const TrainingFace> faces, const Rows& c,
                            const Execution& run);

// Starts on their way through the levels. A start belongs to a face; its shape is in the frame's pixels, and
// its crop is the one that the levels of one resolution share.
struct Start {
  int face = 0;
  Shape shape;
  Crop crop;
};
std::vector<Start> make_starts(const Shape& mean, std::span<const TrainingFace> faces, const Displacements& d,
                               std::uint64_t seed);

// R by ridge regression of the displacement to the truth on the residuals at the starts. Then moves each
// start by a step, predicted by an R that has not seen its face (five folds of the faces): so the next level
// learns from displacements as they occur on new faces.
struct Stage {
  std::size_t level = 0;  // number of the resolution
  int number = 0;         // of the update there; the first needs new crops
  bool is_last = false;   // of all: the starts are left where they are
};
void learn_regression_update(Level& level, std::span<const TrainingFace> faces, const Rows& c,
                             std::vector<Start>& starts, const Stage& stage, const TrainOptions& options,
                             const Execution& run);

}  // namespace triptych::aam_fit
