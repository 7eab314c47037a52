// The weights of frames on the host that a gate goes by, when these are not the tracker's own.
#pragma once

#include <triptych/skin_tracker/classifier.hpp>
#include <triptych/skin_tracker/frame.hpp>
#include <triptych/skin_tracker/weight_table.hpp>

#include <cstdint>
#include <span>
#include <variant>

#include "frame/locate_math.hpp"
#include "moments/sample_cpu.hpp"

namespace triptych::skin_tracker {

class GateSampler {
 public:
  // threads: that build a table; 0 means all cores. InvalidArgument when the classifier is not usable.
  GateSampler(const Classifier& classifier, int threads) : rule_(rule_of(classifier, threads)) {}

  // As sample_cpu().
  void sample(const Frame& frame, const Region& region, int step, std::span<std::uint16_t> weights) const {
    std::visit([&](const auto& rule) { sample_cpu(frame, region, step, rule, weights); }, rule_);
  }

 private:
  using Rule = std::variant<LinearFilter, HistogramWeights, WeightTable<std::uint16_t>>;

  static Rule rule_of(const Classifier& classifier, int threads) {
    if (const auto* linear = std::get_if<LinearFilter>(&classifier)) {
      fix(*linear);  // says now what is wrong with it
      return *linear;
    }
    if (const auto* histogram = std::get_if<HistogramRatio>(&classifier)) return HistogramWeights(*histogram);
    return WeightTable<std::uint16_t>(classifier, threads);
  }

  Rule rule_;
};

}  // namespace triptych::skin_tracker
