// Frame and DeviceFrame: a non-owning view of a colour frame as cameras and decoders deliver it, pitched, in
// host or device memory.
#pragma once

#include <triptych/core/box.hpp>
#include <triptych/core/image_view.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace triptych::skin_tracker {

// nv12: a plane of Y, then one of interleaved U V at half the resolution. yuyv: Y0 U Y1 V for two pixels.
// Both are BT.601 in video range (Y from 16 to 235).
enum class FrameFormat { rgb, bgr, rgba, bgra, nv12, yuyv };

std::string to_string(FrameFormat format);
// InvalidArgument, which lists the names, for anything else.
FrameFormat parse_frame_format(std::string_view name);
namespace detail {
[[noreturn]] void throw_unknown_format(FrameFormat format);
}

// Of the first plane.
constexpr int bytes_per_pixel(FrameFormat format) {
  switch (format) {
    case FrameFormat::nv12:
      return 1;
    case FrameFormat::yuyv:
      return 2;
    case FrameFormat::rgb:
    case FrameFormat::bgr:
      return 3;
    case FrameFormat::rgba:
    case FrameFormat::bgra:
      return 4;
  }
  detail::throw_unknown_format(format);
}

namespace detail {
void check_frame(FrameFormat format, const void* data, std::int64_t pitch_bytes, const void* chroma,
                 std::int64_t chroma_pitch_bytes, std::int64_t width, std::int64_t height);

template <class P>
inline constexpr bool is_colour = std::is_same_v<P, Rgb8> || std::is_same_v<P, Bgr8> ||
                                  std::is_same_v<P, Rgba8> || std::is_same_v<P, Bgra8>;
template <class P>
inline constexpr FrameFormat format_of = std::is_same_v<P, Rgb8>    ? FrameFormat::rgb
                                         : std::is_same_v<P, Bgr8>  ? FrameFormat::bgr
                                         : std::is_same_v<P, Rgba8> ? FrameFormat::rgba
                                                                    : FrameFormat::bgra;
}  // namespace detail

// Up to 8192 x 4352 pixels, so that second moments fit 64 bits.
inline constexpr int max_width = 8192;
inline constexpr int max_height = 4352;

template <Space space>
class BasicFrame {
 public:
  BasicFrame() = default;

  // InvalidArgument when the frame is larger than max_width x max_height, a pitch is smaller than a row or
  // above 2^40 bytes, a plane is missing, or the width (yuyv) or width and height (nv12) are odd. chroma is
  // for nv12 alone.
  BasicFrame(FrameFormat format, const std::uint8_t* data, std::int64_t width, std::int64_t height,
             std::int64_t pitch_bytes, const std::uint8_t* chroma = nullptr,
             std::int64_t chroma_pitch_bytes = 0)
      : data_(data),
        chroma_(chroma),
        pitch_bytes_(pitch_bytes),
        chroma_pitch_bytes_(chroma_pitch_bytes),
        width_(static_cast<int>(width)),
        height_(static_cast<int>(height)),
        format_(format) {
    detail::check_frame(format, data, pitch_bytes, chroma, chroma_pitch_bytes, width, height);
  }

  // P: Rgb8, Bgr8, Rgba8 or Bgra8, const or not.
  template <class P>
  requires detail::is_colour<std::remove_const_t<P>> BasicFrame(BasicImageView<P, space> image)
      : BasicFrame(detail::format_of<std::remove_const_t<P>>,
                   reinterpret_cast<const std::uint8_t*>(image.data()), image.width(), image.height(),
                   image.pitch_bytes()) {}

  FrameFormat format() const { return format_; }
  const std::uint8_t* data() const { return data_; }
  const std::uint8_t* chroma() const { return chroma_; }
  std::int64_t pitch_bytes() const { return pitch_bytes_; }
  std::int64_t chroma_pitch_bytes() const { return chroma_pitch_bytes_; }
  int width() const { return width_; }
  int height() const { return height_; }
  bool empty() const { return width_ == 0 || height_ == 0; }
  PixelBox whole() const { return {0, 0, width_, height_}; }

 private:
  const std::uint8_t* data_ = nullptr;
  const std::uint8_t* chroma_ = nullptr;
  std::int64_t pitch_bytes_ = 0;
  std::int64_t chroma_pitch_bytes_ = 0;
  int width_ = 0;
  int height_ = 0;
  FrameFormat format_ = FrameFormat::rgb;
};

using Frame = BasicFrame<Space::host>;
using DeviceFrame = BasicFrame<Space::device>;

}  // namespace triptych::skin_tracker
