#include <triptych/skin_tracker/filter.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include "gate/weight_map.hpp"

namespace triptych::skin_tracker {

namespace {

constexpr double samples_across = 32;

// Part of one axis of the map, in samples: from first + from to last + to, where 0 <= from, to < 1.
struct Interval {
  int first, last;
  float from, to, per_length;
};
Interval interval(double begin, double end, int count) {
  const double length = std::min<double>(end - begin, count);
  begin = std::clamp(begin, 0.0, count - length);
  const int first = std::min(static_cast<int>(begin), count - 1);
  const int last = std::min(static_cast<int>(begin + length), count - 1);
  return {first, last, static_cast<float>(begin - first), static_cast<float>(begin + length - last),
          static_cast<float>(1 / length)};
}

}  // namespace

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

void WeightMap::resample(const CentredBox& box, int side, float* raster) const {
  const double width = box.width / side / step_, height = box.height / side / step_;
  const double left = (box.x - box.width / 2 - region_.x) / step_;
  const double top = (box.y - box.height / 2 - region_.y) / step_;
  std::array<Interval, max_side> columns;
  for (int x = 0; x < side; ++x)
    columns[static_cast<std::size_t>(x)] = interval(left + x * width, left + (x + 1) * width, columns_);
  std::array<float, max_samples + 1> along;  // the weight of a row of the raster, left of each sample
  for (int y = 0; y < side; ++y) {
    const Interval rows = interval(top + y * height, top + (y + 1) * height, rows_);
    const std::uint32_t* first = sums_.data() + static_cast<std::size_t>(rows.first) * stride();
    const std::uint32_t* last = sums_.data() + static_cast<std::size_t>(rows.last) * stride();
    for (std::size_t i = 0; i < stride(); ++i) {
      along[i] = (static_cast<float>(last[i] - first[i]) +
                  rows.to * static_cast<float>(last[i + stride()] - last[i]) -
                  rows.from * static_cast<float>(first[i + stride()] - first[i])) *
                 (rows.per_length / fixed_one);
    }
    for (int x = 0; x < side; ++x) {
      const Interval& c = columns[static_cast<std::size_t>(x)];
      const float *a = along.data() + c.first, *b = along.data() + c.last;
      *raster++ = (b[0] + c.to * (b[1] - b[0]) - a[0] - c.from * (a[1] - a[0])) * c.per_length;
    }
  }
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
