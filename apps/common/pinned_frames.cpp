#include <common/pinned_frames.hpp>

namespace triptych::apps {

bool PinnedFrames::next(cv::Mat& frame) {
  if (!pin_) return source_->next(frame);
  if (!source_->next(read_)) return false;
  frame = cv::Mat();
  if (read_.empty()) return true;
  auto& buffer = buffers_[slot_];
  slot_ = (slot_ + 1) % slots;
  const auto bytes = static_cast<std::int64_t>(read_.total() * read_.elemSize());
  if (buffer.size() < bytes) buffer = PinnedBuffer<std::uint8_t>(bytes);
  frame = cv::Mat(read_.size(), read_.type(), buffer.data());
  read_.copyTo(frame);
  return true;
}

}  // namespace triptych::apps
