// The kernels of feature_kernels.inl compiled for each instruction set, and the choice among them.
#include <triptych/core/simd/dispatch.hpp>
#include <triptych/core/simd/pack.hpp>

#include <algorithm>

#include "features/feature_kernels.hpp"
#include "features/features_math.hpp"

namespace triptych::aam_fit {

namespace {

// At a border the pixel itself takes the place of the missing neighbour.
float across(const FeatureRows& rows, std::int64_t x) {
  return half_difference(rows.row[std::max<std::int64_t>(x - 1, 0)],
                         rows.row[std::min(x + 1, rows.width - 1)]);
}
float down(const FeatureRows& rows, std::int64_t x) { return half_difference(rows.above[x], rows.below[x]); }

void put_size(const FeatureRows& rows, float* out, std::int64_t x) {
  out[x] = gradient_size(across(rows, x), down(rows, x));
}

void put_channels(const FeatureRows& rows, const float* local_mean, int channels, float* const* out,
                  std::int64_t x) {
  gradient_features(channels == 4 ? FeatureKind::double_angle : FeatureKind::gradient, 0, {}, across(rows, x),
                    down(rows, x), local_mean[x], [&](int c, float v) { out[c][x] = v; });
}

#define TRIPTYCH_SIMD_SOURCE "features/feature_kernels.inl"
#include <triptych/core/simd/for_each_set.hpp>

}  // namespace

FeatureKernels feature_kernels(CpuPath path) {
  path = pick_cpu_path(path, simd::available_paths());
  return TRIPTYCH_SIMD_CHOOSE(path, kernels);
}

const FeatureKernels& feature_kernels() {
  static const FeatureKernels widest = feature_kernels(CpuPath::simd);
  return widest;
}

}  // namespace triptych::aam_fit
