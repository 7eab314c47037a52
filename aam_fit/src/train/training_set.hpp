// The faces that a model learns from: checked, deformed, and doubled by their mirror images.
#pragma once

#include <triptych/aam_fit/train.hpp>

#include <cstdint>
#include <span>
#include <vector>

#include "train/execution.hpp"
#include "train/mirror.hpp"

namespace triptych::aam_fit {

struct TrainingFace {
  const Image<Grey8>* image = nullptr;
  Shape landmarks;
  int example = 0;  // it comes from; deformed faces and mirror images share theirs
};

// InvalidArgument, naming the example, as train() promises.
void check_examples(const std::vector<Example>& examples);

class TrainingSet {
 public:
  // Keeps pointers to the images. deformations: TrainOptions'; fewer where their images would take more than
  // a gibibyte.
  TrainingSet(const std::vector<Example>& examples, const Mirror& mirror, int deformations,
              std::uint64_t seed, const Execution& run);
  std::span<const TrainingFace> faces() const { return faces_; }
  // The first ones: without the deformed faces.
  std::span<const TrainingFace> undeformed() const { return std::span(faces_).first(undeformed_); }
  int examples() const { return examples_; }

 private:
  int examples_ = 0;
  std::size_t undeformed_ = 0;
  std::vector<Image<Grey8>> images_;  // deformed and mirrored
  std::vector<TrainingFace> faces_;
};

}  // namespace triptych::aam_fit
