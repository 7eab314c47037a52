#include <triptych/core/simd/dispatch.hpp>

#include <vector>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace triptych::simd {

namespace {

#if defined(__x86_64__)
// By cpuid: some compilers' __builtin_cpu_supports does not accept "f16c".
bool converts_halves() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}
#endif

std::vector<CpuPath> find_paths([[maybe_unused]] bool byte_triples) {
  std::vector<CpuPath> paths{CpuPath::plain};
#if defined(__x86_64__)
  const bool fused = __builtin_cpu_supports("fma");
  if (__builtin_cpu_supports("avx2") && fused && converts_halves()) paths.push_back(CpuPath::avx2);
  const bool vnni = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512vnni");
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && fused &&
      (vnni || !byte_triples))
    paths.push_back(CpuPath::avx512);
#elif defined(__aarch64__)
  paths.push_back(CpuPath::neon);
#endif
  return paths;
}

}  // namespace

std::span<const CpuPath> available_paths() {
  static const std::vector<CpuPath> paths = find_paths(false);
  return paths;
}

std::span<const CpuPath> available_byte_triple_paths() {
  static const std::vector<CpuPath> paths = find_paths(true);
  return paths;
}

}  // namespace triptych::simd
