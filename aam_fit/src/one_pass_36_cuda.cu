// The one-pass kernel for up to 36 modes.
#include "one_pass_kernels.cuh"

namespace triptych::aam_fit {

OnePassKernel one_pass_kernel_36(Keep keep) { return one_pass_kernel_of<5>(keep); }

}  // namespace triptych::aam_fit
