#include <triptych/core/buffer.hpp>
#include <triptych/core/device_guard.hpp>

#include <nanobind/stl/string_view.h>

#include <string>

#include "../compute.hpp"
#include "../streams.hpp"
#include "frames.hpp"

namespace triptych::python {

namespace {

using skin_tracker::FrameFormat;

const char* shape_of(OptionalFormat format) {
  if (!format) return "(height, width, 3 or 4)";
  switch (*format) {
    case FrameFormat::rgb:
    case FrameFormat::bgr:
      return "(height, width, 3)";
    case FrameFormat::rgba:
    case FrameFormat::bgra:
      return "(height, width, 4)";
    case FrameFormat::nv12:
      return "(height * 3 / 2, width)";
    case FrameFormat::yuyv:
      return "(height, width, 2)";
  }
  return "";
}

}  // namespace

OptionalFormat format_of(nb::handle format) {
  if (format.is_none()) return std::nullopt;
  std::string_view name;
  require(nb::try_cast(format, name, false), "format: expected a name, not a ", type_text(format));
  try {
    return skin_tracker::parse_frame_format(name);
  } catch (const InvalidArgument& problem) {
    throw InvalidArgument(std::string("format: ") + problem.what());
  }
}

FrameLayout layout_of(const Array& array, OptionalFormat format, bool first_axis_counts_frames) {
  const int rows = first_axis_counts_frames ? 1 : 0;
  const bool planes = format == FrameFormat::nv12;
  const int ndim = array.ndim() - rows;
  const std::int64_t channels = planes ? 1 : ndim == 3 ? array.shape(rows + 2) : 0;
  const bool fits = format ? channels == bytes_per_pixel(*format) : channels == 3 || channels == 4;
  require(array.is<std::uint8_t>() && ndim == (planes ? 2 : 3) && fits, array.argument(),
          ": expected uint8 of shape ", first_axis_counts_frames ? "(frames,) + " : "", shape_of(format),
          ", not ", array.describe(),
          !format && (ndim == 2 || channels == 2) ? "; for nv12 and yuyv give format=" : "");
  const std::int64_t width = array.shape(rows + 1), height = array.shape(rows);
  require(width > 0 && height > 0, array.argument(), ": the frame is empty: ", array.describe());
  require(width <= skin_tracker::max_width && height <= (planes ? 3 : 2) * skin_tracker::max_height / 2,
          array.argument(), ": a frame is at most ", skin_tracker::max_width, " x ", skin_tracker::max_height,
          " pixels, not ", array.describe());
  require(!planes || (width % 2 == 0 && height % 3 == 0), array.argument(),
          ": the height of nv12 is even and its array one and a half times as high, the width even, not ",
          array.describe());
  require(format != FrameFormat::yuyv || width % 2 == 0, array.argument(),
          ": the width of yuyv is even, not ", array.describe());
  const bool pixels = planes || array.stride(rows + 2) == 1;
  const bool row = width == 1 || array.stride(rows + 1) == channels;
  const std::int64_t pitch = height == 1 ? width * channels : array.stride(rows);
  require(pixels && row && pitch >= width * channels, array.argument(),
          ": the pixels of a row must be contiguous and the rows in order; see numpy.ascontiguousarray or "
          ".contiguous(), and format=\"bgr\" instead of reversed channels");
  return {format.value_or(channels == 3 ? FrameFormat::rgb : FrameFormat::rgba), width,
          planes ? height / 3 * 2 : height, pitch};
}

HostFrame::HostFrame(const Array& array, OptionalFormat format) {
  const FrameLayout layout = layout_of(array, format);
  if (!array.on_gpu()) {
    frame_ = frame_of<Space::host>(array, layout);
    return;
  }
  const DeviceGuard guard(array.ordinal());
  Event ready(Timing::off);
  array.record_ready(ready);
  const auto* const data = static_cast<const std::uint8_t*>(array.data());
  const std::int64_t bytes =
      (array.shape(0) - 1) * layout.pitch_bytes + layout.width * bytes_per_pixel(layout.format);
  copy_.resize(static_cast<std::size_t>(bytes));
  compute([&] {
    const StreamRef stream = import_stream(array.ordinal());
    stream.wait(ready);
    copy_to_host(DeviceSpan<const std::uint8_t>(data, bytes), std::span(copy_), stream);
    stream.synchronize();
  });
  frame_ = frame_at<Space::host>(copy_.data(), layout);
}

}  // namespace triptych::python
