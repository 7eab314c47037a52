// Model::face_classifier applied: textures at landmarks, and their scores.
#pragma once

#include <triptych/aam_fit/model.hpp>
#include <triptych/core/image_view.hpp>

#include <span>
#include <vector>

#include "crop/prepare_cpu.hpp"

namespace triptych::aam_fit {

// The texture at landmarks as the classifier takes it: of a level's features, of zero mean and unit length.
// Keeps its scratch from call to call.
class FaceTexture {
 public:
  // All zeros where the image is flat or the landmarks are out of its reach. Valid until the next call.
  std::span<const float> sample(const Level& level, ImageView<const Grey8> image,
                                std::span<const Point> landmarks);

 private:
  Planes planes_;
  PrepareScratch scratch_;
  std::vector<float> shape_, texture_;
};

// The level whose texture the classifier takes.
const Level& classified_level(const Model& model);

// The score of the classifier at landmarks, 0 for a model without one.
double score_at(const Model& model, ImageView<const Grey8> image, std::span<const Point> landmarks,
                FaceTexture& textures);

}  // namespace triptych::aam_fit
