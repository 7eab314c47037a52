// The faces that a model learns from: checked, and doubled by their mirror images.
#pragma once

#include <triptych/aam_fit/train.hpp>

#include <span>
#include <vector>

namespace triptych::aam_fit {

struct TrainingFace {
  const Image<Grey8>* image = nullptr;
  Shape landmarks;
  int example = 0;  // it comes from; mirror images share theirs
};

// InvalidArgument, naming the example, as train() promises.
void check_examples(const std::vector<Example>& examples);

class TrainingSet {
 public:
  // Keeps pointers to the images. mirror_points: empty for no mirror images.
  TrainingSet(const std::vector<Example>& examples, std::span<const int> mirror_points);
  std::span<const TrainingFace> faces() const { return faces_; }
  int examples() const { return examples_; }

 private:
  int examples_ = 0;
  std::vector<Image<Grey8>> mirrored_;
  std::vector<TrainingFace> faces_;
};

}  // namespace triptych::aam_fit
