// Kernels between the levels of a fit on the GPU.
#include <triptych/core/cuda.cuh>
#include <triptych/reduction/collective/warp.cuh>

#include <cmath>

#include "crop/prepare_math.hpp"
#include "fitter/fitter_kernels.hpp"

namespace triptych::aam_fit {

namespace {

constexpr int threads = 128;

__global__ void reset_kernel(FitSummary* summaries, int fits) {
  const int i = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x);
  if (i < fits) summaries[i] = FitSummary{};
}

// A block owns a face.
__global__ void begin_level_kernel(const FitterLevel g) {
  __shared__ double origin_x, origin_y, step;
  const std::int64_t face = blockIdx.x;
  const int t = static_cast<int>(threadIdx.x), lane = t & 31, n = g.points;
  const double* landmarks = g.landmarks + face * g.starts * 2 * n;
  FitSummary* summaries = g.summaries + face * g.starts;
  if (!g.keeps_planes && t < 32) {
    double sums[7] = {};  // of x, y, X, Y, x^2 + y^2, xX + yY, xY - yX
    int fits = 0;
    for (int k = 0; k < g.starts; ++k) fits += summaries[k].lost == 0 ? 1 : 0;
    for (int i = lane; i < n; i += 32) {
      double X = 0, Y = 0;
      for (int k = 0; k < g.starts; ++k) {
        if (summaries[k].lost != 0) continue;
        X += landmarks[2 * (k * n + i)];
        Y += landmarks[2 * (k * n + i) + 1];
      }
      X /= fits;
      Y /= fits;
      const double x = g.s0[2 * i], y = g.s0[2 * i + 1];
      sums[0] += x, sums[1] += y, sums[2] += X, sums[3] += Y;
      sums[4] += x * x + y * y, sums[5] += x * X + y * Y, sums[6] += x * Y - y * X;
    }
    for (double& sum : sums) sum = reduction::warp_sum(sum);
    __syncwarp();     // before the summaries change
    if (lane == 0) {  // the pose that brings s0 closest to the landmarks
      const double x = sums[0] / n, y = sums[1] / n, X = sums[2] / n, Y = sums[3] / n;
      const double length = sums[4] - n * (x * x + y * y);
      const double a = (sums[5] - n * (x * X + y * Y)) / length, b = (sums[6] - n * (x * Y - y * X)) / length;
      Crop crop;
      crop.width = g.width;
      crop.height = g.height;
      crop.step = sqrt(a * a + b * b);
      crop.x_px = X + a * (g.centre_x - x) - b * (g.centre_y - y) - 0.5 * crop.step * (g.width - 1);
      crop.y_px = Y + b * (g.centre_x - x) + a * (g.centre_y - y) - 0.5 * crop.step * (g.height - 1);
      if (!is_within_reach(crop, g.frames[face].width, g.frames[face].height)) {
        crop.step = 1;  // for the kernels that do not look at the summary
        crop.x_px = crop.y_px = 0;
        for (int k = 0; k < g.starts; ++k)
          if (summaries[k].lost == 0)
            summaries[k] = {INFINITY, summaries[k].iterations,
                            static_cast<std::int32_t>(FitStatus::lost_outside), g.level, 2};
      }
      g.crops[face] = crop;
    }
  }
  __syncthreads();
  if (t == 0) {
    const Crop& crop = g.crops[face];
    origin_x = crop.x_px;
    origin_y = crop.y_px;
    step = crop.step;
  }
  __syncthreads();
  float* shapes = g.shapes + face * g.starts * 2 * n;
  for (int i = t; i < g.starts * 2 * n; i += threads)
    shapes[i] = static_cast<float>((landmarks[i] - ((i & 1) != 0 ? origin_y : origin_x)) / step);
}

// A block owns a fit.
__global__ void end_level_kernel(const FitterLevel g) {
  const std::int64_t at = blockIdx.x;
  const int t = static_cast<int>(threadIdx.x), n = g.points;
  if (g.summaries[at].lost != 0) return;
  DeviceLevelFit fit = g.fits[at];
  const auto status = static_cast<FitStatus>(fit.status);
  bool lost = status == FitStatus::lost_outside || status == FitStatus::lost_contrast;
  const Crop crop = g.crops[at / g.starts];
  const auto coordinate = [&](int i) {
    return static_cast<double>(g.shapes[at * 2 * n + i]) * crop.step + ((i & 1) != 0 ? crop.y_px : crop.x_px);
  };
  bool far = false;
  for (int i = t; i < 2 * n; i += threads) far |= !(fabs(coordinate(i)) < max_reach_px);
  if (__syncthreads_or(far) != 0 && !lost) {  // a barrier, too: before the summary changes
    lost = true;
    fit.error = INFINITY;
    fit.status = static_cast<std::int32_t>(FitStatus::lost_outside);
  }
  for (int i = t; i < g.parameters; i += threads)
    g.kept[at * g.kept_stride + i] = g.fitted[at * g.parameters + i];
  if (!lost)
    for (int i = t; i < 2 * n; i += threads) g.landmarks[at * 2 * n + i] = coordinate(i);
  if (t == 0)
    g.summaries[at] = {fit.error, g.summaries[at].iterations + fit.iterations, fit.status, g.level,
                       lost ? 1 : 0};
}

// A block owns a face. The first of the fits with the least error; that of the given start when all are lost.
__global__ void choose_kernel(const FitterLevel g, const BestFits best) {
  const std::int64_t face = blockIdx.x;
  const int t = static_cast<int>(threadIdx.x), n = g.points;
  std::int64_t from = face * g.starts;
  float least = INFINITY;
  for (std::int64_t i = face * g.starts; i < (face + 1) * g.starts; ++i) {
    const float error = fmaxf(0.0f, g.summaries[i].error);
    if (g.summaries[i].lost != 0 || !(error < least)) continue;
    least = error;
    from = i;
  }
  for (int i = t; i < 2 * n; i += threads) best.landmarks[face * 2 * n + i] = g.landmarks[from * 2 * n + i];
  for (int i = t; i < g.parameters; i += threads) {
    best.fitted[face * g.parameters + i] = g.fitted[from * g.parameters + i];
    best.kept[face * g.kept_stride + i] = g.kept[from * g.kept_stride + i];
  }
  if (t == 0) best.summaries[face] = g.summaries[from];
}

}  // namespace

void launch_reset(const FitterLevel& level, StreamRef stream) {
  const int fits = level.faces * level.starts;
  launch(reset_kernel, LaunchShape{static_cast<unsigned>((fits + threads - 1) / threads), threads}, stream,
         level.summaries, fits);
}

void launch_begin_level(const FitterLevel& level, StreamRef stream) {
  launch(begin_level_kernel, LaunchShape{static_cast<unsigned>(level.faces), threads}, stream, level);
}

void launch_end_level(const FitterLevel& level, StreamRef stream) {
  launch(end_level_kernel, LaunchShape{static_cast<unsigned>(level.faces * level.starts), threads}, stream,
         level);
}

void launch_choose(const FitterLevel& level, const BestFits& best, StreamRef stream) {
  launch(choose_kernel, LaunchShape{static_cast<unsigned>(level.faces), threads}, stream, level, best);
}

}  // namespace triptych::aam_fit
