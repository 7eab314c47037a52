// aam_fit_bench in a build without CUDA: nothing to measure on a GPU.
#include "aam_fit/setup/fits.hpp"

namespace triptych::bench {

void define_gpu_fits(bool) {}

}  // namespace triptych::bench
