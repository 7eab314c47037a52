#include <triptych/skin_tracker/filter.hpp>

#include <algorithm>
#include <cmath>

#include "gate/weight_map.hpp"

namespace triptych::skin_tracker {

namespace {
constexpr double samples_across = 32;
}

// 16384 samples of 65535 fit 32 bits; the last sums need columns + rows + 1 places more.
WeightMap::WeightMap() : samples_(max_samples), sums_(2 * max_samples + 2) {}

void WeightMap::place(const CentredBox& part, double finest_px, int frame_width, int frame_height,
                      std::size_t max_count) {
  const auto edge = [](double v, int most) { return static_cast<int>(std::clamp(v, 0.0, double(most))); };
  const int left = edge(std::floor(part.x - part.width / 2), frame_width - 1);
  const int top = edge(std::floor(part.y - part.height / 2), frame_height - 1);
  const int right = std::max(left + 1, edge(std::ceil(part.x + part.width / 2), frame_width));
  const int bottom = std::max(top + 1, edge(std::ceil(part.y + part.height / 2), frame_height));
  const int width = right - left, height = bottom - top;
  step_ = std::max(1, static_cast<int>(finest_px / samples_across));
  const auto count = [&] {
    return static_cast<std::size_t>(width / step_) * static_cast<std::size_t>(height / step_);
  };
  while (count() > max_count) ++step_;
  step_ = std::min({step_, width, height});
  columns_ = width / step_;
  rows_ = height / step_;
  region_ = {left, top, columns_ * step_, rows_ * step_};
}

std::span<std::uint16_t> WeightMap::samples() {
  return {samples_.data(), static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_)};
}

void WeightMap::sum_up() {
  const auto width = static_cast<std::size_t>(columns_) + 1;
  std::fill_n(sums_.begin(), width, 0u);
  const std::uint16_t* sample = samples_.data();
  for (std::size_t row = 1; row <= static_cast<std::size_t>(rows_); ++row) {
    std::uint32_t* const out = sums_.data() + row * width;
    const std::uint32_t* const above = out - width;
    std::uint32_t along = 0;
    out[0] = 0;
    for (std::size_t column = 1; column < width; ++column) {
      along += *sample++;
      out[column] = along + above[column];
    }
  }
}

double WeightMap::up_to(double column, double row) const {
  const int c = std::min(static_cast<int>(column), columns_ - 1);
  const int r = std::min(static_cast<int>(row), rows_ - 1);
  const double u = column - c, v = row - r;
  const std::uint32_t* at =
      sums_.data() + static_cast<std::size_t>(r) * static_cast<std::size_t>(columns_ + 1) + c;
  const std::uint32_t* below = at + columns_ + 1;
  return (at[0] * (1 - u) + at[1] * u) * (1 - v) + (below[0] * (1 - u) + below[1] * u) * v;
}

WeightMap::Content WeightMap::inside(const CentredBox& box) const {
  const double per_px = 1.0 / step_;
  const auto column = [&](double x) { return std::clamp((x - region_.x) * per_px, 0.0, double(columns_)); };
  const auto row = [&](double y) { return std::clamp((y - region_.y) * per_px, 0.0, double(rows_)); };
  const double left = column(box.x - box.width / 2), right = column(box.x + box.width / 2);
  const double top = row(box.y - box.height / 2), bottom = row(box.y + box.height / 2);
  const double sum = up_to(right, bottom) - up_to(left, bottom) - up_to(right, top) + up_to(left, top);
  const double tile = static_cast<double>(step_) * step_;
  return {sum * tile / fixed_one, (right - left) * (bottom - top) * tile};
}

}  // namespace triptych::skin_tracker
