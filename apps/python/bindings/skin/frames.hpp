// Frames from arrays.
#pragma once

#include <triptych/skin_tracker/frame.hpp>

#include <cstdint>
#include <optional>
#include <vector>

#include "../arrays.hpp"

namespace triptych::python {

using OptionalFormat = std::optional<skin_tracker::FrameFormat>;

// The argument `format`; empty for None.
OptionalFormat format_of(nb::handle format);

// How the frames of an array lie in memory.
struct FrameLayout {
  skin_tracker::FrameFormat format = skin_tracker::FrameFormat::rgb;
  std::int64_t width = 0, height = 0, pitch_bytes = 0;
};

// The layout of an array of one frame or, when its first axis counts frames, of each. Without a format, 3
// channels are rgb and 4 are rgba. InvalidArgument, which names the argument, when the array is no frame of
// that format, is empty, or has gaps inside of a row.
FrameLayout layout_of(const Array& array, OptionalFormat format, bool first_axis_counts_frames = false);

template <Space space>
skin_tracker::BasicFrame<space> frame_at(const std::uint8_t* data, const FrameLayout& layout) {
  const bool planes = layout.format == skin_tracker::FrameFormat::nv12;
  return {layout.format,
          data,
          layout.width,
          layout.height,
          layout.pitch_bytes,
          planes ? data + layout.height * layout.pitch_bytes : nullptr,
          planes ? layout.pitch_bytes : 0};
}
template <Space space>
skin_tracker::BasicFrame<space> frame_of(const Array& array, const FrameLayout& layout) {
  return frame_at<space>(static_cast<const std::uint8_t*>(array.data()), layout);
}

// A frame that the host can read: the array itself, or a copy of an array on a GPU, taken after the work that
// writes it.
class HostFrame {
 public:
  HostFrame(const Array& array, OptionalFormat format);
  const skin_tracker::Frame& frame() const { return frame_; }

 private:
  std::vector<std::uint8_t> copy_;
  skin_tracker::Frame frame_;
};

}  // namespace triptych::python
