// For members that are made on the device named before them.
#pragma once

#include <triptych/core/device.hpp>

namespace triptych::skin_tracker {

inline Device activated(Device device) {
  device.activate();
  return device;
}

}  // namespace triptych::skin_tracker
