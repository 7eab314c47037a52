// Model::face_classifier, by fits of the finished model to the images it was trained on.
#pragma once

#include <triptych/aam_fit/model.hpp>
#include <triptych/aam_fit/train.hpp>

#include <span>

#include "train/execution.hpp"
#include "train/training_set.hpp"

namespace triptych::aam_fit {

// A ridge regression to 1 on faces, at their landmarks and at fits to them, and to -1 at fits where the mean
// texture resembles other parts of the images, or pictures without faces; both kinds count as much. level: of
// the model, whose textures are taken. The same bits whatever the threads.
FaceClassifier learn_classifier(const Model& model, int level, std::span<const TrainingFace> faces,
                                const Execution& run);

}  // namespace triptych::aam_fit
