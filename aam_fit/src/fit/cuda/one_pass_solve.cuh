// The one-pass kernel's phases that add up all blocks' sums, solve and decide. Every block computes the same
// bits.
#pragma once

#include <triptych/reduction/collective/warp.cuh>

#include "fit/cuda/one_pass_fit.cuh"

namespace triptych::aam_fit {

// Gain, offset and contrast of the texture from the sums of one pass, for every thread.
struct PassGain {
  float beta, spread, alpha, per_alpha;
  bool contrast;
};
template <class L>
__device__ __forceinline__ PassGain pass_gain(const OnePassFit<L>& f, const float* sums) {
  const auto& level = f.g.level;
  const float S1 = sums[L::sum_slot], S2 = sums[L::squares_slot], beta = S1 * level.per_sample_f;
  const float spread = S2 - S1 * beta, dot = sums[2 * level.modes + 4] - beta * level.sum_g0_f;
  const float alpha = level.normalisation == Normalisation::projection
                          ? dot * level.per_g0g0_f
                          : texture_alpha(level.normalisation, dot, spread, level.g0g0_f);
  return {beta, spread, alpha, __fdividef(1.0f, alpha), has_contrast(alpha, spread, S2, level.g0g0_f)};
}

// |r|^2 from the sums of one pass at c and the products of c, by a whole warp; see docs/method.md. Sums and
// products are floats; what is made of them is double, since large terms cancel, and without a division,
// which would be most of its time.
template <class L>
__device__ __forceinline__ double pass_error(const OnePassFit<L>& f, const float* sums,
                                             const float* products_of_c, const float* c, const PassGain& gain,
                                             int lane) {
  const auto& level = f.g.level;
  const int m = level.modes;
  float texture = 0.0f, quadratic = 0.0f;
  for (int k = lane; k < m; k += 32) {
    texture = fmaf(sums[m + 4 + k], c[k], texture);
    quadratic = fmaf(products_of_c[m + 4 + k], c[k], quadratic);
  }
  texture = reduction::warp_sum(texture);
  quadratic = reduction::warp_sum(quadratic);
  const double S1 = sums[L::sum_slot], S2 = sums[L::squares_slot];
  const double beta = S1 * level.per_sample, per_alpha = gain.per_alpha;
  const double spread = fma(-S1, beta, S2);
  const double dot = fma(-beta, level.sum_g0, static_cast<double>(sums[2 * m + 4]));
  const double along =
      dot + fma(-beta, static_cast<double>(products_of_c[2 * m + 4]), static_cast<double>(texture));
  const double model = level.g0g0 + quadratic + 2.0 * products_of_c[2 * m + 5];
  return fma(per_alpha, fma(spread, per_alpha, -2.0 * along), model);
}

// Lane 0 of a warp: true when the trial is taken.
template <class L>
__device__ __forceinline__ bool judge_pass(const OnePassFit<L>& f, double error, const PassGain& gain,
                                           float outside, bool still) {
  FitState<double>& state = f.shared.state();
  const Evaluation<double> evaluation{error, gain.contrast, static_cast<std::int64_t>(outside)};
  if (state.evaluations > 0) return judge(state, f.g.rules, evaluation, still ? 0.0 : 1e30);
  begin(state, f.g.rules, evaluation);
  return true;
}

// Whole steps: the error of the pass before this one, while the sums of this one are on their way.
template <class L>
__device__ __forceinline__ void write_last_error(const OnePassFit<L>& f, OnePassThread thread) {
  if (f.evaluated == 0 || f.block != 0 || !thread.in_last_warp()) return;
  const std::uint32_t last = f.parity ^ 1;
  const float* const sums = f.shared.sums[last];
  const double e = pass_error(f, sums, f.shared.products_of_c[last][0], f.shared.parameters[f.set ^ 1][0],
                              pass_gain(f, sums), thread.lane());
  if (thread.lane() == 0) f.error(f.evaluated - 1) = static_cast<float>(e);
}

// Waits for all blocks' sums of a trial. Ends with a barrier.
template <class L>
__device__ __forceinline__ void receive_sums(const OnePassFit<L>& f, OnePassThread thread, int trial) {
  float* const sums = f.shared.sums[f.parity];
  const float* const scales = f.shared.scales;
  f.exchange(trial).receive(thread.t, f.tag, f.shared.shares, [=](int word, float3 total) {
    const int row = word % L::words_per_warp * 3, slot = word / L::words_per_warp * L::rows_per_warp + row;
    sums[slot] = total.x * scales[slot];
    if (row + 1 < L::rows_per_warp) sums[slot + 1] = total.y * scales[slot + 1];
    if (row + 2 < L::rows_per_warp) sums[slot + 2] = total.z * scales[slot + 2];
  });
}

// Receives trial by trial until one is taken, and computes the next parameters from it. False: the fit has
// ended.
template <class L>
__device__ __forceinline__ bool receive_and_solve(OnePassFit<L>& f, OnePassThread thread, bool still) {
  const int t = thread.t, q = f.parameter_count(), parameter = f.parameter(t);
  const float* const sums = f.shared.sums[f.parity];
  float* const next = f.shared.parameters[f.set ^ 1][0];
  for (int j = 0; j < f.count(); ++j) {
    receive_sums(f, thread, j);
    const PassGain gain = pass_gain(f, sums);
    const float* const here = f.shared.parameters[f.set][j];
    const float* const products_of_c = f.shared.products_of_c[f.parity][j];
    const float dp = t < q ? f.Rg0 + products_of_c[t] - (sums[t] - gain.beta * f.R1) * gain.per_alpha : 0.0f;
    if constexpr (!L::search) {  // every thread decides by itself; judge() is called at the end
      if (t < q) next[parameter] = here[parameter] + dp;
      f.current_set = f.set;
      return gain.contrast && sums[L::outside_slot] <= static_cast<float>(f.g.rules.max_outside_pixels) &&
             f.evaluated < f.g.rules.max_iterations;
    }
    if (thread.in_last_warp()) {
      const double e = pass_error(f, sums, products_of_c, here, gain, thread.lane());
      if (thread.lane() == 0) {
        f.shared.accepted = judge_pass(f, e, gain, sums[L::outside_slot], still) ? 1 : 0;
        if (f.block == 0 && f.shared.accepted != 0)
          f.error(f.shared.state().iterations) = static_cast<float>(e);
      }
    }
    __syncthreads();
    const bool running = f.shared.state().running;
    if (f.shared.accepted != 0) {
      f.current_set = f.set;
      f.current = j;
      if (t < q) {
        f.shared.step[t] = dp;
        next[parameter] = here[parameter] + dp;
      }
      return running;
    }
    if (!running) return false;
  }
  return true;
}

// The trials of the next pass: the whole step from what was taken, or smaller ones from where the fit is.
// Ends with a barrier.
template <class L>
__device__ __forceinline__ void choose_trials(OnePassFit<L>& f, OnePassThread thread) {
  if (f.current_set == f.set) {  // taken
    f.set ^= 1;
    f.tries = 1;
  } else {
    const int tried = f.shared.state().trial, parameter = f.parameter(thread.t);
    f.tries = min(f.g.group, f.g.rules.steps - tried);
    if (thread.t < f.parameter_count())
      for (int j = 0; j < f.tries; ++j)
        f.shared.parameters[f.set][j][parameter] =
            fmaf(1.0f / static_cast<float>(1 << (tried + j)), f.shared.step[thread.t],
                 f.shared.parameters[f.current_set][f.current][parameter]);
  }
  __syncthreads();
}

// By block 0.
template <class L>
__device__ __forceinline__ void write_result(const OnePassFit<L>& f, OnePassThread thread, bool still) {
  const int t = thread.t, lane = thread.lane();
  FitState<double>& state = f.shared.state();
  if (!L::search && thread.in_last_warp()) {
    const float* const sums = f.shared.sums[f.parity];
    const PassGain gain = pass_gain(f, sums);
    const double e = pass_error(f, sums, f.shared.products_of_c[f.parity][0],
                                f.shared.parameters[f.current_set][0], gain, lane);
    if (lane == 0) {
      f.error(f.evaluated - 1) = static_cast<float>(e);
      state.evaluations = f.evaluated - 1;
      state.iterations = max(f.evaluated - 2, 0);
      judge_pass(f, e, gain, sums[L::outside_slot], still);
    }
  }
  if (t < f.parameter_count())
    f.parameters()[t] = f.shared.parameters[f.current_set][f.current][f.parameter(t)];
  if (thread.in_last_warp() && lane == 0) {
    f.g.results[f.number()] = {static_cast<float>(state.error), state.iterations, state.evaluations,
                               static_cast<std::int32_t>(state.status)};
    f.g.epochs[f.number()] = f.tag;
  }
}

}  // namespace triptych::aam_fit
