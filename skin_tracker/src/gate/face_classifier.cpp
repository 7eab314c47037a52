#include <algorithm>
#include <array>
#include <cstddef>

#include "gate/face_classifier.hpp"
#include "gate/face_weights.hpp"
#include "gate/gradient_cells.hpp"

namespace triptych::skin_tracker {

namespace {

constexpr int all_cells = GradientCells::cells;
constexpr int face_cells = face_weights::cells;  // per side
constexpr int places = all_cells - face_cells + 1;
constexpr std::size_t all_directions = GradientCells::directions;

constexpr std::array face_sizes{0.6, 0.75, 0.95, 1.2};  // of the side of a face over the height of its skin
constexpr double samples_per_height = 46;               // of the map; the raster of a face has 40 to 80

// Of each direction, row and column: the table has the left half, and the right half is its mirror image.
using FaceWeights = std::array<std::array<std::array<float, face_cells>, face_cells>, all_directions>;
const FaceWeights& weights_of_face() {
  static const FaceWeights weights = [] {
    constexpr std::array<std::size_t, all_directions> mirrored{4, 3, 2, 1, 0, 7, 6, 5};
    FaceWeights made{};
    constexpr std::size_t half = face_cells / 2;
    for (std::size_t y = 0; y < face_cells; ++y) {
      for (std::size_t x = 0; x < half; ++x) {
        for (std::size_t k = 0; k < all_directions; ++k) {
          const float weight = face_weights::step *
                               static_cast<float>(face_weights::table[(y * half + x) * all_directions + k]);
          made[k][y][x] = weight;
          made[mirrored[k]][y][face_cells - 1 - x] = weight;
        }
      }
    }
    return made;
  }();
  return weights;
}

float best_place(const GradientCells& seen) {
  // The places of a row at once, so that the sums are vectors.
  std::array<std::array<float, places>, places> sums{};
  for (std::size_t k = 0; k < all_directions; ++k) {
    const GradientCells::Plane& plane = seen.rise[k];
    for (std::size_t y = 0; y < face_cells; ++y) {
      for (std::size_t x = 0; x < face_cells; ++x) {
        const float weight = weights_of_face()[k][y][x];
        for (std::size_t row = 0; row < places; ++row) {
          const float* const cells = plane.data() + (row + y) * all_cells + x;
          for (std::size_t column = 0; column < places; ++column) sums[row][column] += weight * cells[column];
        }
      }
    }
  }
  float best = sums[0][0];
  for (const auto& row : sums) best = std::max(best, *std::max_element(row.begin(), row.end()));
  return best;
}

CentredBox cells_around(const CentredBox& skin, double size) {
  const double side = skin.height * size * all_cells / face_cells;
  return {skin.x, skin.y, side, side};
}

}  // namespace

CentredBox face_part(const CentredBox& skin) { return cells_around(skin, face_sizes.back()); }

double face_finest_px(const CentredBox& skin) {
  constexpr double samples_across = 32;  // what place() makes of finest_px
  return skin.height * samples_across / samples_per_height;
}

double face_score(const WeightMap& brightness, const CentredBox& skin) {
  float best = best_place(GradientCells(brightness, cells_around(skin, face_sizes[0])));
  for (std::size_t i = 1; i < face_sizes.size(); ++i)
    best = std::max(best, best_place(GradientCells(brightness, cells_around(skin, face_sizes[i]))));
  return double{best} + face_weights::constant;
}

}  // namespace triptych::skin_tracker
