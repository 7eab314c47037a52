// The weight of a colour under each classifier: scalar functions in double, for host and device.
//
// numbers_of() converts a classifier to a struct that a kernel takes by value. It does not copy the cells of
// a histogram: a kernel passes the address of its own copy.
//
// Host and device give the same bits up to the rounding of exp, cos and sin. Every file that includes this
// header is compiled without fused multiply-add.
#pragma once

#include <triptych/core/error.hpp>
#include <triptych/core/host_device.hpp>
#include <triptych/skin_tracker/classifier.hpp>

#include <cmath>
#include <cstddef>

#include "colour/cell_weights.hpp"

namespace triptych::skin_tracker {

struct Point3 {
  double x, y, z;
};

TRIPTYCH_INLINE_HD double clamp_weight(double w) { return !(w > 0) ? 0 : w > 1 ? 1 : w; }  // NaN: 0

// Cr and Cb of full-range BT.601, not rounded; z is 0.
TRIPTYCH_INLINE_HD Point3 crcb_of(double r, double g, double b) {
  return {128 + 0.5 * r - 0.418688 * g - 0.081312 * b, 128 - 0.168736 * r - 0.331264 * g + 0.5 * b, 0};
}

// r / (r + g + b) and g / (r + g + b); black is treated as grey.
TRIPTYCH_INLINE_HD Point3 rg_of(double r, double g, double b) {
  const double sum = r + g + b;
  if (!(sum > 0)) return {1.0 / 3, 1.0 / 3, 0};
  return {r / sum, g / sum, 0};
}

// Saturation as radius, hue as angle (red at 0, green at 120 degrees), and value from 0 to 1.
TRIPTYCH_INLINE_HD Point3 hsv_of(double r, double g, double b) {
  const double most = r > g ? (r > b ? r : b) : (g > b ? g : b);
  const double least = r < g ? (r < b ? r : b) : (g < b ? g : b);
  const double range = most - least;
  if (!(range > 0)) return {0, 0, most / 255};
  double sixth = 0;
  if (most == r) {
    sixth = (g - b) / range;
  } else if (most == g) {
    sixth = 2 + (b - r) / range;
  } else {
    sixth = 4 + (r - g) / range;
  }
  const double angle = sixth * 1.0471975511965976;  // pi / 3
  const double saturation = range / most;
  return {saturation * cos(angle), saturation * sin(angle), most / 255};
}

TRIPTYCH_INLINE_HD Point3 point_of(ColourSpace space, double r, double g, double b) {
  switch (space) {
    case ColourSpace::crcb:
      return crcb_of(r, g, b);
    case ColourSpace::rg:
      return rg_of(r, g, b);
    case ColourSpace::hsv:
      return hsv_of(r, g, b);
    default:
      return {r, g, b};
  }
}

struct LinearNumbers {
  double r, g, b, d;
};

// The mean and the upper triangle of the precision matrix.
struct NormalNumbers {
  Point3 mean;
  double xx, xy, xz, yy, yz, zz;
  double log_scale;
};

struct GaussianNumbers {
  ColourSpace space;
  NormalNumbers skin, other;
};

struct EllipseNumbers {
  double mean_cr, mean_cb;
  double xx, xy, yy;
  double edge, softness;
};

struct HistogramNumbers {
  const float* share;
  int bits;
};

TRIPTYCH_INLINE_HD double weight_of(const LinearNumbers& f, double r, double g, double b) {
  return clamp_weight(f.r * r + f.g * g + f.b * b + f.d);
}

TRIPTYCH_INLINE_HD double log_density(const NormalNumbers& n, const Point3& p) {
  const double x = p.x - n.mean.x, y = p.y - n.mean.y, z = p.z - n.mean.z;
  const double distance2 =
      x * (n.xx * x + 2 * (n.xy * y + n.xz * z)) + y * (n.yy * y + 2 * n.yz * z) + n.zz * z * z;
  return n.log_scale - 0.5 * distance2;
}

TRIPTYCH_INLINE_HD double weight_of(const GaussianNumbers& pair, double r, double g, double b) {
  const Point3 p = point_of(pair.space, r, g, b);
  return clamp_weight(1 / (1 + exp(log_density(pair.other, p) - log_density(pair.skin, p))));
}

// The squared Mahalanobis distance from the centre of the ellipse.
TRIPTYCH_INLINE_HD double squared_distance(const EllipseNumbers& e, double r, double g, double b) {
  const Point3 p = crcb_of(r, g, b);
  const double x = p.x - e.mean_cr, y = p.y - e.mean_cb;
  return x * (e.xx * x + 2 * e.xy * y) + e.yy * y * y;
}

TRIPTYCH_INLINE_HD double weight_of(const EllipseNumbers& e, double r, double g, double b) {
  return clamp_weight(0.5 + (e.edge - squared_distance(e, r, g, b)) / e.softness);
}

// In integers and float: no conversion to double.
TRIPTYCH_INLINE_HD float weight_of(const HistogramNumbers& h, int r, int g, int b) {
  const float share = h.share[cell_of(h.bits, r, g, b)];
  return !(share > 0) ? 0 : share > 1 ? 1 : share;
}

// InvalidArgument for a classifier that is not valid.
template <class T>
void require_usable(const T&) {}
inline void require_usable(const GaussianPair& pair) {
  require(pair.space >= ColourSpace::rgb && pair.space <= ColourSpace::hsv,
          "there is no colour space number ", static_cast<int>(pair.space));
}
inline void require_usable(const HistogramRatio& histogram) {
  require(histogram.bits >= 1 && histogram.bits <= 8, "a histogram has 1 to 8 bits per channel, not ",
          histogram.bits);
  require(histogram.share.size() == std::size_t{1} << (3 * histogram.bits), "a histogram of ", histogram.bits,
          " bits per channel has ", std::size_t{1} << (3 * histogram.bits), " cells, not ",
          histogram.share.size());
}

inline LinearNumbers numbers_of(const LinearFilter& f) { return {f.r, f.g, f.b, f.d}; }

inline NormalNumbers numbers_of(const GaussianPair::Normal& n) {
  const auto& p = n.precision;
  return {{n.mean[0], n.mean[1], n.mean[2]}, p[0], p[1], p[2], p[4], p[5], p[8], n.log_scale};
}

inline GaussianNumbers numbers_of(const GaussianPair& pair) {
  return {pair.space, numbers_of(pair.skin), numbers_of(pair.other)};
}

inline EllipseNumbers numbers_of(const ChrominanceEllipse& e) {
  return {e.mean[0], e.mean[1], e.precision[0], e.precision[1], e.precision[2], e.edge, e.softness};
}

// The cells must outlive the numbers.
inline HistogramNumbers numbers_of(const HistogramRatio& h) { return {h.share.data(), h.bits}; }

}  // namespace triptych::skin_tracker
