// The kernels of pass_kernels.inl compiled for each instruction set, and the choice among them.
#include <triptych/core/simd/dispatch.hpp>
#include <triptych/core/simd/pack.hpp>

#include <cstddef>

#include "fit/cpu/pass_kernels.hpp"

namespace triptych::aam_fit {

namespace {

#define TRIPTYCH_SIMD_SOURCE "fit/cpu/pass_kernels.inl"
#include <triptych/core/simd/for_each_set.hpp>

}  // namespace

std::span<const CpuPath> available_pass_paths() { return simd::available_paths(); }

PassKernels pass_kernels(CpuPath path) {
  path = pick_cpu_path(path, available_pass_paths());
  return TRIPTYCH_SIMD_CHOOSE(path, kernels);
}

}  // namespace triptych::aam_fit
