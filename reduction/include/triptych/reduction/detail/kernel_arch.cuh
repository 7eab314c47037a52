// What a launch has to know of the current device: the architecture for which a kernel's code was compiled,
// and the number of multiprocessors. For .cu files.
#pragma once

#include <triptych/core/cuda.cuh>

#include <array>
#include <atomic>

namespace triptych::reduction::detail {

// A number above 0 for each device, asked for once.
class KnownOfDevices {
 public:
  // ask(device) when it is not known yet.
  template <class Ask>
  int get(Ask ask) {
    int device = 0;
    TRIPTYCH_CUDA_CHECK(cudaGetDevice(&device));
    auto& entry = known_[static_cast<std::size_t>(device) % known_.size()];
    int number = entry.load(std::memory_order_relaxed);
    if (number == 0) {
      number = ask(device);
      entry.store(number, std::memory_order_relaxed);
    }
    return number;
  }

 private:
  std::array<std::atomic<int>, 64> known_{};
};

// 10 x major + minor of the compute capability the device code was written for: 75 when the driver translated
// PTX for 7.5 on a newer GPU, where what needs 9.0 is then compiled away.
template <auto Kernel>
int kernel_arch() {
  static KnownOfDevices known;
  return known.get([](int) {
    cudaFuncAttributes attributes{};
    TRIPTYCH_CUDA_CHECK(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(Kernel)));
    return attributes.ptxVersion;
  });
}

inline int multiprocessors() {
  static KnownOfDevices known;
  return known.get([](int device) {
    int count = 0;
    TRIPTYCH_CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    return count;
  });
}

}  // namespace triptych::reduction::detail
