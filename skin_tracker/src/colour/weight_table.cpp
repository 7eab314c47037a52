#include <triptych/core/error.hpp>
#include <triptych/core/parallel.hpp>
#include <triptych/skin_tracker/weight_table.hpp>

#include <utility>

#include "colour/cell_weights.hpp"
#include "colour/table_math.hpp"

namespace triptych::skin_tracker {

template <class T>
WeightTable<T>::WeightTable(const Classifier& classifier, int threads) : weights_(colours) {
  parallel_for(0, 256, threads, [&](std::int64_t red) {
    T* out = weights_.data() + (static_cast<std::size_t>(red) << 16);
    for (int green = 0; green < 256; ++green) {
      for (int blue = 0; blue < 256; ++blue) {
        *out++ =
            stored<T>(weight(classifier, {static_cast<std::uint8_t>(red), static_cast<std::uint8_t>(green),
                                          static_cast<std::uint8_t>(blue)}));
      }
    }
  });
}

template <class T>
WeightTable<T>::WeightTable(std::vector<T> weights) : weights_(std::move(weights)) {
  require(weights_.size() == colours, "a table needs a weight for each of the ", colours,
          " colours, and there are ", weights_.size());
}

std::vector<std::uint16_t> cell_weights(const HistogramRatio& histogram) {
  require_usable(histogram);
  std::vector<std::uint16_t> cells;
  cells.reserve(histogram.share.size());
  for (const float share : histogram.share) cells.push_back(stored<std::uint16_t>(share));
  return cells;
}

template class WeightTable<std::uint8_t>;
template class WeightTable<std::uint16_t>;
template class WeightTable<float>;

}  // namespace triptych::skin_tracker
