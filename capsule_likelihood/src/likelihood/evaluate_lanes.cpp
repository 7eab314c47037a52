// Every CPU path of the culled likelihood: the same kernels compiled for each.
#include <triptych/core/error.hpp>

#include <algorithm>
#include <vector>

#include "likelihood/evaluate_kernels.hpp"
#include "likelihood/evaluate_paths.hpp"
#include "likelihood/lanes_avx2.hpp"
#include "likelihood/lanes_avx512.hpp"
#include "likelihood/lanes_neon.hpp"
#include "likelihood/lanes_plain.hpp"

namespace triptych::capsule_likelihood {

namespace {

namespace plain {
#define TRIPTYCH_LANES PlainLanes
#define TRIPTYCH_LANES_TARGET
#include "likelihood/evaluate_lanes.inl"
#undef TRIPTYCH_LANES
#undef TRIPTYCH_LANES_TARGET
}  // namespace plain

#if defined(__x86_64__)
namespace avx2 {
#define TRIPTYCH_LANES Avx2Lanes
#define TRIPTYCH_LANES_TARGET TRIPTYCH_AVX2_FMA
#include "likelihood/evaluate_lanes.inl"
#undef TRIPTYCH_LANES
#undef TRIPTYCH_LANES_TARGET
}  // namespace avx2
namespace avx512 {
#define TRIPTYCH_LANES Avx512Lanes
#define TRIPTYCH_LANES_TARGET TRIPTYCH_AVX512_FMA
#include "likelihood/evaluate_lanes.inl"
#undef TRIPTYCH_LANES
#undef TRIPTYCH_LANES_TARGET
}  // namespace avx512
#elif defined(__aarch64__)
namespace neon {
#define TRIPTYCH_LANES NeonLanes
#define TRIPTYCH_LANES_TARGET
#include "likelihood/evaluate_lanes.inl"
#undef TRIPTYCH_LANES
#undef TRIPTYCH_LANES_TARGET
}  // namespace neon
#endif

std::vector<CpuPath> find_paths() {
  std::vector<CpuPath> paths{CpuPath::plain};
#if defined(__x86_64__)
  if (Avx2Lanes::available()) paths.push_back(CpuPath::avx2);
  if (Avx512Lanes::available()) paths.push_back(CpuPath::avx512);
#elif defined(__aarch64__)
  paths.push_back(CpuPath::neon);
#endif
  return paths;
}

}  // namespace

std::span<const CpuPath> available_cpu_paths() {
  static const std::vector<CpuPath> paths = find_paths();
  return paths;
}

PartKernels part_kernels(CpuPath path) {
  switch (pick_cpu_path(path, available_cpu_paths())) {
#if defined(__x86_64__)
    case CpuPath::avx2:
      return {&avx2::prepare_body, &avx2::may_meet_32, &avx2::gain_of_part};
    case CpuPath::avx512:
      return {&avx512::prepare_body, &avx512::may_meet_32, &avx512::gain_of_part};
#elif defined(__aarch64__)
    case CpuPath::neon:
      return {&neon::prepare_body, &neon::may_meet_32, &neon::gain_of_part};
#endif
    default:
      return {&plain::prepare_body, &plain::may_meet_32, &plain::gain_of_part};
  }
}

}  // namespace triptych::capsule_likelihood
