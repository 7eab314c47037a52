// The ten kernels of the paper, with the sums of each in a fixed order. A kernel that sums writes one partial
// sum per block; every block of the next kernel adds those.
#include <triptych/core/cuda.cuh>
#include <triptych/reduction/autotune.hpp>
#include <triptych/reduction/collective/block.cuh>

#include <algorithm>

#include "fit/cuda/paper_cuda.hpp"

namespace triptych::aam_fit {

namespace {

constexpr int threads = 256;

struct PaperArguments {  // arguments of all kernels
  LevelOnDevice level;
  PlanesOnDevice planes;
  FitRules rules;
  PaperState* state;
  float *trial, *step, *product, *points, *texture, *model;
  double* partial;  // sums of four kinds, `blocks` each
  int blocks;
  float* parameters;
  DeviceLevelFit* result;
  float* errors;
};

// The sum over a block, for thread 0.
__device__ double block_sum(double value) {
  __shared__ double of_warp[threads / 32];
  __syncthreads();  // the sum before this one has been read
  return reduction::block_sum_in_order<threads>(value, of_warp);
}

// The sum of another kernel's sums, for every thread.
__device__ double total(const double* partial, int count) {
  __shared__ double sum;
  double mine = 0;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += threads) mine += partial[i];
  mine = block_sum(mine);
  if (threadIdx.x == 0) sum = mine;
  __syncthreads();
  return sum;
}

__device__ std::int64_t first_sample() { return std::int64_t{blockIdx.x} * threads + threadIdx.x; }
__device__ std::int64_t sample_stride() { return std::int64_t{gridDim.x} * threads; }

__global__ void start_kernel(const PaperArguments g) {
  if (threadIdx.x == 0) g.state->fit = FitState<double>{};
  for (int i = static_cast<int>(threadIdx.x); i < g.level.modes + 4; i += threads)
    g.trial[i] = g.parameters[i];
}

// 1: the trial's landmarks; a thread each.
__global__ void shape_kernel(const PaperArguments g) {
  if (!g.state->fit.running) return;
  const int m = g.level.modes, count = 2 * g.level.points;
  bool moves = false;
  for (int i = static_cast<int>(threadIdx.x); i < g.level.points; i += threads) {
    float x = g.level.s0[2 * i], y = g.level.s0[2 * i + 1];
    const float *row_x = g.level.Qs + 2 * i * g.level.mode_stride, *row_y = row_x + g.level.mode_stride;
    for (int k = 0; k < m; ++k) {
      x = fmaf(row_x[k], g.trial[k], x);
      y = fmaf(row_y[k], g.trial[k], y);
    }
    const float X = posed_x(x, y, g.trial + m), Y = posed_y(x, y, g.trial + m);
    const float dx = X - g.points[count + 2 * i], dy = Y - g.points[count + 2 * i + 1];
    moves |= !(dx * dx + dy * dy <= g.rules.min_move_px * g.rules.min_move_px);
    g.points[2 * i] = X;
    g.points[2 * i + 1] = Y;
  }
  const bool any = __syncthreads_or(moves) != 0;
  if (threadIdx.x == 0) g.state->still = any ? 0 : 1;
}

// 2: the texture there, and 3's outside pixels counted on the way.
__global__ void sample_kernel(const PaperArguments g) {
  if (!g.state->fit.running) return;
  double outside = 0;
  for (std::int64_t i = first_sample(); i < g.level.samples; i += sample_stride()) {
    const SampledColumn s = sample_column(g.planes, g.level.sample_offset, g.level.sample_warps[i], g.points);
    g.texture[i] = s.x;
    outside += s.outside ? 1 : 0;
  }
  outside = block_sum(outside);
  if (threadIdx.x == 0) g.partial[3 * g.blocks + blockIdx.x] = outside;
}

// 3: sums of the texture.
__global__ void mean_kernel(const PaperArguments g) {
  if (!g.state->fit.running) return;
  double sum = 0;
  for (std::int64_t i = first_sample(); i < g.level.samples; i += sample_stride()) sum += g.texture[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) g.partial[blockIdx.x] = sum;
}

// 4: beta, and with it sums of (x - beta) g0 and (x - beta)^2.
__global__ void gain_kernel(const PaperArguments g) {
  if (!g.state->fit.running) return;
  const double beta = total(g.partial, g.blocks) / g.level.samples;
  const double outside = blockIdx.x == 0 ? total(g.partial + 3 * g.blocks, g.blocks) : 0;
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    g.state->beta = beta;
    g.state->outside = static_cast<std::int32_t>(outside);
  }
  const float* g0 = g.level.matrix + (2 * g.level.modes + 4) * g.level.padded;
  double dot = 0, spread = 0;
  for (std::int64_t i = first_sample(); i < g.level.samples; i += sample_stride()) {
    const double x = g.texture[i] - beta;
    dot += x * g0[i];
    spread += x * x;
  }
  dot = block_sum(dot);
  spread = block_sum(spread);
  if (threadIdx.x == 0) {
    g.partial[g.blocks + blockIdx.x] = dot;
    g.partial[2 * g.blocks + blockIdx.x] = spread;
  }
}

// 5: alpha.
__global__ void alpha_kernel(const PaperArguments g) {
  if (!g.state->fit.running) return;
  const double dot = total(g.partial + g.blocks, g.blocks);
  const double spread = total(g.partial + 2 * g.blocks, g.blocks);
  if (threadIdx.x == 0) {
    g.state->spread = spread;
    g.state->alpha = texture_alpha(g.level.normalisation, dot, spread, g.level.g0g0);
  }
}

// 6: the texture normalised.
__global__ void normalise_kernel(const PaperArguments g) {
  if (!g.state->fit.running) return;
  const auto beta = static_cast<float>(g.state->beta), gain = static_cast<float>(1.0 / g.state->alpha);
  for (std::int64_t i = first_sample(); i < g.level.samples; i += sample_stride())
    g.texture[i] = (g.texture[i] - beta) * gain;
}

// 7: the model's texture.
__global__ void model_kernel(const PaperArguments g) {
  if (!g.state->fit.running) return;
  const int m = g.level.modes;
  const float* Qg = g.level.matrix + (m + 4) * g.level.padded;
  for (std::int64_t i = first_sample(); i < g.level.samples; i += sample_stride()) {
    float sum = Qg[m * g.level.padded + i];  // g0
    for (int k = 0; k < m; ++k) sum = fmaf(Qg[k * g.level.padded + i], g.trial[k], sum);
    g.model[i] = sum;
  }
}

// 8: the residual, written over the texture, and sums of its squares.
__global__ void residual_kernel(const PaperArguments g) {
  if (!g.state->fit.running) return;
  double error = 0;
  for (std::int64_t i = first_sample(); i < g.level.samples; i += sample_stride()) {
    const float r = g.texture[i] - g.model[i];
    g.texture[i] = r;
    error += static_cast<double>(r) * r;
  }
  error = block_sum(error);
  if (threadIdx.x == 0) g.partial[blockIdx.x] = error;
}

// 10 (9 is reduction's product R r): judges the trial and writes the next one.
__global__ void update_kernel(const PaperArguments g) {
  __shared__ bool taken;
  __shared__ bool running;
  if (!g.state->fit.running) return;
  const double error = total(g.partial, g.blocks);
  const int q = g.level.modes + 4, points = 2 * g.level.points;
  if (threadIdx.x == 0) {
    PaperState& s = *g.state;
    // The sum of squares about sample_offset, from which a one-pass form takes the spread.
    const double squares = s.spread + g.level.samples * s.beta * s.beta;
    const Evaluation<double> evaluation{error, has_contrast(s.alpha, s.spread, squares, g.level.g0g0),
                                        s.outside};
    taken = begin_or_judge(s.fit, g.rules, evaluation, s.still != 0);
    running = s.fit.running;
    if (taken) g.errors[s.fit.iterations] = static_cast<float>(error);
    *g.result = {static_cast<float>(s.fit.error), s.fit.iterations, s.fit.evaluations,
                 static_cast<std::int32_t>(s.fit.status)};
  }
  __syncthreads();
  if (taken) {
    for (int i = static_cast<int>(threadIdx.x); i < q; i += threads) {
      g.parameters[i] = g.trial[i];
      g.step[i] = -g.product[i];
    }
    for (int i = static_cast<int>(threadIdx.x); i < points; i += threads) g.points[points + i] = g.points[i];
  }
  if (!running) return;
  const float scale = static_cast<float>(trial_scale(g.state->fit));
  for (int i = static_cast<int>(threadIdx.x); i < q; i += threads)
    g.trial[i] = fmaf(scale, g.step[i], g.parameters[i]);
}

}  // namespace

PaperFitCuda::PaperFitCuda(const LevelOnDevice& level, const FitRules& rules, StreamRef stream)
    : level_(level),
      rules_(rules),
      blocks_(std::clamp((level.samples + 2 * threads - 1) / (2 * threads), 1, 264)),
      state_(1),
      trial_(level.modes + 4),
      step_(level.modes + 4),
      product_(level.modes + 4),
      points_(4 * level.points),
      texture_(level.samples),
      model_(level.samples),
      partial_(4 * blocks_) {
  fill_bytes(points_.span(), 0, stream);
  fill_bytes(texture_.span(), 0, stream);
  reduction::TuningCache cache;
  plan_ = reduction::tune_multiply_cuda(cache, {level.matrix, level.modes + 4, level.samples, level.padded},
                                        texture_.span(), product_.span(), workspace_, stream);
  workspace_.reserve(reduction::row_workspace_bytes(level.modes + 4, plan_), stream);
  stream.synchronize();
}

void PaperFitCuda::fit(const PlanesOnDevice& planes, float* parameters, DeviceLevelFit* result, float* errors,
                       StreamRef stream) {
  const PaperArguments g{level_,          planes,          rules_,         state_.data(),   trial_.data(),
                         step_.data(),    product_.data(), points_.data(), texture_.data(), model_.data(),
                         partial_.data(), blocks_,         parameters,     result,          errors};
  const LaunchShape one{1, threads}, many{static_cast<unsigned>(blocks_), threads};
  launch(start_kernel, one, stream, g);
  const int evaluations =
      1 + (rules_.always_step != 0 ? rules_.max_iterations : rules_.max_iterations * rules_.steps);
  for (int i = 0; i < evaluations; ++i) {
    launch(shape_kernel, one, stream, g);
    launch(sample_kernel, many, stream, g);
    launch(mean_kernel, many, stream, g);
    launch(gain_kernel, many, stream, g);
    launch(alpha_kernel, one, stream, g);
    launch(normalise_kernel, many, stream, g);
    launch(model_kernel, many, stream, g);
    launch(residual_kernel, many, stream, g);
    reduction::multiply_cuda({level_.matrix, level_.modes + 4, level_.samples, level_.padded},
                             texture_.span(), product_.span(), plan_, workspace_, stream);
    launch(update_kernel, one, stream, g);
  }
}

}  // namespace triptych::aam_fit
