#include "reduction/setup/gpu.hpp"

namespace triptych::bench {

// A build without CUDA has no GPU measurements.
void define_gpu_reductions(bool) {}

}  // namespace triptych::bench
