// Without CUDA: these functions link and throw Unavailable.
#include <triptych/capsule_likelihood/likelihood.hpp>
#include <triptych/capsule_likelihood/tune.hpp>
#include <triptych/core/device.hpp>

namespace triptych::capsule_likelihood {

void evaluate_cuda(const DeviceRays&, DeviceMatrixView<const Capsule>, DeviceSpan<double>,
                   const EvaluateOptions&, Workspace&, StreamRef) {
  throw_cuda_unavailable("evaluate_cuda");
}

EvaluateOptions tune_evaluate_cuda(reduction::TuningCache&, const DeviceRays&,
                                   DeviceMatrixView<const Capsule>, Method, Workspace&, StreamRef) {
  throw_cuda_unavailable("tune_evaluate_cuda");
}

}  // namespace triptych::capsule_likelihood
