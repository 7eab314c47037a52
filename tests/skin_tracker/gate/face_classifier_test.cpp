// The classifier of faces: its cells and its scores against the formulas, faces that it knows, and things
// that are none.
#include <triptych/skin_tracker/synthetic.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

#include "gate/face_classifier.hpp"
#include "gate/face_weights.hpp"
#include "gate/gradient_cells.hpp"
#include "moments/sample_cpu.hpp"

namespace triptych::skin_tracker {
namespace {

constexpr int cells = GradientCells::cells, face_side = face_weights::cells;

// A map of what face_score() reads around a box, filled by a function of place, 0 .. 1.
template <class F>
WeightMap map_around(const CentredBox& skin, const F& brightness, int width = 320, int height = 240) {
  WeightMap map;
  map.place(face_part(skin), face_finest_px(skin), width, height);
  const auto samples = map.samples();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const int column = static_cast<int>(i) % map.columns(), row = static_cast<int>(i) / map.columns();
    const double x = map.region().x + (column + 0.5) * map.step();
    const double y = map.region().y + (row + 0.5) * map.step();
    samples[i] = static_cast<std::uint16_t>(std::lround(65535 * std::clamp(brightness(x, y), 0.0, 1.0)));
  }
  map.sum_up();
  return map;
}

double waves(double x, double y) {
  return 0.5 + 0.2 * std::sin(0.11 * x + 0.07 * y) + 0.15 * std::sin(0.05 * x - 0.23 * y + 1);
}

// From the definition, in double precision: the rise in direction k is the positive part of the derivative
// along it, summed over a cell; then relative to the root mean square over the cell and its neighbours.
std::vector<double> naive_rise(const WeightMap& map, const CentredBox& box) {
  constexpr int side = 4 * cells, stride = side + 2;
  std::vector<float> raster(static_cast<std::size_t>(stride) * stride);
  map.resample(box.scaled(double{stride} / side), stride, raster.data());
  const auto at = [&](int x, int y) {
    const int pixel = (y + 1) * stride + x + 1;
    return double{raster[static_cast<std::size_t>(pixel)]};
  };
  std::vector<double> rise(static_cast<std::size_t>(8 * cells * cells)), made = rise;
  const auto index = [](int k, int x, int y) {
    const int cell = (k * cells + y) * cells + x;
    return static_cast<std::size_t>(cell);
  };
  for (int k = 0; k < 8; ++k) {
    const double angle = k * std::numbers::pi / 4;
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x)
        rise[index(k, x / 4, y / 4)] += std::max(0.0, std::cos(angle) * (at(x + 1, y) - at(x - 1, y)) +
                                                          std::sin(angle) * (at(x, y + 1) - at(x, y - 1)));
  }
  for (int y = 0; y < cells; ++y) {
    for (int x = 0; x < cells; ++x) {
      double sum = 0, count = 0;
      for (int v = std::max(0, y - 1); v <= std::min(cells - 1, y + 1); ++v)
        for (int u = std::max(0, x - 1); u <= std::min(cells - 1, x + 1); ++u, ++count)
          for (int k = 0; k < 8; ++k) sum += rise[index(k, u, v)] * rise[index(k, u, v)];
      for (int k = 0; k < 8; ++k)
        made[index(k, x, y)] = std::min(0.8, rise[index(k, x, y)] / (std::sqrt(sum / count) + 0.002 * 16));
    }
  }
  return made;
}

constexpr CentredBox skin{150, 110, 60, 80};

TEST(GradientCells, AreTheirDefinition) {
  const WeightMap map = map_around(skin, waves);
  const GradientCells seen(map, face_part(skin));
  const std::vector<double> naive = naive_rise(map, face_part(skin));
  for (std::size_t k = 0; k < GradientCells::directions; ++k)
    for (std::size_t i = 0; i < seen.rise[k].size(); ++i)
      // Sums of 16 differences of floats below 1, over at least 0.032.
      EXPECT_NEAR(double{seen.rise[k][i]}, naive[k * seen.rise[k].size() + i], 16 * 4 * 6e-8 / 0.032);
}

// The sum of each weight times the cell's rise and that of the mirror image, at every place and size.
TEST(FaceClassifier, IsTheBestOfAllPlacesAndSizes) {
  constexpr std::array<int, 8> mirrored{4, 3, 2, 1, 0, 7, 6, 5};
  const WeightMap map = map_around(skin, waves);
  double best = -std::numeric_limits<double>::infinity();
  for (const double size : {0.6, 0.75, 0.95, 1.2}) {
    const double side = size * skin.height * cells / face_side;
    const std::vector<double> rise = naive_rise(map, {skin.x, skin.y, side, side});
    const auto at = [&](int k, int x, int y) {
      const int cell = (k * cells + y) * cells + x;
      return rise[static_cast<std::size_t>(cell)];
    };
    for (int top = 0; top <= cells - face_side; ++top) {
      for (int left = 0; left <= cells - face_side; ++left) {
        double sum = face_weights::constant;
        for (int i = 0; i < static_cast<int>(face_weights::table.size()); ++i) {
          const int k = i % 8, x = i / 8 % (face_side / 2), y = i / 8 / (face_side / 2);
          sum += double{face_weights::step} * face_weights::table[static_cast<std::size_t>(i)] *
                 (at(k, left + x, top + y) +
                  at(mirrored[static_cast<std::size_t>(k)], left + face_side - 1 - x, top + y));
        }
        best = std::max(best, sum);
      }
    }
  }
  // 800 products of at most 1 times 1.2e-4, the error of a cell, and of float sums.
  EXPECT_NEAR(face_score(map, skin), best, 0.01);
}

TEST(FaceClassifier, SeesTheSameInAMirror) {
  const double mirror = 2 * skin.x;
  const double seen = face_score(map_around(skin, waves), skin);
  EXPECT_NEAR(seen,
              face_score(map_around(skin, [&](double x, double y) { return waves(mirror - x, y); }), skin),
              0.01);
  EXPECT_NE(seen, face_score(map_around(skin, [](double x, double y) { return waves(x, 300 - y); }), skin));
}

TEST(FaceClassifier, FlatAndEdgelessThingsAreNoFaces) {
  const auto flat = [](double, double) { return 0.6; };
  EXPECT_LT(face_score(map_around(skin, flat), skin), 0);
  const auto oval = [](double x, double y) {
    return std::hypot((x - skin.x) / 30, (y - skin.y) / 40) < 1 ? 0.7 : 0.3;
  };
  EXPECT_LT(face_score(map_around(skin, oval), skin), min_face);
  EXPECT_LT(face_score(map_around(skin, waves), skin), min_face);
}

// Where the box leaves the frame, or is smaller than a cell's pixels, the score is a number all the same.
TEST(FaceClassifier, AnyBoxHasAScore) {
  for (const CentredBox& box :
       {CentredBox{0, 0, 60, 80}, CentredBox{320, 240, 1, 1}, CentredBox{160, 120, 0.5, 0.5},
        CentredBox{160, 120, 3000, 4000}, CentredBox{-50, -50, 10, 10}})
    EXPECT_TRUE(std::isfinite(face_score(map_around(box, waves), box)));
}

}  // namespace
}  // namespace triptych::skin_tracker
