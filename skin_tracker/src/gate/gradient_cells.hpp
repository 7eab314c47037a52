// GradientCells: the directions of the brightness gradients in the cells of a box, as histograms of oriented
// gradients have them, and the brightness.
#pragma once

#include <array>
#include <cstddef>

#include "gate/weight_map.hpp"

namespace triptych::skin_tracker {

struct GradientCells {
  static constexpr int cells = 16;              // per side
  static constexpr std::size_t directions = 8;  // 45 degrees apart, from right over down
  static constexpr int cell_pixels = 4;         // per side, of the raster in which gradients are taken
  static constexpr float cell_area = cell_pixels * cell_pixels;
  using Plane = std::array<float, static_cast<std::size_t>(cells) * cells>;

  GradientCells(const WeightMap& brightness_map, const CentredBox& box);

  // How much the brightness rises in each direction, relative to the gradients in the cell and its
  // neighbours; 0 .. 0.8.
  std::array<Plane, directions> rise{};
  Plane brightness{};  // the sum of a cell
};

}  // namespace triptych::skin_tracker
