#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/frame.hpp>

#include <algorithm>
#include <string>

#include "frame/pixel_math.hpp"

namespace triptych::skin_tracker {

namespace {

struct FormatName {
  FrameFormat format;
  std::string_view text;
};
constexpr FormatName format_names[] = {{FrameFormat::rgb, "rgb"},   {FrameFormat::bgr, "bgr"},
                                       {FrameFormat::rgba, "rgba"}, {FrameFormat::bgra, "bgra"},
                                       {FrameFormat::nv12, "nv12"}, {FrameFormat::yuyv, "yuyv"}};

}  // namespace

std::string to_string(FrameFormat format) {
  for (const FormatName& name : format_names) {
    if (name.format == format) return std::string(name.text);
  }
  detail::throw_unknown_format(format);
}

FrameFormat parse_frame_format(std::string_view text) {
  std::string known;
  for (const FormatName& name : format_names) {
    if (name.text == text) return name.format;
    known += (known.empty() ? "" : ", ") + std::string(name.text);
  }
  throw InvalidArgument("\"" + std::string(text.substr(0, 80)) + "\" is no frame format; expected one of " +
                        known);
}

void check_region(const PixelBox& region, int width, int height) {
  require(region.x >= 0 && region.y >= 0 && region.width >= 0 && region.height >= 0 && region.x <= width &&
              region.y <= height && region.width <= width - region.x && region.height <= height - region.y,
          "a region of ", region.width, " x ", region.height, " at (", region.x, ", ", region.y,
          ") lies outside a frame of ", width, " x ", height, "; clip() it first");
}

namespace detail {

void throw_unknown_format(FrameFormat format) {
  throw InvalidArgument("there is no frame format number " + std::to_string(static_cast<int>(format)));
}

void check_frame(FrameFormat format, const void* data, std::int64_t pitch_bytes, const void* chroma,
                 std::int64_t chroma_pitch_bytes, std::int64_t width, std::int64_t height) {
  require(width >= 0 && height >= 0, "a frame cannot be ", width, " x ", height, " pixels");
  require(width <= max_width && height <= max_height, "a frame of ", width, " x ", height,
          " pixels is larger than ", max_width, " x ", max_height);
  constexpr std::int64_t max_pitch_bytes = std::int64_t{1} << 40;  // a frame's offsets fit 64 bits
  require(pitch_bytes <= max_pitch_bytes && chroma_pitch_bytes <= max_pitch_bytes,
          "the pitch of a frame is at most ", max_pitch_bytes, " bytes, not ",
          std::max(pitch_bytes, chroma_pitch_bytes));
  const std::int64_t row_bytes = width * bytes_per_pixel(format);
  require(pitch_bytes >= row_bytes, "the rows of a ", to_string(format), " frame ", width,
          " pixels wide take ", row_bytes, " bytes, more than the pitch of ", pitch_bytes);
  require(format != FrameFormat::yuyv || width % 2 == 0, "a yuyv frame cannot be ", width,
          " pixels wide: the width must be even");
  require(format != FrameFormat::nv12 || (width % 2 == 0 && height % 2 == 0), "an nv12 frame cannot be ",
          width, " x ", height, " pixels: width and height must be even");
  const bool empty = width == 0 || height == 0;
  require(data != nullptr || empty, "a frame of ", width, " x ", height, " has no data (null pointer)");
  if (format == FrameFormat::nv12) {
    require(chroma != nullptr || empty, "an nv12 frame of ", width, " x ", height,
            " has no plane of U and V (null pointer)");
    require(chroma_pitch_bytes >= width, "the rows of U and V of an nv12 frame ", width, " pixels wide take ",
            width, " bytes, more than the pitch of ", chroma_pitch_bytes);
  } else {
    require(chroma == nullptr, "a ", to_string(format), " frame has one plane, but a second one was given");
  }
}

}  // namespace detail

}  // namespace triptych::skin_tracker
