#include "skin_tracker/setup/frames.hpp"

namespace triptych::bench {

// Built without CUDA: there is no GPU to measure.
void define_gpu_skin(bool) {}

}  // namespace triptych::bench
