#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

#include "gate/head_template.hpp"

namespace triptych::skin_tracker {

namespace {

using Plane = HeadTemplate::Plane;
constexpr int cells = HeadTemplate::cells;
constexpr std::size_t directions = GradientCells::directions;
constexpr float cell_area = GradientCells::cell_area;

constexpr double peak_width = 0.125;  // standard deviation of the wanted response, in boxes
constexpr float ridge = 0.01f;        // of the regression
constexpr float faint_contrast = 0.02f;
constexpr float brightness_weight = 0.3f;  // of that channel
constexpr int peak_radius = 2;             // in cells; what is farther is no part of the peak
constexpr double even_response = 0.005;    // deviations of less count as this much

constexpr std::size_t at(int x, int y) {
  return static_cast<std::size_t>(y) * cells + static_cast<std::size_t>(x);
}

// Fourier transform along y of all columns at once, by radix 2.
void transform_columns(Plane& real, Plane& imaginary, bool inverse) {
  constexpr int bits = std::bit_width(static_cast<unsigned>(cells)) - 1;
  static_assert(1 << bits == cells);
  struct Root {
    float cosine, sine;
  };
  static const std::array<Root, cells / 2> roots = [] {
    std::array<Root, cells / 2> made{};
    for (std::size_t i = 0; i < made.size(); ++i) {
      const double angle = -2 * std::numbers::pi * static_cast<double>(i) / cells;
      made[i] = {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
    }
    return made;
  }();
  for (int y = 0; y < cells; ++y) {
    int reversed = 0;
    for (int bit = 0; bit < bits; ++bit) reversed |= (y >> bit & 1) << (bits - 1 - bit);
    if (y >= reversed) continue;
    std::swap_ranges(&real[at(0, y)], &real[at(0, y)] + cells, &real[at(0, reversed)]);
    std::swap_ranges(&imaginary[at(0, y)], &imaginary[at(0, y)] + cells, &imaginary[at(0, reversed)]);
  }
  for (int half = 1; half < cells; half *= 2) {
    for (int y = 0; y < cells; ++y) {
      if ((y & half) != 0) continue;
      const int stride = cells / 2 / half;
      const Root root = roots[static_cast<std::size_t>(y & (half - 1)) * static_cast<std::size_t>(stride)];
      const float c = root.cosine, s = inverse ? -root.sine : root.sine;
      using Row = std::array<float, cells>;  // copies, which cannot overlap
      const auto row = [](const Plane& plane, int number) {
        Row copy;
        std::copy_n(plane.data() + at(0, number), cells, copy.begin());
        return copy;
      };
      const Row a = row(real, y), b = row(real, y + half);
      const Row p = row(imaginary, y), q = row(imaginary, y + half);
      for (std::size_t x = 0; x < cells; ++x) {
        const float u = c * b[x] - s * q[x], v = c * q[x] + s * b[x];
        real[at(0, y) + x] = a[x] + u;
        real[at(0, y + half) + x] = a[x] - u;
        imaginary[at(0, y) + x] = p[x] + v;
        imaginary[at(0, y + half) + x] = p[x] - v;
      }
    }
  }
}

void transpose(Plane& plane) {
  for (int y = 0; y < cells; ++y)
    for (int x = 0; x < y; ++x) std::swap(plane[at(x, y)], plane[at(y, x)]);
}

// The forward transform leaves the frequencies transposed, the inverse one expects them so.
void transform(Plane& real, Plane& imaginary, bool inverse) {
  transform_columns(real, imaginary, inverse);
  transpose(real);
  transpose(imaginary);
  transform_columns(real, imaginary, inverse);
}

// Falls to 0 towards the edges, where a circular correlation would join what does not meet.
const Plane& hann_window() {
  static const Plane window = [] {
    Plane made{};
    const auto hann = [](int i) { return 0.5 - 0.5 * std::cos(2 * std::numbers::pi * (i + 0.5) / cells); };
    for (int y = 0; y < cells; ++y)
      for (int x = 0; x < cells; ++x) made[at(x, y)] = static_cast<float>(hann(x) * hann(y));
    return made;
  }();
  return window;
}

// A shift of so many cells, as a circular transform counts it.
constexpr int wrapped(int shift) { return shift & (cells - 1); }
constexpr int unwrapped(int index) { return index < cells / 2 ? index : index - cells; }

// The transform of the wanted response. It is even, so the transform is real.
const Plane& wanted_response() {
  static const Plane wanted = [] {
    Plane made{}, imaginary{};
    constexpr double sigma = peak_width * cells / HeadTemplate::scale;
    for (int y = 0; y < cells; ++y) {
      for (int x = 0; x < cells; ++x) {
        const int u = unwrapped(x), v = unwrapped(y);
        made[at(x, y)] = static_cast<float>(std::exp(-0.5 * (u * u + v * v) / (sigma * sigma)));
      }
    }
    transform(made, imaginary, false);
    return made;
  }();
  return wanted;
}

// The top of the parabola through three values, relative to the middle one, which is the greatest.
double top(double before, double middle, double after) {
  const double bend = before - 2 * middle + after;
  return bend < 0 ? 0.5 * (before - after) / bend : 0;
}

}  // namespace

HeadTemplate::Picture::Picture(const WeightMap& brightness, const CentredBox& box) : imaginary_{}, box_(box) {
  const GradientCells seen(brightness, box.scaled(scale));
  const Plane& window = hann_window();
  for (std::size_t k = 0; k < directions; ++k) {
    for (std::size_t i = 0; i < window.size(); ++i) real_[k][i] = window[i] * seen.rise[k][i];
  }
  float mean = 0, squares = 0;
  for (const float value : seen.brightness) mean += value / (cells * cells);
  for (const float value : seen.brightness) squares += (value - mean) * (value - mean);
  const float contrast = std::sqrt(squares / (cells * cells)) + faint_contrast * cell_area;
  for (std::size_t i = 0; i < window.size(); ++i)
    real_[directions][i] = window[i] * brightness_weight * (seen.brightness[i] - mean) / contrast;
  for (std::size_t k = 0; k < channels; ++k) transform(real_[k], imaginary_[k], false);
}

void HeadTemplate::learn(const Picture& picture, double share) {
  const Plane& wanted = wanted_response();
  const float rate = known_ ? static_cast<float>(share) : 1.0f;
  Plane power{};
  for (std::size_t k = 0; k < Picture::channels; ++k) {
    const Plane &real = picture.real_[k], &imaginary = picture.imaginary_[k];
    for (std::size_t i = 0; i < power.size(); ++i) {
      real_[k][i] += rate * (wanted[i] * real[i] - real_[k][i]);
      imaginary_[k][i] += rate * (wanted[i] * imaginary[i] - imaginary_[k][i]);
      power[i] += real[i] * real[i] + imaginary[i] * imaginary[i];
    }
  }
  for (std::size_t i = 0; i < power.size(); ++i) power_[i] += rate * (power[i] - power_[i]);
  known_ = true;
}

HeadTemplate::Response HeadTemplate::match(const Picture& picture) const {
  Response response;
  response.box_ = picture.box_;
  Plane& sum = response.values_;
  Plane imaginary{};
  for (std::size_t k = 0; k < Picture::channels; ++k) {
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i] += real_[k][i] * picture.real_[k][i] + imaginary_[k][i] * picture.imaginary_[k][i];
      imaginary[i] += real_[k][i] * picture.imaginary_[k][i] - imaginary_[k][i] * picture.real_[k][i];
    }
  }
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const float divisor = (power_[i] + ridge) * (cells * cells);
    sum[i] /= divisor;
    imaginary[i] /= divisor;
  }
  transform(sum, imaginary, true);

  response.find_peak();
  return response;
}

double HeadTemplate::growth(double smaller, double larger) {
  if (std::max(smaller, larger) > 1) return larger > smaller ? max_growth : 1 / max_growth;
  return std::pow(max_growth, top(smaller, 1, larger));
}

void HeadTemplate::Response::find_peak() {
  const auto best = static_cast<int>(std::max_element(values_.begin(), values_.end()) - values_.begin());
  const int x = unwrapped(best % cells), y = unwrapped(best / cells);
  peak_ = value(x, y);
  const double u = x + top(value(x - 1, y), peak_, value(x + 1, y));
  const double v = y + top(value(x, y - 1), peak_, value(x, y + 1));
  peak_x_ = box_.x + u * scale * box_.width / cells;
  peak_y_ = box_.y + v * scale * box_.height / cells;

  double sum = 0, squares = 0, count = 0;
  for (int row = -cells / 2; row < cells / 2; ++row) {
    for (int column = -cells / 2; column < cells / 2; ++column) {
      if (std::max(std::abs(row), std::abs(column)) <= peak_radius) continue;
      const double other = value(x + column, y + row);
      sum += other;
      squares += other * other;
      ++count;
    }
  }
  const double mean = sum / count;
  sharpness_ = (peak_ - mean) / (std::sqrt(std::max(0.0, squares / count - mean * mean)) + even_response);
}

double HeadTemplate::Response::value(int x, int y) const {
  return double{values_[skin_tracker::at(wrapped(x), wrapped(y))]};
}

double HeadTemplate::Response::at(double x, double y) const {
  const double u = (x - box_.x) * cells / (scale * box_.width),
               v = (y - box_.y) * cells / (scale * box_.height);
  constexpr int most = cells / 2 - 1;
  if (!(std::abs(u) < most && std::abs(v) < most)) return 0;
  const int column = static_cast<int>(std::floor(u)), row = static_cast<int>(std::floor(v));
  const double right = u - column, below = v - row;
  return (value(column, row) * (1 - right) + value(column + 1, row) * right) * (1 - below) +
         (value(column, row + 1) * (1 - right) + value(column + 1, row + 1) * right) * below;
}

}  // namespace triptych::skin_tracker
