// The one-pass kernel for up to 36 modes.
#include "fit/cuda/one_pass_kernels.cuh"

namespace triptych::aam_fit {

OnePassKernel one_pass_kernel_36(Keep keep, bool search) {
  return search ? one_pass_kernel_of<5, true>(keep) : one_pass_kernel_of<5, false>(keep);
}

}  // namespace triptych::aam_fit
