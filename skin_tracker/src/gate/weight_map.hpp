// Weights sampled from a part of a frame, and the weight inside any upright box of it in constant time.
#pragma once

#include <triptych/skin_tracker/filter.hpp>
#include <triptych/skin_tracker/frame.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace triptych::skin_tracker {

// An upright box by its middle. Here coordinates count from the frame's corner: pixel i covers [i, i + 1).
struct CentredBox {
  double x = 0, y = 0, width = 0, height = 0;
  double area() const { return width * height; }
  CentredBox scaled(double factor) const { return {x, y, factor * width, factor * height}; }
};

class WeightMap {
 public:
  static constexpr std::size_t max_samples = 16384;

  WeightMap();

  // The map will show the part of the frame around the box, in steps of about a thirty-second of finest_px,
  // coarser where it would hold more samples than max_count.
  void place(const CentredBox& part, double finest_px, int frame_width, int frame_height,
             std::size_t max_count = max_samples);
  const PixelBox& region() const { return region_; }  // what is to be sampled
  int step() const { return step_; }
  std::span<std::uint16_t> samples();  // to be filled; then
  void sum_up();

  struct Content {
    double weight;  // in whole skin pixels
    double area;    // the part of the box that the map shows, in pixels
    double density() const { return area > 0 ? weight / area : 0; }
  };
  Content inside(const CentredBox& box) const;
  // Of whole samples: columns left .. right - 1 and rows top .. bottom - 1, as far as they are on the map.
  Content inside_samples(int left, int top, int right, int bottom) const {
    left = std::clamp(left, 0, columns_);
    right = std::clamp(right, left, columns_);
    top = std::clamp(top, 0, rows_);
    bottom = std::clamp(bottom, top, rows_);
    const std::uint32_t* above = sums_.data() + static_cast<std::size_t>(top) * stride();
    const std::uint32_t* below = sums_.data() + static_cast<std::size_t>(bottom) * stride();
    const std::uint32_t sum = below[right] - below[left] - above[right] + above[left];
    const double tile = static_cast<double>(step_) * step_;
    return {sum * tile / fixed_one, (right - left) * tile * (bottom - top)};
  }
  // The mean weight, 0 .. 1, in each pixel of a raster of side x side over the box, row by row; beyond the
  // map as at its edge. side: up to max_side.
  static constexpr int max_side = 128;
  void resample(const CentredBox& box, int side, float* raster) const;
  int columns() const { return columns_; }
  int rows() const { return rows_; }

 private:
  std::size_t stride() const { return static_cast<std::size_t>(columns_) + 1; }
  double up_to(double column, double row) const;  // weight above and to the left, in samples

  PixelBox region_;
  int step_ = 1, columns_ = 0, rows_ = 0;
  std::vector<std::uint16_t> samples_;
  std::vector<std::uint32_t> sums_;  // (columns + 1) x (rows + 1)
};

}  // namespace triptych::skin_tracker
