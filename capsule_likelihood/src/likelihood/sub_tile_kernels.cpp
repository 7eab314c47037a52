// The kernels of sub_tile_kernels.inl compiled for each instruction set, and the choice among them.
#include <triptych/core/simd/dispatch.hpp>
#include <triptych/core/simd/pack.hpp>

#include "geometry/exact_math.hpp"
#include "likelihood/evaluate_paths.hpp"
#include "likelihood/sub_tile_kernels.hpp"

namespace triptych::capsule_likelihood {

namespace {

#define TRIPTYCH_SIMD_SOURCE "likelihood/sub_tile_kernels.inl"
#include <triptych/core/simd/for_each_set.hpp>

}  // namespace

std::span<const CpuPath> available_cpu_paths() { return simd::available_paths(); }

SubTileKernels sub_tile_kernels(CpuPath path) {
  path = pick_cpu_path(path, available_cpu_paths());
  return TRIPTYCH_SIMD_CHOOSE(path, kernels);
}

}  // namespace triptych::capsule_likelihood
