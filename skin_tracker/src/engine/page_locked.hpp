// Where a frame on the host lies for the GPU.
#pragma once

#include <triptych/skin_tracker/frame.hpp>

#include <optional>

namespace triptych::skin_tracker {

struct Whereabouts {
  bool page_locked = false;              // the GPU can fetch the pixels by itself
  std::optional<DeviceFrame> on_device;  // as it sees them, when it can read them in place
};
Whereabouts find(const Frame& frame);

}  // namespace triptych::skin_tracker
