// Properties of the current device for launches: the architecture for which a kernel was compiled, and the
// number of multiprocessors. For .cu files.
#pragma once

#include <triptych/core/cuda.cuh>

#include <array>
#include <atomic>

namespace triptych::reduction::detail {

// A cached number above 0 per device.
class PerDeviceNumber {
 public:
  // The cached number of the current device; calls query(device) at the first use.
  template <class Query>
  int get(Query query) {
    int device = 0;
    TRIPTYCH_CUDA_CHECK(cudaGetDevice(&device));
    auto& entry = numbers_[static_cast<std::size_t>(device) % numbers_.size()];
    int number = entry.load(std::memory_order_relaxed);
    if (number == 0) {
      number = query(device);
      entry.store(number, std::memory_order_relaxed);
    }
    return number;
  }

 private:
  std::array<std::atomic<int>, 64> numbers_{};
};

// 10 x major + minor of the compute capability that the kernel was compiled for. It is 75 when the driver
// compiled PTX for 7.5 on a newer GPU; code that needs 9.0 is then missing.
template <auto Kernel>
int kernel_arch() {
  static PerDeviceNumber numbers;
  return numbers.get([](int) {
    cudaFuncAttributes attributes{};
    TRIPTYCH_CUDA_CHECK(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(Kernel)));
    return attributes.ptxVersion;
  });
}

inline int multiprocessors() {
  static PerDeviceNumber numbers;
  return numbers.get([](int device) {
    int count = 0;
    TRIPTYCH_CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    return count;
  });
}

}  // namespace triptych::reduction::detail
