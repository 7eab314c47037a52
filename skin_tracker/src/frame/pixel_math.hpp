// Reading a pixel of any format and its colour, for host and device, and the check of a region.
#pragma once

#include <triptych/core/host_device.hpp>
#include <triptych/core/pixel.hpp>
#include <triptych/skin_tracker/filter.hpp>
#include <triptych/skin_tracker/frame.hpp>
#include <triptych/skin_tracker/head.hpp>

#include <cstdint>
#include <type_traits>

namespace triptych::skin_tracker {

// NV12 and YUYV of cameras and decoders hold Y from 16 to 235: the filter is fixed for that.
constexpr Channels channels_of(FrameFormat format) {
  return format == FrameFormat::nv12 || format == FrameFormat::yuyv ? Channels::yuv_video : Channels::rgb;
}

constexpr bool is_blue_first(FrameFormat format) {
  return format == FrameFormat::bgr || format == FrameFormat::bgra;
}

// Calls of(the format as a type): format-dependent code is chosen once, not per pixel.
template <class Of>
auto by_format(FrameFormat format, Of of) {
  using F = FrameFormat;
  switch (format) {
    case F::rgb:
      return of(std::integral_constant<F, F::rgb>{});
    case F::bgr:
      return of(std::integral_constant<F, F::bgr>{});
    case F::rgba:
      return of(std::integral_constant<F, F::rgba>{});
    case F::bgra:
      return of(std::integral_constant<F, F::bgra>{});
    case F::nv12:
      return of(std::integral_constant<F, F::nv12>{});
    case F::yuyv:
      return of(std::integral_constant<F, F::yuyv>{});
  }
  detail::throw_unknown_format(format);
}

// InvalidArgument unless the region lies inside a frame of that size. An empty one does, where it starts
// inside.
void check_region(const PixelBox& region, int width, int height);

// Red, green, blue, or Y, U, V.
struct PixelBytes {
  std::int32_t v0, v1, v2;
};

// Pixel x of a row; chroma is the row of U and V that belongs to it (nv12 alone: row y / 2 of the second
// plane).
template <FrameFormat format>
TRIPTYCH_INLINE_HD PixelBytes read_pixel(const std::uint8_t* row, const std::uint8_t* chroma, int x) {
  if constexpr (format == FrameFormat::nv12) {
    const std::uint8_t* uv = chroma + (x & ~1);
    return {row[x], uv[0], uv[1]};
  } else if constexpr (format == FrameFormat::yuyv) {
    const std::uint8_t* pair = row + 2 * (x & ~1);
    return {pair[2 * (x & 1)], pair[1], pair[3]};
  } else {
    constexpr int red = is_blue_first(format) ? 2 : 0;
    const std::uint8_t* pixel = row + std::int64_t{bytes_per_pixel(format)} * x;
    return {pixel[red], pixel[1], pixel[2 - red]};
  }
}

// The colour of video-range BT.601 bytes, clamped to 0 .. 255, rounded to nearest; in integers, so that it is
// the same everywhere.
TRIPTYCH_INLINE_HD Rgb8 rgb_of_yuv(std::int32_t y, std::int32_t u, std::int32_t v) {
  constexpr double one = 1 << 20;
  constexpr auto of_y = static_cast<std::int32_t>(255.0 / 219 * one + 0.5);
  constexpr auto red_v = static_cast<std::int32_t>(1.402 * 255 / 224 * one + 0.5);
  constexpr auto green_u = static_cast<std::int32_t>(1.772 * 0.114 / 0.587 * 255 / 224 * one + 0.5);
  constexpr auto green_v = static_cast<std::int32_t>(1.402 * 0.299 / 0.587 * 255 / 224 * one + 0.5);
  constexpr auto blue_u = static_cast<std::int32_t>(1.772 * 255 / 224 * one + 0.5);
  constexpr std::int32_t half = 1 << 19;
  const std::int32_t grey = of_y * (y - 16) + half;
  const auto byte = [](std::int32_t sum) {
    const std::int32_t whole = sum >> 20;
    return static_cast<std::uint8_t>(whole < 0 ? 0 : whole > 255 ? 255 : whole);
  };
  return {byte(grey + red_v * (v - 128)), byte(grey - green_u * (u - 128) - green_v * (v - 128)),
          byte(grey + blue_u * (u - 128))};
}

// The colour of a pixel, the index of a table.
template <FrameFormat format>
TRIPTYCH_INLINE_HD Rgb8 colour_of(const PixelBytes& p) {
  if constexpr (channels_of(format) == Channels::rgb) {
    return {static_cast<std::uint8_t>(p.v0), static_cast<std::uint8_t>(p.v1),
            static_cast<std::uint8_t>(p.v2)};
  } else {
    return rgb_of_yuv(p.v0, p.v1, p.v2);
  }
}

// The moments of a row from its sums of weight, x weight and x x weight, with x from `first` columns right of
// the frame's middle; the row lies dy below the middle.
TRIPTYCH_INLINE_HD Moments moments_of_row(std::uint64_t weight, std::uint64_t x, std::uint64_t xx,
                                          std::int64_t first, std::int64_t dy) {
  const auto w = static_cast<std::int64_t>(weight);
  const auto local = static_cast<std::int64_t>(x);
  const std::int64_t sum_x = local + first * w;
  Moments moments;
  moments.weight = weight;
  moments.x = sum_x;
  moments.y = dy * w;
  moments.xx =
      static_cast<std::uint64_t>(static_cast<std::int64_t>(xx) + 2 * first * local + first * first * w);
  moments.xy = dy * sum_x;
  moments.yy = static_cast<std::uint64_t>(dy * dy * w);
  return moments;
}

}  // namespace triptych::skin_tracker
