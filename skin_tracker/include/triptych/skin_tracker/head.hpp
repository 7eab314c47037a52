// The moments of a frame's skin weights, in exact integers, and the head that follows from them.
#pragma once

#include <triptych/core/host_device.hpp>

#include <cstdint>

namespace triptych::skin_tracker {

// Sums over pixels of the weight (0 .. fixed_one) times 1, x, y, x x, x y, y y. Coordinates count from the
// frame's middle, (width / 2, height / 2) in integers, which keeps second moments inside 64 bits. The moments
// of parts of one frame add up to those of the whole, bit for bit, in any order.
struct Moments {
  std::uint64_t weight = 0;
  std::int64_t x = 0, y = 0;
  std::uint64_t xx = 0;
  std::int64_t xy = 0;
  std::uint64_t yy = 0;

  TRIPTYCH_HD Moments& operator+=(const Moments& other) {
    weight += other.weight;
    x += other.x;
    y += other.y;
    xx += other.xx;
    xy += other.xy;
    yy += other.yy;
    return *this;
  }
  friend TRIPTYCH_HD Moments operator+(Moments a, const Moments& b) { return a += b; }
  friend bool operator==(const Moments&, const Moments&) = default;
};

struct Head {
  double x_px, y_px;              // centroid; pixel centres are at integers; NaN when nothing was found
  double weight_px;               // the sum of the weights, in pixels of weight 1
  double area;                    // share of the frame that is skin, 0 .. 1
  double xx_px2, xy_px2, yy_px2;  // covariance of the skin's position; NaN when nothing was found
  bool found;                     // false when no pixel has weight
};

// The head in a frame of that size. InvalidArgument when there is weight and the frame is empty.
Head head_of(const Moments& moments, int width, int height);

// The uniform ellipse that has the head's second moments; NaN when nothing was found.
struct HeadEllipse {
  double semi_major_px, semi_minor_px;
  double angle_rad;  // of the major axis, from x towards y, in (-pi/2, pi/2]
};
HeadEllipse ellipse_of(const Head& head);

// How densely the skin fills that ellipse: weight_px / (4 pi sqrt(det covariance)), at most 1. It is 1 for a
// solid ellipse of any size and near 0 for scattered skin; 0 when nothing was found or there is no
// covariance.
double score_of(const Head& head);

}  // namespace triptych::skin_tracker
