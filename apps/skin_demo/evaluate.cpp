#include <triptych/core/clock.hpp>
#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/classifier.hpp>

#include <cstdio>

#include "evaluate.hpp"

namespace triptych::skin_demo {

void evaluate(const Options& options) {
  using namespace skin_tracker;
  const std::vector<LabelledPixel> pixels = read_labelled_pixels(options.pixels);
  if (pixels.size() < 2)
    throw Error(options.pixels.string() + " holds too few pixels to split them in halves");
  const PixelSplit halves = split_in_halves(pixels, options.seed);
  const Stopwatch training;
  const Classifier classifier = train_classifier(options.classifier, halves.train);
  const double training_ms = training.elapsed_ms();
  const Evaluation result = skin_tracker::evaluate(classifier, halves.test);
  if (!options.model.empty()) save_classifier(options.model, classifier);

  std::printf("accuracy   %.4f\nprecision  %.4f\nrecall     %.4f\nF1         %.4f\n", result.accuracy(),
              result.precision(), result.recall(), result.f1());
  std::printf(
      "%s learnt from %zu pixels in %.0f ms and names %.2f %% of %zu others rightly (seed %llu)%s%s.\n",
      options.classifier.c_str(), halves.train.size(), training_ms, 100 * result.accuracy(),
      halves.test.size(), static_cast<unsigned long long>(options.seed),
      options.model.empty() ? "" : "; it is saved in ", options.model.c_str());
}

}  // namespace triptych::skin_demo
