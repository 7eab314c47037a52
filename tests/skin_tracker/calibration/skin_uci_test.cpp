// The classifiers on the UCI Skin Segmentation set: trained on a random half, judged on the other.
#include <triptych/skin_tracker/classifier.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <map>
#include <string>
#include <string_view>

#include "testing/data_dir.hpp"
#include "testing/random.hpp"

namespace triptych::skin_tracker {
namespace {

class SkinUci : public testing::TestWithParam<std::string_view> {};

TEST_P(SkinUci, IsLearntFromAHalf) {
  TRIPTYCH_DATA_DIR_OR_SKIP(data);
  // the required accuracy of three; the others must beat the best plane
  const std::map<std::string_view, double> required{
      {"linear", 0.92}, {"gaussian_crcb", 0.99}, {"histogram", 0.998}};
  const auto found = required.find(GetParam());
  const double least = found == required.end() ? 0.95 : found->second;

  const auto pixels = read_labelled_pixels(data / "skin_uci" / "Skin_NonSkin.csv");
  ASSERT_EQ(pixels.size(), 245057u);
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    TRIPTYCH_TRACE_SEED(seed);
    const PixelSplit split = split_in_halves(pixels, seed);
    const Classifier classifier = train_classifier(GetParam(), split.train);
    const Evaluation e = evaluate(classifier, split.test);
    EXPECT_GE(e.accuracy(), least);
    std::cout << GetParam() << ", seed " << seed << ": accuracy " << e.accuracy() << ", precision "
              << e.precision() << ", recall " << e.recall() << ", F1 " << e.f1() << "\n";
  }
}

INSTANTIATE_TEST_SUITE_P(All, SkinUci,
                         testing::ValuesIn(classifier_names().begin(), classifier_names().end()),
                         [](const auto& name) { return std::string(name.param); });

}  // namespace
}  // namespace triptych::skin_tracker
