#include <cmath>
#include <cstddef>

#include "gate/layout.hpp"

namespace triptych::skin_tracker {

Layout::Layout(const WeightMap& map, const CentredBox& box) {
  const CentredBox all = box.scaled(scale);
  const double width = all.width / cells, height = all.height / cells;
  for (int i = 0; i < cells * cells; ++i) {
    const int column = i % cells, row = i / cells;
    const double x = all.x - all.width / 2 + (column + 0.5) * width;
    const double y = all.y - all.height / 2 + (row + 0.5) * height;
    values_[static_cast<std::size_t>(i)] = map.inside({x, y, width, height}).density();
  }
  normalise();
}

const Layout& Layout::oval() {
  static const Layout layout = [] {
    constexpr int parts = 8 * cells;  // per side, to round the edge of the ellipse
    Layout made;
    for (int i = 0; i < parts; ++i) {
      for (int k = 0; k < parts; ++k) {
        const double x = scale * (2 * (k + 0.5) / parts - 1), y = scale * (2 * (i + 0.5) / parts - 1);
        const int cell = i * cells / parts * cells + k * cells / parts;
        if (x * x + y * y < 1) made.values_[static_cast<std::size_t>(cell)] += 1;
      }
    }
    made.normalise();
    return made;
  }();
  return layout;
}

void Layout::approach(const Layout& other, double share) {
  for (std::size_t i = 0; i < values_.size(); ++i) values_[i] += share * (other.values_[i] - values_[i]);
  normalise();
}

double Layout::correlation(const Layout& other) const {
  double sum = 0;
  for (std::size_t i = 0; i < values_.size(); ++i) sum += values_[i] * other.values_[i];
  return sum;
}

void Layout::normalise() {
  double mean = 0, squares = 0;
  for (const double value : values_) mean += value;
  mean /= cells * cells;
  for (double& value : values_) {
    value -= mean;
    squares += value * value;
  }
  constexpr double even = 1e-6;  // far below a step of the samples
  const double length = std::sqrt(squares);
  for (double& value : values_) value = length > even ? value / length : 0;
}

}  // namespace triptych::skin_tracker
