// The published versions of the calculation by their names, beside ours: float sums on whole RGBA frames.
//
// cpu1: the loop of the paper, float32 sums in scan order (which miss the centroid by up to a pixel at 1080p
// and by far more at 8K). cpu2: weights from a table. cpu3: the same on all threads. gpu1 .. gpu8: the
// paper's kernels, which are strategies of the reduction module under one transform.
#pragma once

#include <triptych/core/stream.hpp>
#include <triptych/core/workspace.hpp>
#include <triptych/skin_tracker/locate.hpp>

#include <span>
#include <string_view>

namespace triptych::skin_tracker {

enum class Variant {
  gpu1,
  gpu2,
  gpu3,
  gpu4,
  gpu5,
  gpu6,
  gpu7,
  gpu8,
  cpu1,
  cpu2,
  cpu3,
  joint,    // gpu8 and cpu3, each a part of the frame
  fixed,    // integer sums on one core, no SIMD
  simd,     // integer sums on one core
  threads,  // integer sums on all cores
  fast,     // integer sums on the GPU
  cub,
  thrust  // integer sums by the libraries
};

std::span<const Variant> all_variants();
std::string_view to_string(Variant variant);
// InvalidArgument, which lists the names, for anything else.
Variant parse_variant(std::string_view name);
// Whether it runs on a GPU, on the CPU, or needs both.
bool needs_gpu(Variant variant);
bool needs_table(Variant variant);

// Float sums, as the paper has them: of weights from 0 to 1, and of weight times column and row.
struct FloatSums {
  float weight = 0, x = 0, y = 0;
};
Head head_of(const FloatSums& sums, int width, int height);

FloatSums sum_cpu1(ImageView<const Rgba8> frame, const LinearFilter& filter);
FloatSums sum_cpu2(ImageView<const Rgba8> frame, const WeightTable<float>& table);
FloatSums sum_cpu3(ImageView<const Rgba8> frame, const WeightTable<float>& table, int threads = 0);

// variant: gpu1 .. gpu8. Enqueues and returns.
void sum_gpu_variant(Variant variant, DeviceImageView<const Rgba8> frame, const LinearFilter& filter,
                     FloatSums* sums_on_device, Workspace& workspace, StreamRef stream);

}  // namespace triptych::skin_tracker
