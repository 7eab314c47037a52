// Every CPU path of the one pass: the same kernels compiled for each.
#include "fit/cpu/pass_kernels.hpp"

#include <cstddef>
#include <vector>

#include "fit/cpu/pass_avx2.hpp"
#include "fit/cpu/pass_avx512.hpp"
#include "fit/cpu/pass_neon.hpp"
#include "fit/cpu/pass_plain.hpp"

#define TRIPTYCH_LANES_INLINE inline __attribute__((always_inline))

namespace triptych::aam_fit {

namespace {

namespace plain {
#define TRIPTYCH_LANES PassPlain
#define TRIPTYCH_LANES_TARGET
#include "fit/cpu/pass_lanes.inl"
#undef TRIPTYCH_LANES
#undef TRIPTYCH_LANES_TARGET
}  // namespace plain

#if defined(__x86_64__)
namespace avx2 {
#define TRIPTYCH_LANES PassAvx2
#define TRIPTYCH_LANES_TARGET TRIPTYCH_PASS_AVX2
#include "fit/cpu/pass_lanes.inl"
#undef TRIPTYCH_LANES
#undef TRIPTYCH_LANES_TARGET
}  // namespace avx2
namespace avx512 {
#define TRIPTYCH_LANES PassAvx512
#define TRIPTYCH_LANES_TARGET TRIPTYCH_PASS_AVX512
#include "fit/cpu/pass_lanes.inl"
#undef TRIPTYCH_LANES
#undef TRIPTYCH_LANES_TARGET
}  // namespace avx512
#elif defined(__aarch64__)
namespace neon {
#define TRIPTYCH_LANES PassNeon
#define TRIPTYCH_LANES_TARGET
#include "fit/cpu/pass_lanes.inl"
#undef TRIPTYCH_LANES
#undef TRIPTYCH_LANES_TARGET
}  // namespace neon
#endif

std::vector<CpuPath> find_paths() {
  std::vector<CpuPath> paths{CpuPath::plain};
#if defined(__x86_64__)
  if (PassAvx2::available()) paths.push_back(CpuPath::avx2);
  if (PassAvx512::available()) paths.push_back(CpuPath::avx512);
#elif defined(__aarch64__)
  paths.push_back(CpuPath::neon);
#endif
  return paths;
}

}  // namespace

std::span<const CpuPath> available_pass_paths() {
  static const std::vector<CpuPath> paths = find_paths();
  return paths;
}

PassKernels pass_kernels(CpuPath path) {
  switch (pick_cpu_path(path, available_pass_paths())) {
#if defined(__x86_64__)
    case CpuPath::avx2:
      return {&avx2::shape, &avx2::tiles};
    case CpuPath::avx512:
      return {&avx512::shape, &avx512::tiles};
#elif defined(__aarch64__)
    case CpuPath::neon:
      return {&neon::shape, &neon::tiles};
#endif
    default:
      return {&plain::shape, &plain::tiles};
  }
}

}  // namespace triptych::aam_fit
