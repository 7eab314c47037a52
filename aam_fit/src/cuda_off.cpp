// The GPU's functions in a build without CUDA.
#include <triptych/core/device.hpp>
#include <triptych/core/error.hpp>

#include "fitter_engine.hpp"

namespace triptych::aam_fit {

std::unique_ptr<FitterEngine> make_cuda_fitter_engine(const Model&, const FitterOptions&, int) {
  throw Unavailable(cuda_unavailable_reason());
}

}  // namespace triptych::aam_fit
