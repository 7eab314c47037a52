// Which paths this machine can run. Kernels are compiled for each by for_each_set.hpp, and one is chosen:
//
//   const CpuPath path = pick_cpu_path(CpuPath::simd, simd::available_paths());
//   TRIPTYCH_SIMD_CHOOSE(path, kernel)(arguments);
#pragma once

#include <triptych/core/cpu_path.hpp>

#include <span>

namespace triptych::simd {

// For kernels over pack.hpp: plain first, the best last.
std::span<const CpuPath> available_paths();
// For kernels over byte_triples.hpp, of which AVX-512 needs VNNI.
std::span<const CpuPath> available_byte_triple_paths();

}  // namespace triptych::simd
