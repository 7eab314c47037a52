// The paths that this machine supports. for_each_set.hpp compiles a kernel for each; select one at run time:
//
//   const CpuPath path = pick_cpu_path(CpuPath::simd, simd::available_paths());
//   TRIPTYCH_SIMD_CHOOSE(path, kernel)(arguments);
#pragma once

#include <triptych/core/cpu_path.hpp>

#include <span>

namespace triptych::simd {

// For kernels over pack.hpp: plain first, the widest last.
std::span<const CpuPath> available_paths();
// For kernels over byte_triples.hpp, whose AVX-512 form needs VNNI.
std::span<const CpuPath> available_byte_triple_paths();

}  // namespace triptych::simd
