// Random frames of any format, pitch and alignment, on the host and on the GPU.
#pragma once

#include <triptych/core/buffer.hpp>
#include <triptych/skin_tracker/frame.hpp>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "skin_tracker/frame/formats.hpp"
#include "testing/random.hpp"

namespace triptych::test {

// A frame of random bytes whose rows are `padding` bytes apart and whose planes begin `offset` bytes after a
// multiple of 256. Sizes are rounded up to what the format takes.
class RandomFrame {
 public:
  RandomFrame(skin_tracker::FrameFormat format, int width, int height, std::uint64_t seed, int padding = 0,
              int offset = 0)
      : format_(format),
        width_(is_yuv() ? (width + 1) / 2 * 2 : width),
        height_(has_chroma() ? (height + 1) / 2 * 2 : height),
        pitch_(std::int64_t{width_} * skin_tracker::bytes_per_pixel(format) + padding),
        chroma_pitch_(has_chroma() ? std::int64_t{width_} + padding : 0),
        offset_(offset) {
    chroma_begin_ = (offset_ + pitch_ * height_ + 255) / 256 * 256;
    const std::int64_t bytes = chroma_begin_ + offset_ + chroma_pitch_ * (height_ / 2);
    bytes_ = random_values<std::uint8_t>(bytes, 0, 255, seed);
  }

  skin_tracker::Frame host() const { return view<Space::host>(bytes_.data()); }
  // Of a copy at `data`, which is aligned to 256 bytes.
  skin_tracker::DeviceFrame device(const std::uint8_t* data) const { return view<Space::device>(data); }
  std::vector<std::uint8_t>& bytes() { return bytes_; }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }

  std::string words() const {
    return to_string(format_) + " " + std::to_string(width_) + " x " + std::to_string(height_) + ", pitch " +
           std::to_string(pitch_) + ", offset " + std::to_string(offset_);
  }

 private:
  bool has_chroma() const { return format_ == skin_tracker::FrameFormat::nv12; }
  bool is_yuv() const { return has_chroma() || format_ == skin_tracker::FrameFormat::yuyv; }

  template <Space space>
  skin_tracker::BasicFrame<space> view(const std::uint8_t* data) const {
    return {format_,      data + offset_, width_,
            height_,      pitch_,         has_chroma() ? data + chroma_begin_ + offset_ : nullptr,
            chroma_pitch_};
  }

  skin_tracker::FrameFormat format_;
  int width_, height_;
  std::int64_t pitch_, chroma_pitch_;
  std::int64_t offset_;
  std::int64_t chroma_begin_ = 0;
  std::vector<std::uint8_t> bytes_;
};

// The same frame in pinned memory.
class PinnedFrame {
 public:
  explicit PinnedFrame(const RandomFrame& frame)
      : frame_(frame), memory_(static_cast<std::int64_t>(frame.bytes().size())) {
    std::memcpy(memory_.data(), frame.bytes().data(), frame.bytes().size());
  }
  skin_tracker::Frame host() const {
    const skin_tracker::Frame f = frame_.host();
    const auto moved = [&](const std::uint8_t* p) {
      return p == nullptr ? nullptr : memory_.data() + (p - frame_.bytes().data());
    };
    return {f.format(),        moved(f.data()),       f.width(), f.height(), f.pitch_bytes(),
            moved(f.chroma()), f.chroma_pitch_bytes()};
  }
  std::uint8_t* data() { return memory_.data(); }  // its bytes lie as those of the frame that it was made of

 private:
  const RandomFrame& frame_;
  PinnedBuffer<std::uint8_t> memory_;
};

}  // namespace triptych::test
