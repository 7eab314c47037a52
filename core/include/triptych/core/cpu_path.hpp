// The instruction sets for which a loop is written, by name, for tests and benches: a module says which of
// them a loop has on this machine, and all of them give the same bits.
#pragma once

#include <span>
#include <string>

namespace triptych {

// plain: one element after the other, on every machine. simd: the best of the others that this machine has.
enum class CpuPath { plain, avx2, avx512, neon, simd };

std::string to_string(CpuPath path);

// The path itself, or for simd the last of those available (which begin with plain and get better).
// InvalidArgument when it is not among them.
CpuPath pick_cpu_path(CpuPath wanted, std::span<const CpuPath> available);

}  // namespace triptych
