// Names of the instruction sets that a loop is written for. A module lists the paths that a loop has on this
// machine; all of them give the same bits. Tests and benches select one by name.
#pragma once

#include <span>
#include <string>

namespace triptych {

// plain: scalar code, on every machine. simd: the widest path that this machine has.
enum class CpuPath { plain, avx2, avx512, neon, simd };

std::string to_string(CpuPath path);

// Returns wanted itself, or for simd the last available path (they are ordered from plain to the widest).
// InvalidArgument when wanted is not available.
CpuPath pick_cpu_path(CpuPath wanted, std::span<const CpuPath> available);

}  // namespace triptych
