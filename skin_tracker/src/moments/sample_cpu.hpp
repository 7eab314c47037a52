// A thinned-out map of weights: what the gate of a tracker searches.
#pragma once

#include <triptych/skin_tracker/filter.hpp>
#include <triptych/skin_tracker/frame.hpp>
#include <triptych/skin_tracker/weight_table.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "colour/classifier_math.hpp"

namespace triptych::skin_tracker {

// The weight of the middle pixel, (step / 2, step / 2), of each step x step tile of the region: width / step
// by height / step weights, row by row. InvalidArgument when the region is not inside the frame, step < 1, or
// weights has another size.
void sample_cpu(const Frame& frame, const Region& region, int step, const LinearFilter& filter,
                std::span<std::uint16_t> weights);
void sample_cpu(const Frame& frame, const Region& region, int step, const WeightTable<std::uint16_t>& table,
                std::span<std::uint16_t> weights);

// The weights of a histogram as a table would have them, in so little memory that a core keeps it at hand.
class HistogramWeights {
 public:
  explicit HistogramWeights(const HistogramRatio& histogram);
  std::uint16_t operator[](Rgb8 colour) const {
    return cells_[static_cast<std::size_t>(cell_of(bits_, colour.r, colour.g, colour.b))];
  }

 private:
  int bits_;
  std::vector<std::uint16_t> cells_;
};
void sample_cpu(const Frame& frame, const Region& region, int step, const HistogramWeights& histogram,
                std::span<std::uint16_t> weights);

}  // namespace triptych::skin_tracker
