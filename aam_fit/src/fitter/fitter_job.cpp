// The frames of a call of the GPU engine of Fitter.
#include <algorithm>

#include "fitter/fitter_job.hpp"

namespace triptych::aam_fit {

namespace {

bool same_frame(const ImageView<const Grey8>& a, const ImageView<const Grey8>& b) {
  return a.data() == b.data() && a.width() == b.width() && a.height() == b.height() &&
         a.pitch_bytes() == b.pitch_bytes();
}

}  // namespace

void Job::set_frames(std::span<const DeviceFace> faces) {
  FrameOnDevice* on_device = pinned_frames.data();
  for (const DeviceFace& face : faces)
    *on_device++ = {reinterpret_cast<const std::uint8_t*>(face.frame.data()), face.frame.pitch_bytes(),
                    static_cast<std::int32_t>(face.frame.width()),
                    static_cast<std::int32_t>(face.frame.height())};
}

void Job::set_frames(std::span<const Face> faces) {
  std::int64_t bytes = 0;
  const auto is_first = [&](std::size_t i) {  // of those that show the same frame
    for (std::size_t k = 0; k < i; ++k)
      if (same_frame(faces[k].frame, faces[i].frame)) return k;
    return i;
  };
  for (std::size_t i = 0; i < faces.size(); ++i)
    if (is_first(i) == i) bytes += faces[i].frame.width() * faces[i].frame.height();
  if (bytes > pixels.size()) {
    stream.synchronize();
    staging = PinnedBuffer<std::uint8_t>(bytes);
    pixels = DeviceBuffer<std::uint8_t>(bytes);
  }
  std::int64_t at = 0;
  for (std::size_t i = 0; i < faces.size(); ++i) {
    const auto& frame = faces[i].frame;
    FrameOnDevice& on_device = pinned_frames.data()[i];
    if (const std::size_t first = is_first(i); first < i) {
      on_device = pinned_frames.data()[first];
      continue;
    }
    for (std::int64_t y = 0; y < frame.height(); ++y)
      std::copy_n(reinterpret_cast<const std::uint8_t*>(frame.row(y).data()), frame.width(),
                  staging.data() + at + y * frame.width());
    on_device = {pixels.data() + at, frame.width(), static_cast<std::int32_t>(frame.width()),
                 static_cast<std::int32_t>(frame.height())};
    at += frame.width() * frame.height();
  }
  copy_to_device(staging.span().first(static_cast<std::size_t>(at)), pixels.span().first(at), stream);
}

}  // namespace triptych::aam_fit
