// What the float variants are held against: the paper's sums in double precision.
#pragma once

#include <triptych/core/image_view.hpp>
#include <triptych/core/pixel.hpp>
#include <triptych/skin_tracker/filter.hpp>

#include <cstdint>

namespace triptych::test {

struct DoubleSums {
  double weight = 0, x = 0, y = 0;  // all terms are positive
  double columns = 0, rows = 0;     // sums of the places alone
};

inline DoubleSums double_sums(ImageView<const Rgba8> frame, const skin_tracker::LinearFilter& filter) {
  DoubleSums sums;
  for (std::int64_t y = 0; y < frame.height(); ++y) {
    for (std::int64_t x = 0; x < frame.width(); ++x) {
      const Rgba8 p = frame.at(x, y);
      const double w = filter.weight(p.r, p.g, p.b);
      sums.weight += w;
      sums.x += w * static_cast<double>(x);
      sums.y += w * static_cast<double>(y);
      sums.columns += static_cast<double>(x);
      sums.rows += static_cast<double>(y);
    }
  }
  return sums;
}

}  // namespace triptych::test
