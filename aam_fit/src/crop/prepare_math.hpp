// How a pixel of a crop is made of a frame's, along one axis: a box as wide as the pixel, and no less than a
// pixel of the frame, which makes it bilinear where the frame is enlarged. For host and device.
#pragma once

#include <triptych/aam_fit/prepare.hpp>
#include <triptych/core/host_device.hpp>

#include <cmath>
#include <cstdint>

namespace triptych::aam_fit {

// Crops that can be prepared: a start whose crop is none of these is refused, and a fit that arrives at one
// is lost. Sides of frames and crops, and distances from the frame, lie below 2^24 pixels, and a crop covers
// at most 32 times the frame's longer side, which bounds the taps of its pixels' boxes. False when a number
// is not finite.
constexpr double max_reach_px = 1 << 24, max_crop_frames = 32, min_crop_step = 1e-9;
TRIPTYCH_INLINE_HD bool is_within_reach(double x_px, double y_px) {
  return fabs(x_px) < max_reach_px && fabs(y_px) < max_reach_px;
}
TRIPTYCH_INLINE_HD bool is_within_reach(const Crop& crop, std::int64_t frame_width,
                                        std::int64_t frame_height) {
  const double side = crop.step * (crop.width > crop.height ? crop.width : crop.height);
  const auto frame = static_cast<double>(frame_width > frame_height ? frame_width : frame_height);
  return frame < max_reach_px && crop.step > min_crop_step && side < max_reach_px &&
         side <= max_crop_frames * frame && is_within_reach(crop.x_px, crop.y_px);
}

// The pixels first .. first + count - 1 of the frame lie under the box; beyond the border it repeats.
struct BoxTaps {
  double low, high;  // the box
  std::int32_t first, count;
};

// centre in pixels of the frame, limited to 2^30 either way.
TRIPTYCH_INLINE_HD BoxTaps box_taps(double centre, double step) {
  const double width = step > 1.0 ? step : 1.0;
  const double low = centre - 0.5 * width, high = centre + 0.5 * width;
  const auto first = static_cast<std::int32_t>(floor(low + 0.5));
  const auto last = static_cast<std::int32_t>(ceil(high - 0.5));
  return {low, high, first, last - first + 1};
}

// The share of the box that pixel i covers.
TRIPTYCH_INLINE_HD float box_weight(const BoxTaps& taps, std::int32_t i) {
  const double low = taps.low > i - 0.5 ? taps.low : i - 0.5;
  const double high = taps.high < i + 0.5 ? taps.high : i + 0.5;
  return high > low ? static_cast<float>((high - low) / (taps.high - taps.low)) : 0.0f;
}

TRIPTYCH_INLINE_HD std::int32_t clamp_to(std::int32_t i, std::int32_t size) {
  return i < 0 ? 0 : i >= size ? size - 1 : i;
}

}  // namespace triptych::aam_fit
