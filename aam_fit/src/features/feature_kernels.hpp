// The inner loops of the features on the CPU, and which of them a machine has.
#pragma once

#include <triptych/core/cpu_path.hpp>

#include <cstdint>
#include <span>

namespace triptych::aam_fit {

// Three neighbouring rows of an image; the outer ones repeat the middle one at the border.
struct FeatureRows {
  const float *above, *row, *below;
  std::int64_t width;
};

struct FeatureKernels {
  // out[x] = weights[0] * centre[x] + sum over k = 1 .. radius of weights[k] * (before[k][x] + after[k][x]).
  // out overlaps nothing that is read.
  void (*blend)(const float* centre, const float* const* before, const float* const* after,
                const float* weights, std::int64_t radius, float* out, std::int64_t width);
  // The size of the gradient of each pixel of a row.
  void (*sizes)(const FeatureRows& rows, float* out);
  // The channels of each pixel of a row, for FeatureKind::gradient (2) and double_angle (4).
  void (*channels)(const FeatureRows& rows, const float* local_mean, int channels, float* const* out);
};

// Of the widest instruction set. All give the same numbers but for the rounding of products.
const FeatureKernels& feature_kernels();
FeatureKernels feature_kernels(CpuPath path);

}  // namespace triptych::aam_fit
