// One classifier of each kind that a sampler treats in its own way: evaluated, looked up by cells, looked up
// in a table.
#pragma once

#include <triptych/core/philox.hpp>
#include <triptych/skin_tracker/classifier.hpp>

#include <vector>

namespace triptych::test {

inline std::vector<skin_tracker::Classifier> sampled_classifiers() {
  PhiloxStream random(9, 0);
  skin_tracker::HistogramRatio histogram{4, {}};
  for (int i = 0; i < 1 << 12; ++i)
    histogram.share.push_back(static_cast<float>(random.next() % 1001) / 1000);
  skin_tracker::ChrominanceEllipse ellipse;
  ellipse.mean = {150, 110};
  ellipse.precision = {0.0005, 0.0001, 0.0008};
  return {skin_tracker::LinearFilter{0.012, -0.004, -0.006, -0.3}, histogram, ellipse};
}

}  // namespace triptych::test
