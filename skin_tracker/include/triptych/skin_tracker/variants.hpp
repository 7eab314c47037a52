// The published versions of the calculation by their names, beside ours: whole RGBA frames.
//
// cpu1: the loop of the paper, float32 sums in scan order (which miss the centroid by up to a pixel at 1080p
// and by far more at 8K). cpu2: weights from a table. cpu3: the same on all threads. gpu1 .. gpu8: the
// paper's kernels, which are strategies of the reduction module under one transform.
#pragma once

#include <triptych/core/stream.hpp>
#include <triptych/core/workspace.hpp>
#include <triptych/skin_tracker/moments.hpp>

#include <memory>
#include <span>
#include <string>
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
std::string to_string(Variant variant);
// InvalidArgument, which lists the names, for anything else.
Variant parse_variant(std::string_view name);
bool needs_gpu(Variant variant);    // alone or beside the CPU
bool needs_table(Variant variant);  // a WeightTable<float>

// Float sums, as the paper has them: of weights from 0 to 1, and of weight times column and row.
struct FloatMoments {
  float weight = 0, x = 0, y = 0;
};
Head head_of(const FloatMoments& moments, int width, int height);

FloatMoments moments_cpu1(ImageView<const Rgba8> frame, const LinearFilter& filter);
FloatMoments moments_cpu2(ImageView<const Rgba8> frame, const WeightTable<float>& table);
FloatMoments moments_cpu3(ImageView<const Rgba8> frame, const WeightTable<float>& table, int threads = 0);
// Variant::fixed: the plain path of moments_cpu on one thread.
Moments moments_fixed(ImageView<const Rgba8> frame, const LinearFilter& filter);

// variant: gpu1 .. gpu8. Enqueues and returns.
void moments_gpu_variant(Variant variant, DeviceImageView<const Rgba8> frame, const LinearFilter& filter,
                         FloatMoments* moments_on_device, Workspace& workspace, StreamRef stream);

// Variant::joint: gpu8 computes the upper rows while cpu3 computes the others; the shares are balanced from
// frame to frame (load_balancer.hpp). One thread at a time.
class JointVariant {
 public:
  // For frames of that size, on the GPU that is current now and that many threads; 0: all cores.
  // InvalidArgument when a frame cannot have that size, Unavailable without a GPU.
  JointVariant(const LinearFilter& filter, int width, int height, int threads = 0);
  JointVariant(JointVariant&&) noexcept;
  JointVariant& operator=(JointVariant&&) noexcept;
  ~JointVariant();

  // The frame should be in pinned memory; a copy of pageable rows does not overlap with the CPU's work.
  // InvalidArgument when it has gaps between rows or another size.
  FloatMoments moments(ImageView<const Rgba8> frame);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace triptych::skin_tracker
