// DeviceGuard: makes a GPU current for a scope and restores the caller's current GPU at its end.
//
//   const DeviceGuard guard(device);      // allocations, streams and launches below use this device
#pragma once

#include <triptych/core/device.hpp>

namespace triptych {

// Acts on the calling thread, which must also destroy it. Guards may be nested. The destructor does not
// throw.
class DeviceGuard {
 public:
  // The device's GPU (the first one of a group). A CPU device changes nothing and needs no CUDA.
  explicit DeviceGuard(const Device& device) : DeviceGuard(device.ordinal()) {}
  // The GPU of that number; negative: changes nothing. Unavailable without a usable GPU, CudaError when there
  // is no such GPU; the current GPU is then unchanged.
  explicit DeviceGuard(int ordinal);
  ~DeviceGuard();
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  int restored_ = -1;  // the GPU that the destructor makes current; -1: none
};

// The number of the GPU that is current on the calling thread. Unavailable without a usable GPU.
int current_gpu();

}  // namespace triptych
