// The frames that skin_tracker_bench has on a GPU, and the time to copy one there.
#pragma once

#include <triptych/core/buffer.hpp>
#include <triptych/core/stream.hpp>
#include <triptych/skin_tracker/frame.hpp>

#include <cstdint>
#include <span>

#include "skin_tracker/setup/frames.hpp"
#include "support/limits.hpp"

namespace triptych::bench {

// Random bytes in pinned and in device memory, seen as frames of any format.
class GpuFrames {
 public:
  static GpuFrames& instance(bool quick) {
    static GpuFrames frames(quick ? 16 : 64);
    return frames;
  }

  int count() const { return count_; }
  skin_tracker::Frame host(int k, skin_tracker::FrameFormat format = skin_tracker::FrameFormat::rgba) const {
    return view<Space::host>(host_.data() + offset(k), format);
  }
  skin_tracker::DeviceFrame device(int k,
                                   skin_tracker::FrameFormat format = skin_tracker::FrameFormat::rgba) const {
    return view<Space::device>(device_.data() + offset(k), format);
  }
  DeviceImageView<const Rgba8> image(int k) const {
    return {reinterpret_cast<const Rgba8*>(device_.data() + offset(k)), skin_width, skin_height};
  }
  std::span<const std::byte> memory() const { return std::as_bytes(host_.span()); }  // of all frames
  // From pinned memory to where device(k) is: the first bytes of a frame.
  void upload(int k, std::size_t bytes, StreamRef stream) {
    const auto n = static_cast<std::int64_t>(bytes);
    copy_to_device(std::span<const std::uint8_t>(host_.data() + offset(k), bytes),
                   DeviceSpan<std::uint8_t>(device_.data() + offset(k), n), stream);
  }

 private:
  explicit GpuFrames(int count)
      : count_(count),
        host_(static_cast<std::int64_t>(skin_bytes) * count),
        device_(static_cast<std::int64_t>(skin_bytes) * count) {
    fill_frames(host_.span());
    Stream stream;
    copy_to_device(std::span<const std::uint8_t>(host_.span()), device_.span(), stream);
    stream.synchronize();
  }

  // Far apart, so that frames one after the other share no cache.
  std::size_t offset(int k) const { return static_cast<std::size_t>(k * 7 % count_) * skin_bytes; }

  template <Space space>
  static skin_tracker::BasicFrame<space> view(const std::uint8_t* data, skin_tracker::FrameFormat format) {
    const bool nv12 = format == skin_tracker::FrameFormat::nv12;
    const std::int64_t pitch = std::int64_t{skin_width} * bytes_per_pixel(format);
    return {format,          data,  skin_width,
            skin_height,     pitch, nv12 ? data + pitch * skin_height : nullptr,
            nv12 ? pitch : 0};
  }

  int count_;
  PinnedBuffer<std::uint8_t> host_;
  DeviceBuffer<std::uint8_t> device_;
};

inline double bytes_of(skin_tracker::FrameFormat format) {
  const double pixels = double{skin_width} * skin_height;
  return format == skin_tracker::FrameFormat::nv12 ? 1.5 * pixels : pixels * bytes_per_pixel(format);
}

// The pure copy of an RGBA frame from pinned memory, until the host knows.
inline const Limit& copy_limit(bool quick) {
  static const Limit limit = [quick] {
    auto& frames = GpuFrames::instance(quick);
    Stream stream;
    const Timing timing = time_trials(200, [&](int k) {
      frames.upload(k, skin_bytes, stream);
      stream.synchronize();
    });
    return Limit{timing, static_cast<double>(skin_bytes)};
  }();
  return limit;
}

}  // namespace triptych::bench
