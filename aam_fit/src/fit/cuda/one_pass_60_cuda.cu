// The one-pass kernel for up to 60 modes.
#include "fit/cuda/one_pass_kernels.cuh"

namespace triptych::aam_fit {

OnePassKernel one_pass_kernel_60(Keep keep, bool search) {
  return search ? one_pass_kernel_of<8, true>(keep) : one_pass_kernel_of<8, false>(keep);
}

}  // namespace triptych::aam_fit
