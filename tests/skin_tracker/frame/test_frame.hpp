// Frames of random bytes with any pitch, in memory that ends with the last row's last pixel and whose gaps
// hold garbage, and the sums over their pixels straight from the definition.
#pragma once

#include <triptych/skin_tracker/filter.hpp>
#include <triptych/skin_tracker/frame.hpp>
#include <triptych/skin_tracker/head.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "skin_tracker/frame/formats.hpp"
#include "testing/random.hpp"

namespace triptych::test {

inline bool is_yuv(skin_tracker::FrameFormat format) {
  return format == skin_tracker::FrameFormat::nv12 || format == skin_tracker::FrameFormat::yuyv;
}

class TestFrame {
  using FrameFormat = skin_tracker::FrameFormat;

 public:
  // The pitch is a row and `gap` bytes more.
  TestFrame(FrameFormat format, int width, int height, int gap, std::uint64_t seed)
      : format_(format),
        width_(width),
        height_(height),
        pitch_(width * skin_tracker::bytes_per_pixel(format) + gap) {
    plane_ = random_values<std::uint8_t>(plane_bytes(height, pitch_, gap), 0, 255, seed);
    if (format != FrameFormat::nv12) return;
    chroma_pitch_ = width + gap;
    chroma_ = random_values<std::uint8_t>(plane_bytes(height / 2, chroma_pitch_, gap), 0, 255, seed + 1);
  }

  skin_tracker::Frame frame() const {
    const bool two = format_ == FrameFormat::nv12;
    return {format_, plane_.data(), width_, height_, pitch_, two ? chroma_.data() : nullptr, chroma_pitch_};
  }

  // Everything between the rows becomes something else.
  void change_gaps() {
    change(plane_, pitch_, width_ * skin_tracker::bytes_per_pixel(format_));
    if (format_ == FrameFormat::nv12) change(chroma_, chroma_pitch_, width_);
  }
  std::uint8_t& byte(int x, int y) { return plane_[static_cast<std::size_t>(y * pitch_ + x)]; }

  // Red, green, blue or Y, U, V.
  std::array<int, 3> bytes(int x, int y) const {
    const auto at = [&](std::int64_t i) { return int{plane_[static_cast<std::size_t>(y * pitch_ + i)]}; };
    const auto uv = [&](int i) { return int{chroma_[static_cast<std::size_t>(y / 2 * chroma_pitch_ + i)]}; };
    switch (format_) {
      case FrameFormat::rgb:
        return {at(3 * x), at(3 * x + 1), at(3 * x + 2)};
      case FrameFormat::bgr:
        return {at(3 * x + 2), at(3 * x + 1), at(3 * x)};
      case FrameFormat::rgba:
        return {at(4 * x), at(4 * x + 1), at(4 * x + 2)};
      case FrameFormat::bgra:
        return {at(4 * x + 2), at(4 * x + 1), at(4 * x)};
      case FrameFormat::nv12:
        return {at(x), uv(x / 2 * 2), uv(x / 2 * 2 + 1)};
      default:
        return {at(2 * x), at(x / 2 * 4 + 1), at(x / 2 * 4 + 3)};
    }
  }

  // weight(bytes of a pixel) from 0 to fixed_one.
  template <class Weight>
  skin_tracker::Moments moments(const PixelBox& region, Weight weight) const {
    skin_tracker::Moments sums;
    for (int y = region.y; y < region.y + region.height; ++y) {
      for (int x = region.x; x < region.x + region.width; ++x) {
        const std::int64_t w = weight(bytes(x, y));
        const std::int64_t dx = x - width_ / 2, dy = y - height_ / 2;
        sums +=
            {static_cast<std::uint64_t>(w),           w * dx,      w * dy,
             static_cast<std::uint64_t>(w * dx * dx), w * dx * dy, static_cast<std::uint64_t>(w * dy * dy)};
      }
    }
    return sums;
  }
  skin_tracker::Moments moments(const PixelBox& region, const skin_tracker::FixedFilter& f) const {
    return moments(region, [&](const std::array<int, 3>& p) { return f.weight(p[0], p[1], p[2]); });
  }

 private:
  static std::int64_t plane_bytes(int rows, std::int64_t pitch, int gap) {
    return rows == 0 ? 0 : rows * pitch - gap;
  }
  static void change(std::vector<std::uint8_t>& plane, std::int64_t pitch, std::int64_t row) {
    for (std::size_t i = 0; i < plane.size(); ++i) {
      if (static_cast<std::int64_t>(i) % pitch >= row) plane[i] = static_cast<std::uint8_t>(~plane[i]);
    }
  }

  FrameFormat format_;
  int width_, height_;
  std::int64_t pitch_, chroma_pitch_ = 0;
  std::vector<std::uint8_t> plane_, chroma_;
};

// Red, green and blue of video-range BT.601, neither clamped nor rounded.
inline std::array<double, 3> exact_rgb_of_yuv(const std::array<int, 3>& p) {
  constexpr double of_red = 0.299, of_blue = 0.114;
  const double grey = (p[0] - 16) * 255.0 / 219;
  const double r = grey + 2 * (1 - of_red) * (p[2] - 128) * 255.0 / 224;
  const double b = grey + 2 * (1 - of_blue) * (p[1] - 128) * 255.0 / 224;
  const double g = (grey - of_red * r - of_blue * b) / (1 - of_red - of_blue);
  return {r, g, b};
}

}  // namespace triptych::test
