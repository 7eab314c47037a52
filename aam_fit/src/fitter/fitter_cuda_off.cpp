// Without CUDA: these functions link and throw Unavailable.
#include <triptych/core/device.hpp>

#include "fitter/fitter_engine.hpp"

namespace triptych::aam_fit {

std::unique_ptr<FitterEngine> make_cuda_fitter_engine(const Model&, const FitterOptions&, int) {
  throw_cuda_unavailable("Fitter on a GPU");
}

}  // namespace triptych::aam_fit
