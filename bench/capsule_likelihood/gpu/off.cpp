// capsule_likelihood_bench in a build without CUDA: nothing to measure on a GPU.
#include "capsule_likelihood/setup/scenes.hpp"

namespace triptych::bench {

void define_gpu_capsules(bool) {}

}  // namespace triptych::bench
