#include <fstream>

#include "soak/soak.hpp"

#if TRIPTYCH_HAS_CUDA
#include <cuda_runtime_api.h>
#endif

namespace triptych::soak {

std::int64_t host_memory() {
  std::int64_t total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return 4096 * resident;
}

std::int64_t device_memory() {
#if TRIPTYCH_HAS_CUDA
  std::size_t available = 0, total = 0;
  if (cuda_device_count() > 0 && cudaMemGetInfo(&available, &total) == cudaSuccess)
    return static_cast<std::int64_t>(total - available);
#endif
  return 0;
}

}  // namespace triptych::soak
