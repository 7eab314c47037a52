// What the pixels of a frame add up to, in exact integers, and the head that follows from it.
#pragma once

#include <triptych/core/host_device.hpp>

#include <cstdint>

namespace triptych::skin_tracker {

// Sums over pixels of weight (0 .. fixed_one), weight times place, weight times place times place. The place
// of a pixel counts from the frame's middle, (width / 2, height / 2) in integers, which keeps second moments
// inside 64 bits. Sums of parts of one frame add up to the sums of the whole, bit by bit, in any order.
struct Sums {
  std::uint64_t weight = 0;
  std::int64_t x = 0, y = 0;
  std::uint64_t xx = 0;
  std::int64_t xy = 0;
  std::uint64_t yy = 0;

  TRIPTYCH_HD Sums& operator+=(const Sums& other) {
    weight += other.weight;
    x += other.x;
    y += other.y;
    xx += other.xx;
    xy += other.xy;
    yy += other.yy;
    return *this;
  }
  friend TRIPTYCH_HD Sums operator+(Sums a, const Sums& b) { return a += b; }
  friend bool operator==(const Sums&, const Sums&) = default;
};

struct Head {
  double x_px, y_px;              // centroid; pixel centres are at integers; NaN when nothing was found
  double weight_px;               // the sum of the weights: how many whole skin pixels
  double area;                    // share of the frame that is skin, 0 .. 1
  double xx_px2, xy_px2, yy_px2;  // covariance of the skin's place; NaN when nothing was found
  bool found;                     // false when no pixel has weight
};

// The head in a frame of that size.
Head head_of(const Sums& sums, int width, int height);

// The ellipse with the head's second moments: what a uniform ellipse of skin would have.
struct HeadEllipse {
  double semi_major_px, semi_minor_px;
  double angle_rad;  // of the major axis, from x towards y, in (-pi/2, pi/2]
};
HeadEllipse ellipse_of(const Head& head);

}  // namespace triptych::skin_tracker
