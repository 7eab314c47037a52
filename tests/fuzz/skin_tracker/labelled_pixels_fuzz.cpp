// read_labelled_pixels(): rows "B,G,R,label". Classifiers are trained on what was read.
#include <triptych/skin_tracker/classifier.hpp>

#include <cstdlib>

#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace triptych::skin_tracker;
  triptych::fuzz::only_errors([&] {
    const auto pixels = read_labelled_pixels(triptych::fuzz::file_of(data, size, "pixels.csv"));
    const PixelSplit halves = split_in_halves(pixels, 1);
    // The linear one takes too long to train for a fuzzer: the first name.
    const auto names = classifier_names().subspan(1);
    const Classifier classifier = train_classifier(names[pixels.size() % names.size()], halves.train);
    const double accuracy = evaluate(classifier, halves.test).accuracy();
    if (!(accuracy >= 0 && accuracy <= 1)) std::abort();
  });
  return 0;
}
