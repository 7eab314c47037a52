#include "reduction/setup/gpu.hpp"

namespace triptych::bench {

// Built without CUDA: there is no GPU to measure.
void define_gpu_reductions(bool) {}

}  // namespace triptych::bench
