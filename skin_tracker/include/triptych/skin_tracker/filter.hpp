// The fuzzy skin filter: a plane in colour space whose positive side is skin, and the same plane in integers.
//
// The weight of a pixel is clamp(r R + g G + b B + d, 0, 1), with R, G, B from 0 to 255.
#pragma once

#include <triptych/core/host_device.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace triptych::skin_tracker {

struct LinearFilter {
  double r = 0, g = 0, b = 0, d = 0;
  friend bool operator==(const LinearFilter&, const LinearFilter&) = default;

  double weight(double red, double green, double blue) const {
    const double w = r * red + g * green + b * blue + d;
    return w < 0 ? 0 : w > 1 ? 1 : w;
  }
};

// For any person and camera, when there is no face to calibrate on: weight 1/2 where red is well above green
// and blue, 0 for grey.
inline constexpr LinearFilter generic_skin_filter{0.022, -0.016, -0.007, -0.35};

// "R,G,B,D", as on a command line. InvalidArgument, which says what was expected, for any other text.
LinearFilter parse_filter(std::string_view text);
// The inverse: parse_filter() returns the same numbers.
std::string to_string(const LinearFilter& filter);

// The integer for weight 1.
inline constexpr int fixed_one = 65535;

// The filter over the three bytes of a pixel (red, green, blue in this order for every RGB format; or Y, U,
// V), scaled to integers so that no sum overflows 32 bits. The same bits on every machine.
struct FixedFilter {
  std::int32_t c0 = 0, c1 = 0, c2 = 0;
  std::int32_t offset = 0;  // includes half of 1 << shift, for rounding
  std::int32_t shift = 0;

  // 0 .. fixed_one
  TRIPTYCH_HD std::int32_t weight(std::int32_t v0, std::int32_t v1, std::int32_t v2) const {
    const std::int32_t w = c0 * v0 + c1 * v1 + c2 * v2 + offset;
    const std::int32_t most = fixed_one << shift;
    return (w < 0 ? 0 : w > most ? most : w) >> shift;
  }
  friend bool operator==(const FixedFilter&, const FixedFilter&) = default;
};

// The meaning of the three bytes of a pixel. yuv is full-range BT.601, yuv_video its video range (16 .. 235).
enum class Channels { rgb, yuv, yuv_video };

// Uses the largest shift (at most 14) that keeps every sum below 2^31. For yuv the conversion to RGB is part
// of the plane: RGB values are not clamped to 0 .. 255 before the filter, as those of a converted frame are.
// InvalidArgument when a coefficient is not finite, the plane is too steep for any shift, or the channels are
// unknown.
FixedFilter fix(const LinearFilter& filter, Channels channels = Channels::rgb);

// The largest error of FixedFilter::weight() / fixed_one.
double largest_error(const FixedFilter& filter);

}  // namespace triptych::skin_tracker
