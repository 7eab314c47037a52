#include <triptych/core/error.hpp>
#include <triptych/skin_tracker/frame.hpp>

#include <algorithm>
#include <string>

namespace triptych::skin_tracker {

namespace {

struct Name {
  FrameFormat format;
  std::string_view text;
  int bytes_per_pixel;
};
constexpr Name names[] = {{FrameFormat::rgb, "rgb", 3},   {FrameFormat::bgr, "bgr", 3},
                          {FrameFormat::rgba, "rgba", 4}, {FrameFormat::bgra, "bgra", 4},
                          {FrameFormat::nv12, "nv12", 1}, {FrameFormat::yuyv, "yuyv", 2}};

const Name& name_of(FrameFormat format) {
  for (const Name& name : names) {
    if (name.format == format) return name;
  }
  throw InvalidArgument("there is no frame format number " + std::to_string(static_cast<int>(format)));
}

}  // namespace

std::string_view to_string(FrameFormat format) { return name_of(format).text; }

FrameFormat parse_frame_format(std::string_view text) {
  std::string known;
  for (const Name& name : names) {
    if (name.text == text) return name.format;
    known += (known.empty() ? "" : ", ") + std::string(name.text);
  }
  throw InvalidArgument("\"" + std::string(text.substr(0, 80)) + "\" is no frame format; expected one of " +
                        known);
}

int bytes_per_pixel(FrameFormat format) { return name_of(format).bytes_per_pixel; }

Region clip(const Region& region, int width, int height) {
  const std::int64_t left = std::max(region.x, 0);
  const std::int64_t top = std::max(region.y, 0);
  const std::int64_t right = std::min<std::int64_t>(std::int64_t{region.x} + region.width, width);
  const std::int64_t bottom = std::min<std::int64_t>(std::int64_t{region.y} + region.height, height);
  if (right <= left || bottom <= top) return {};
  return {static_cast<int>(left), static_cast<int>(top), static_cast<int>(right - left),
          static_cast<int>(bottom - top)};
}

namespace detail {

void check_frame(FrameFormat format, const void* data, std::int64_t pitch_bytes, const void* chroma,
                 std::int64_t chroma_pitch_bytes, std::int64_t width, std::int64_t height) {
  const Name& name = name_of(format);
  require(width >= 0 && height >= 0, "a frame cannot be ", width, " x ", height, " pixels");
  require(width <= most_width && height <= most_height, "a frame of ", width, " x ", height,
          " pixels is larger than ", most_width, " x ", most_height);
  require(pitch_bytes >= width * name.bytes_per_pixel, "the rows of a ", name.text, " frame ", width,
          " pixels wide take ", width * name.bytes_per_pixel, " bytes, more than the pitch of ", pitch_bytes);
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
    require(chroma == nullptr, "a ", name.text, " frame has one plane, but a second one was given");
  }
}

}  // namespace detail

}  // namespace triptych::skin_tracker
