// A classifier of every kind, and some that go to the ends of what numbers can hold.
#pragma once

#include <triptych/core/philox.hpp>
#include <triptych/skin_tracker/classifier.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace triptych::test {

// Two clusters that overlap, so that many colours have weights between 0 and 1.
inline std::vector<skin_tracker::LabelledPixel> overlapping_clusters() {
  PhiloxStream random(5, 0);
  const auto near = [&](float middle) {
    return static_cast<std::uint8_t>(
        std::clamp(std::round(middle + 30 * random.next_normal_pair().first), 0.0f, 255.0f));
  };
  std::vector<skin_tracker::LabelledPixel> pixels;
  for (int i = 0; i < 3000; ++i) {
    pixels.push_back({{near(190), near(140), near(115)}, true});
    pixels.push_back({{near(120), near(125), near(130)}, false});
  }
  return pixels;
}

// Shares from below 0 to above 1, and a NaN.
inline skin_tracker::HistogramRatio random_histogram(int bits) {
  PhiloxStream random(6, static_cast<std::uint64_t>(bits));
  skin_tracker::HistogramRatio histogram{bits, std::vector<float>(std::size_t{1} << (3 * bits))};
  for (float& share : histogram.share) share = 1.2f * random.next_uniform() - 0.1f;
  histogram.share.back() = std::nanf("");
  return histogram;
}

inline std::vector<std::pair<std::string, skin_tracker::Classifier>> classifiers_of_all_kinds() {
  std::vector<std::pair<std::string, skin_tracker::Classifier>> all;
  const std::vector<skin_tracker::LabelledPixel> pixels = overlapping_clusters();
  for (const std::string_view name : skin_tracker::classifier_names())
    all.emplace_back(name, skin_tracker::train_classifier(name, pixels));
  all.emplace_back("histogram of 1 bit", random_histogram(1));
  all.emplace_back("histogram of 8 bits", random_histogram(8));
  constexpr double huge = std::numeric_limits<double>::max();
  const skin_tracker::GaussianPair::Normal normal{
      {huge, -huge, 0}, {huge, 0, 0, 0, huge, 0, 0, 0, huge}, huge};
  all.emplace_back("linear of huge numbers", skin_tracker::LinearFilter{huge, -huge, huge, 0});
  all.emplace_back("gaussian_rgb of huge numbers",
                   skin_tracker::GaussianPair{skin_tracker::ColourSpace::rgb, normal, normal});
  all.emplace_back("ellipse of huge numbers",
                   skin_tracker::ChrominanceEllipse{{huge, huge}, {huge, huge, huge}, huge, huge});
  return all;
}

}  // namespace triptych::test
