// The one-pass kernel for up to 20 modes.
#include "one_pass_kernels.cuh"

namespace triptych::aam_fit {

OnePassKernel one_pass_kernel_20(Keep keep) { return one_pass_kernel_of<3>(keep); }

}  // namespace triptych::aam_fit
