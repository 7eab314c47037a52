// Model::calibration, by fits of the finished model to the images it was trained on.
#pragma once

#include <triptych/aam_fit/model.hpp>
#include <triptych/aam_fit/train.hpp>

#include <span>

#include "train/execution.hpp"
#include "train/training_set.hpp"

namespace triptych::aam_fit {

// The medians of some dozens of fits: on faces from displaced starts, and from starts beside the faces, in
// the same images, or in noise where a face leaves no room. Not known() when the former are not above the
// latter.
Calibration calibrate(const Model& model, std::span<const TrainingFace> faces, const TrainOptions& options,
                      const Execution& run);

}  // namespace triptych::aam_fit
