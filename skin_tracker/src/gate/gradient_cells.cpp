#include <algorithm>
#include <cmath>
#include <numbers>

#include "gate/gradient_cells.hpp"

namespace triptych::skin_tracker {

namespace {

constexpr int cells_per_side = GradientCells::cells;
constexpr int raster_side = cells_per_side * GradientCells::cell_pixels;
constexpr float max_gradient = 0.8f;      // of a cell in one direction, in units of the mean around it
constexpr float faint_gradient = 0.002f;  // per pixel; cells of less count little

constexpr std::size_t cell_at(int x, int y) {
  return static_cast<std::size_t>(y) * cells_per_side + static_cast<std::size_t>(x);
}

// Sums of cell_pixels values each, into a row of cells.
void add_to_cells(const float* values, float* sums) {
  for (int x = 0; x < cells_per_side; ++x)
    for (int i = 0; i < GradientCells::cell_pixels; ++i)
      sums[x] += values[x * GradientCells::cell_pixels + i];
}

// The length of the gradients in each cell and its neighbours, as a root mean square.
GradientCells::Plane gradients_around(const GradientCells& seen) {
  GradientCells::Plane energy{}, around{};
  for (const GradientCells::Plane& rise : seen.rise)
    for (std::size_t i = 0; i < energy.size(); ++i) energy[i] += rise[i] * rise[i];
  for (int y = 0; y < cells_per_side; ++y) {
    for (int x = 0; x < cells_per_side; ++x) {
      float sum = 0, count = 0;
      for (int v = std::max(y - 1, 0); v <= std::min(y + 1, cells_per_side - 1); ++v) {
        for (int u = std::max(x - 1, 0); u <= std::min(x + 1, cells_per_side - 1); ++u, ++count)
          sum += energy[cell_at(u, v)];
      }
      around[cell_at(x, y)] = std::sqrt(sum / count);
    }
  }
  return around;
}

}  // namespace

GradientCells::GradientCells(const WeightMap& brightness_map, const CentredBox& box) {
  // A border of one pixel, for the differences.
  constexpr int stride = raster_side + 2;
  std::array<float, static_cast<std::size_t>(stride) * stride> raster;
  brightness_map.resample(box.scaled(double{stride} / raster_side), stride, raster.data());
  std::array<float, raster_side> across, down, diagonal, other, rising;
  for (int y = 0; y < raster_side; ++y) {
    const float* row = raster.data() + (y + 1) * stride + 1;
    for (std::size_t x = 0; x < raster_side; ++x) {
      const float *here = row + x, *above = here - stride, *below = here + stride;
      across[x] = here[1] - here[-1];
      down[x] = below[0] - above[0];
      constexpr float root = std::numbers::sqrt2_v<float> / 2;
      diagonal[x] = root * (across[x] + down[x]);
      other[x] = root * (down[x] - across[x]);
    }
    const std::size_t cell_row = cell_at(0, y / cell_pixels);
    const std::array<float, raster_side>* const axes[] = {&across, &diagonal, &down, &other};
    for (std::size_t k = 0; k < directions; ++k) {
      const float sign = k < directions / 2 ? 1.0f : -1.0f;
      const std::array<float, raster_side>& axis = *axes[k % (directions / 2)];
      for (std::size_t x = 0; x < raster_side; ++x) rising[x] = std::max(0.0f, sign * axis[x]);
      add_to_cells(rising.data(), &rise[k][cell_row]);
    }
    add_to_cells(row, &brightness[cell_row]);
  }
  const Plane around = gradients_around(*this);
  for (Plane& plane : rise) {
    for (std::size_t i = 0; i < plane.size(); ++i)
      plane[i] = std::min(plane[i] / (around[i] + faint_gradient * cell_area), max_gradient);
  }
}

}  // namespace triptych::skin_tracker
