// Whether a frame in host memory is pinned, and its address on the GPU.
#pragma once

#include <triptych/skin_tracker/frame.hpp>

#include <optional>

namespace triptych::skin_tracker {

struct PinnedFrameInfo {
  bool pinned = false;                   // the GPU copies the pixels without a staging buffer
  std::optional<DeviceFrame> on_device;  // the same pixels by device pointers, when the GPU can read in place
};
PinnedFrameInfo pinned_frame_info(const Frame& frame);

}  // namespace triptych::skin_tracker
