// Frame and DeviceFrame: a non-owning colour frame as cameras and decoders give it, pitched, in host or
// device memory.
#pragma once

#include <triptych/core/image_view.hpp>

#include <cstdint>
#include <string_view>

namespace triptych::skin_tracker {

// nv12: a plane of Y, then one of interleaved U V at half the resolution. yuyv: Y0 U Y1 V for two pixels.
// Both are BT.601 in video range (Y from 16 to 235), as cameras give them.
enum class FrameFormat { rgb, bgr, rgba, bgra, nv12, yuyv };

std::string_view to_string(FrameFormat format);
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

// The pixels [x, x + width) x [y, y + height) of a frame.
struct Region {
  int x = 0, y = 0, width = 0, height = 0;
  friend bool operator==(const Region&, const Region&) = default;
};

// The part of region that lies inside a frame of that size; empty (0 x 0 at 0, 0) when nothing does.
Region clip(const Region& region, int width, int height);

namespace detail {
void check_frame(FrameFormat format, const void* data, std::int64_t pitch_bytes, const void* chroma,
                 std::int64_t chroma_pitch_bytes, std::int64_t width, std::int64_t height);
}

// Up to 8192 x 4352 pixels, so that second moments fit 64 bits.
inline constexpr int max_width = 8192;
inline constexpr int max_height = 4352;

template <Space space>
class BasicFrame {
 public:
  BasicFrame() = default;

  // InvalidArgument when the frame is larger than max_width x max_height, a pitch is smaller than a row, a
  // plane is missing, or the width (yuyv) or width and height (nv12) are odd. chroma is for nv12 alone.
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

  BasicFrame(BasicImageView<const Rgb8, space> image) : BasicFrame(FrameFormat::rgb, image) {}
  BasicFrame(BasicImageView<const Bgr8, space> image) : BasicFrame(FrameFormat::bgr, image) {}
  BasicFrame(BasicImageView<const Rgba8, space> image) : BasicFrame(FrameFormat::rgba, image) {}
  BasicFrame(BasicImageView<const Bgra8, space> image) : BasicFrame(FrameFormat::bgra, image) {}

  FrameFormat format() const { return format_; }
  const std::uint8_t* data() const { return data_; }
  const std::uint8_t* chroma() const { return chroma_; }
  std::int64_t pitch_bytes() const { return pitch_bytes_; }
  std::int64_t chroma_pitch_bytes() const { return chroma_pitch_bytes_; }
  int width() const { return width_; }
  int height() const { return height_; }
  bool empty() const { return width_ == 0 || height_ == 0; }
  Region whole() const { return {0, 0, width_, height_}; }

 private:
  template <class P>
  BasicFrame(FrameFormat format, BasicImageView<P, space> image)
      : BasicFrame(format, reinterpret_cast<const std::uint8_t*>(image.data()), image.width(), image.height(),
                   image.pitch_bytes()) {}

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
