// Frames in pinned memory: a GPU copies from there at the full rate of the bus, and while the host goes on.
#pragma once

#include <triptych/core/buffer.hpp>

#include <common/frame_source.hpp>
#include <opencv2/core/mat.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace triptych::apps {

// The frames of another source, copied into pinned memory when pin is true; as they are otherwise.
class PinnedFrames : public FrameSource {
 public:
  // A pinned frame keeps its pixels until this many more frames were read: three in flight, the one that is
  // shown and the one that is read.
  static constexpr std::size_t slots = 5;

  PinnedFrames(std::unique_ptr<FrameSource> source, bool pin) : source_(std::move(source)), pin_(pin) {}

  // Unavailable when pin is true and there is no GPU.
  bool next(cv::Mat& frame) override;
  int count() const override { return source_->count(); }
  double frames_per_second() const override { return source_->frames_per_second(); }
  bool is_live() const override { return source_->is_live(); }
  std::string complaint() const override { return source_->complaint(); }

 private:
  std::unique_ptr<FrameSource> source_;
  bool pin_;
  cv::Mat read_;
  std::array<PinnedBuffer<std::uint8_t>, slots> buffers_;
  std::size_t slot_ = 0;
};

}  // namespace triptych::apps
