// Layout: how the samples of a map are spread over a box and its surroundings, in few cells. Two layouts are
// compared by their correlation, which a change of brightness or size does not affect.
#pragma once

#include <array>

#include "gate/weight_map.hpp"

namespace triptych::skin_tracker {

class Layout {
 public:
  static constexpr int cells = 8;        // per side
  static constexpr double scale = 1.25;  // of the box that they cover

  Layout() = default;
  Layout(const WeightMap& map, const CentredBox& box);
  // All weight inside the ellipse that fills the box.
  static const Layout& oval();

  // Moves by a share towards another layout.
  void approach(const Layout& other, double share);
  double correlation(const Layout& other) const;  // -1 .. 1; 0 when one of them is even

 private:
  void normalise();

  std::array<double, cells * cells> values_{};  // mean 0, length 1; all 0 when even
};

}  // namespace triptych::skin_tracker
