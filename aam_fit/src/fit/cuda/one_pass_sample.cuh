// The one-pass kernel's phases that make the samples of the trials: landmarks, then the image there.
#pragma once

#include <triptych/reduction/collective/warp.cuh>

#include "fit/cuda/one_pass_fit.cuh"

namespace triptych::aam_fit {

// The landmarks of all trials. True when the first trial moves none of them by more than min_move_px.
// Ends with a barrier.
template <class L>
__device__ __forceinline__ bool place_landmarks(OnePassFit<L>& f, OnePassThread thread) {
  const bool has_landmark = thread.landmark() < f.g.level.points;
  const float min_move2 = f.g.rules.min_move_px * f.g.rules.min_move_px;
  const int coordinate = thread.landmark() * 2 + thread.xy();
  bool moves = false;
  if (thread.warp() * 8 < f.g.level.points) {  // a warp that owns a landmark
    for (int j = 0; j < f.count(); ++j) {
      const float* p = f.shared.parameters[f.set][j];
      float sum = f.s0, other = 0.0f;
      const auto* c = reinterpret_cast<const float2*>(p + thread.half_of_modes() * (L::modes / 2));
#pragma unroll
      for (int k = 0; k < L::modes / 2; k += 2) {
        const float2 pair = c[k / 2];
        sum = fmaf(f.Qs[k], pair.x, sum);
        other = fmaf(f.Qs[k + 1], pair.y, other);
      }
      sum = reduction::group_sum<2>(sum + other);
      const float partner = reduction::shuffle_xor(sum, 2);
      const float placed =
          thread.xy() != 0 ? posed_y(partner, sum, p + L::modes) : posed_x(sum, partner, p + L::modes);
      if (has_landmark && thread.half_of_modes() == 0) f.shared.points[f.set][j][coordinate] = placed;
      if (j == 0) {
        const float d = has_landmark ? placed - f.shared.points[f.current_set][f.current][coordinate] : 0.0f;
        const float d2 = d * d;
        moves = !(d2 + reduction::shuffle_xor(d2, 2) <= min_move2);
      }
    }
  }
  return __syncthreads_or(moves) == 0;
}

// The samples of all trials, and how many of a warp's are outside the image. Ends with a barrier.
template <class L>
__device__ __forceinline__ void sample_image(OnePassFit<L>& f, OnePassThread thread) {
  const float sample_offset = f.g.level.sample_offset;
  for (int j = 0; j < f.count(); ++j) {
    const float* points = f.shared.points[f.set][j];
    float x = 0.0f;
    bool beyond = false;
    if (f.sample_warp.channel != no_channel) {
      const Sampled s = sample_at(f.plane, f.g.planes, f.sample_warp, points);
      x = s.value - sample_offset;
      beyond = s.outside && f.sample_warp.channel == 0;
    }
    if (thread.t < f.columns) f.samples[j * f.columns + thread.t] = x;
    int outside = __popc(__ballot_sync(~0u, beyond));
    for (int k = thread.t + one_pass_threads; k < f.columns; k += one_pass_threads) {
      PlanesOnDevice planes = f.g.planes;
      planes.data = f.g.data[f.number()];
      const SampledColumn more =
          sample_column(planes, sample_offset, f.g.level.sample_warps[f.first_column + k], points);
      f.samples[j * f.columns + k] = more.x;
      outside += __popc(__ballot_sync(~0u, more.outside));
    }
    if (thread.lane() == 0) f.shared.outside[j][thread.warp()] = outside;
  }
  __syncthreads();
}

}  // namespace triptych::aam_fit
