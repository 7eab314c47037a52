// For which architecture the code of a kernel that would run on the current device was compiled. For .cu
// files.
#pragma once

#include <triptych/core/cuda.cuh>

#include <array>
#include <atomic>

namespace triptych::reduction::detail {

// 10 x major + minor of the compute capability the device code was written for: 75 when the driver translated
// PTX for 7.5 on a newer GPU, where what needs 9.0 is then compiled away. Asked once for each kernel and
// device.
template <auto Kernel>
int kernel_arch() {
  static std::array<std::atomic<int>, 64> known{};
  int device = 0;
  TRIPTYCH_CUDA_CHECK(cudaGetDevice(&device));
  auto& entry = known[static_cast<std::size_t>(device) % known.size()];
  int arch = entry.load(std::memory_order_relaxed);
  if (arch == 0) {
    cudaFuncAttributes attributes{};
    TRIPTYCH_CUDA_CHECK(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(Kernel)));
    arch = attributes.ptxVersion;
    entry.store(arch, std::memory_order_relaxed);
  }
  return arch;
}

}  // namespace triptych::reduction::detail
