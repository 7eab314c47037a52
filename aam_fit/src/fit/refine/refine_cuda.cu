// Gauss-Newton steps on patches: refine_cpu.cpp with a block for each fit.
#include <triptych/core/cuda.cuh>
#include <triptych/reduction/collective/block.cuh>
#include <triptych/reduction/collective/warp.cuh>

#include <algorithm>

#include "fit/fit_math.hpp"
#include "fit/refine/refine_cuda.hpp"
#include "warp/warp_math.hpp"

namespace triptych::aam_fit {

namespace {

constexpr int threads = 512, warps = threads / 32;

// Scratch of a fit.
struct Scratch {
  float *texture, *fitted, *gx, *gy, *weights, *shape, *before, *products;
  PatchSums* sums;
  double *start, *now, *model, *B, *A;
  __host__ __device__ Scratch(float* floats, double* doubles, int points, int samples, int rows,
                              int parameters) {
    const auto take = [](auto*& from, std::int64_t count) {
      auto* const taken = from;
      from += count;
      return taken;
    };
    texture = take(floats, samples);
    fitted = take(floats, samples);
    gx = take(floats, samples);
    gy = take(floats, samples);
    weights = take(floats, rows);
    shape = take(floats, 2 * points);
    before = take(floats, 2 * points);
    products = take(floats, 2 * std::int64_t{points} * rows);
    sums = reinterpret_cast<PatchSums*>(take(floats, 5 * points));
    start = take(doubles, parameters);
    now = take(doubles, parameters);
    model = take(doubles, 2 * points);
    B = take(doubles, 2 * std::int64_t{points} * parameters);
    A = take(doubles, std::int64_t{rows} * parameters);
    float_end = floats;
    double_end = doubles;
  }
  float* float_end;
  double* double_end;
};

__device__ float warp_dot(const float* a, const float* b, int count, int lane) {
  float sum = 0;
  for (int i = lane; i < count; i += 32) sum += a[i] * b[i];
  return reduction::warp_sum(sum);
}

// The sum over the block, for every thread.
__device__ double sum_for_all(double value, double (&of_warp)[warps], double& shared) {
  const double sum = reduction::block_sum_in_order<threads>(value, of_warp);
  if (threadIdx.x == 0) shared = sum;
  __syncthreads();
  return shared;
}

__device__ void place_landmarks(const RefineTask& g, const Scratch& s, float* shape) {
  const int t = static_cast<int>(threadIdx.x), m = g.modes;
  for (int i = t; i < 2 * g.points; i += threads) {
    double sum = g.s0[i];
    for (int k = 0; k < m; ++k) sum += static_cast<double>(g.Qs[i * m + k]) * s.now[k];
    s.model[i] = sum;
  }
  __syncthreads();
  const double a = 1 + s.now[m], b = s.now[m + 1];
  for (int l = t; l < g.points; l += threads) {
    const double x = s.model[2 * l], y = s.model[2 * l + 1];
    shape[2 * l] = static_cast<float>(a * x - b * y + s.now[m + 2]);
    shape[2 * l + 1] = static_cast<float>(b * x + a * y + s.now[m + 3]);
  }
  __syncthreads();
}

// Samples the patches and leaves the residual in s.texture; false without contrast.
__device__ bool sample_residual(const RefineTask& g, const Scratch& s, const float* planes,
                                double (&of_warp)[warps], double& shared) {
  const int t = static_cast<int>(threadIdx.x), area = g.side * g.side;
  double sum = 0;
  for (int i = t; i < g.points * area; i += threads) {
    const WarpPoint at = warp_point(g.pixels[i], s.shape);
    const Tap tap = tap_at(at.x, at.y, g.width, g.height, g.width);
    float* out = s.texture + i / area * area * g.channels + i % area;
    for (int c = 0; c < g.channels; ++c) {
      const float x = sample(planes + static_cast<std::int64_t>(c) * g.height * g.width, tap);
      out[c * area] = x;
      sum += x;
    }
  }
  const double beta = sum_for_all(sum, of_warp, shared) / g.samples;
  double spread = 0, along = 0, squares = 0;
  for (int i = t; i < g.samples; i += threads) {
    const double x = s.texture[i];
    spread += (x - beta) * (x - beta);
    along += (x - beta) * static_cast<double>(g.g0[i]);
    squares += x * x;
  }
  spread = sum_for_all(spread, of_warp, shared);
  along = sum_for_all(along, of_warp, shared);
  squares = sum_for_all(squares, of_warp, shared);
  const double alpha = texture_alpha(g.normalisation, along, spread, g.g0g0);
  if (!has_contrast(alpha, spread, squares, g.g0g0)) return false;
  for (int i = t; i < g.samples; i += threads)
    s.texture[i] =
        static_cast<float>((static_cast<double>(s.texture[i]) - beta) / alpha - static_cast<double>(g.g0[i]));
  __syncthreads();
  return true;
}

// From the residual to what the basis leaves of it, and the model's texture.
__device__ void fit_texture(const RefineTask& g, const Scratch& s) {
  const int t = static_cast<int>(threadIdx.x), lane = t & 31;
  for (int k = t / 32; k < g.rows; k += warps) {
    const float weight =
        warp_dot(g.basis + static_cast<std::int64_t>(k) * g.samples, s.texture, g.samples, lane);
    if (lane == 0) s.weights[k] = weight;
  }
  __syncthreads();
  for (int i = t; i < g.samples; i += threads) {
    float fitted = 0;
    for (int k = 0; k < g.rows; ++k)
      fitted += s.weights[k] * g.basis[static_cast<std::int64_t>(k) * g.samples + i];
    s.texture[i] -= fitted;
    s.fitted[i] = fitted + g.g0[i];
  }
  __syncthreads();
}

__device__ void add_up_patches(const RefineTask& g, const Scratch& s) {
  const int t = static_cast<int>(threadIdx.x), lane = t & 31, area = g.side * g.side;
  const int size = area * g.channels, m = g.modes, q = m + 4;
  const double a = 1 + s.now[m], b = s.now[m + 1];
  for (int i = t; i < g.samples; i += threads) {
    const PatchPixel at = patch_pixel(i, g.side, g.channels);
    const PatchGradient d = patch_gradient(s.fitted + i / area * area, g.side, at.u, at.v, 1 / g.pitch_px,
                                           static_cast<float>(a), static_cast<float>(b));
    s.gx[i] = d.x;
    s.gy[i] = d.y;
  }
  for (int i = t; i < g.points * q; i += threads) {
    const int l = i / q, j = i % q;
    const Moved by = moved_by(j, m, g.Qs + 2 * l * m, s.model[2 * l], s.model[2 * l + 1], a, b);
    s.B[2 * l * q + j] = by.x;
    s.B[(2 * l + 1) * q + j] = by.y;
  }
  __syncthreads();
  for (int i = t / 32; i < g.points * (g.rows + 1); i += warps) {
    const int l = i / (g.rows + 1), k = i % (g.rows + 1);
    const float *x = s.gx + l * size, *y = s.gy + l * size, *r = s.texture + l * size;
    if (k < g.rows) {
      const float* row = g.basis + static_cast<std::int64_t>(k) * g.samples + l * size;
      const float along_x = warp_dot(row, x, size, lane), along_y = warp_dot(row, y, size, lane);
      if (lane == 0) {
        s.products[2 * (k * g.points + l)] = along_x;
        s.products[2 * (k * g.points + l) + 1] = along_y;
      }
      continue;
    }
    const PatchSums sums{warp_dot(x, x, size, lane), warp_dot(x, y, size, lane), warp_dot(y, y, size, lane),
                         warp_dot(x, r, size, lane), warp_dot(y, r, size, lane)};
    if (lane == 0) s.sums[l] = sums;
  }
  __syncthreads();
}

// The normal equations: the lower triangle of `system`, and the right side below it.
__device__ void make_system(const RefineTask& g, const Scratch& s, double* system, double (&of_warp)[warps],
                            double& shared) {
  const int t = static_cast<int>(threadIdx.x), q = g.modes + 4;
  double trace = 0;
  for (int l = t; l < g.points; l += threads)
    trace += static_cast<double>(s.sums[l].xx) + static_cast<double>(s.sums[l].yy);
  const double prior = prior_weight * sum_for_all(trace, of_warp, shared) / (2 * g.points);
  for (int i = t; i < g.rows * q; i += threads) {
    const int k = i / q, j = i % q;
    double sum = 0;
    for (int c = 0; c < 2 * g.points; ++c)
      sum += static_cast<double>(s.products[2 * g.points * k + c]) * s.B[c * q + j];
    s.A[i] = sum;
  }
  // Where each landmark is from the start, to first order: in the place of its sums with the residual.
  for (int l = t; l < g.points; l += threads) {
    double dx = 0, dy = 0;
    for (int j = 0; j < q; ++j) {
      const double d = s.now[j] - s.start[j];
      dx += s.B[2 * l * q + j] * d;
      dy += s.B[(2 * l + 1) * q + j] * d;
    }
    s.model[2 * l] = static_cast<double>(s.sums[l].x) + prior * dx;
    s.model[2 * l + 1] = static_cast<double>(s.sums[l].y) + prior * dy;
  }
  __syncthreads();
  for (int e = t; e < (q + 1) * q; e += threads) {
    const int i = e / q, j = e % q;
    if (i < q && j > i) continue;
    double sum = 0;
    for (int l = 0; l < g.points; ++l) {
      const double xj = s.B[2 * l * q + j], yj = s.B[(2 * l + 1) * q + j];
      if (i == q) {
        sum -= xj * s.model[2 * l] + yj * s.model[2 * l + 1];
        continue;
      }
      const PatchSums& of = s.sums[l];
      const double xi = s.B[2 * l * q + i], yi = s.B[(2 * l + 1) * q + i];
      sum += (xi * (static_cast<double>(of.xx) + prior) + yi * static_cast<double>(of.xy)) * xj +
             (xi * static_cast<double>(of.xy) + yi * (static_cast<double>(of.yy) + prior)) * yj;
    }
    if (i < q)
      for (int k = 0; k < g.rows; ++k) sum -= s.A[k * q + i] * s.A[k * q + j];
    system[e] = sum;
  }
  __syncthreads();
}

// Cholesky with the right side as one more row, then back; adds the solution to s.now.
__device__ bool solve(const Scratch& s, double* system, int q) {
  const int t = static_cast<int>(threadIdx.x);
  for (int j = 0; j < q; ++j) {
    const double square = system[j * q + j];
    if (!(square > 0)) return false;  // the same for all threads
    const double pivot = sqrt(square);
    for (int i = j + 1 + t; i <= q; i += threads) system[i * q + j] /= pivot;
    __syncthreads();
    if (t == 0) system[j * q + j] = pivot;
    const int rest = q - j;  // rows below
    for (int e = t; e < rest * rest; e += threads) {
      const int i = j + 1 + e / rest, k = j + 1 + e % rest;
      if (k <= i && k < q) system[i * q + k] -= system[i * q + j] * system[k * q + j];
    }
    __syncthreads();
  }
  double* right = system + q * q;
  if (t < 32) {
    for (int j = q - 1; j >= 0; --j) {
      const double x = right[j] / system[j * q + j];
      __syncwarp();
      for (int i = t; i < j; i += 32) right[i] -= x * system[j * q + i];
      if (t == 0) s.now[j] += x;
      __syncwarp();
    }
  }
  __syncthreads();
  return true;
}

__global__ void __launch_bounds__(threads) refine_kernel(const RefineTask g) {
  extern __shared__ double system[];  // (parameters + 1) x parameters
  __shared__ double of_warp[warps];
  __shared__ double shared;
  const std::int64_t fit = blockIdx.x;
  const int t = static_cast<int>(threadIdx.x), q = g.modes + 4;
  const auto status = static_cast<FitStatus>(g.fits[fit].status);
  if (status == FitStatus::lost_outside || status == FitStatus::lost_contrast) return;
  const Scratch s(g.floats + fit * g.float_count, g.doubles + fit * g.double_count, g.points, g.samples,
                  g.rows, q);
  float* parameters = g.parameters + fit * q;
  for (int i = t; i < q; i += threads) s.now[i] = s.start[i] = parameters[i];
  __syncthreads();
  place_landmarks(g, s, s.before);
  const float* planes = g.planes + fit / g.starts * g.face;
  for (int k = 0; k < g.steps; ++k) {
    place_landmarks(g, s, s.shape);
    if (!sample_residual(g, s, planes, of_warp, shared)) return;
    fit_texture(g, s);
    add_up_patches(g, s);
    make_system(g, s, system, of_warp, shared);
    if (!solve(s, system, q)) return;
  }
  place_landmarks(g, s, s.shape);
  const double most = max_refinement * static_cast<double>(g.face_size_px);
  bool far = false;
  for (int l = t; l < g.points; l += threads) {
    const double x = static_cast<double>(s.shape[2 * l]) - static_cast<double>(s.before[2 * l]);
    const double y = static_cast<double>(s.shape[2 * l + 1]) - static_cast<double>(s.before[2 * l + 1]);
    far |= !(x * x + y * y <= most * most);
  }
  if (__syncthreads_or(far) != 0) return;
  for (int i = t; i < q; i += threads) parameters[i] = static_cast<float>(s.now[i]);
}

template <class T>
DeviceBuffer<T> uploaded(const SharedArray<T>& values, StreamRef stream) {
  DeviceBuffer<T> buffer(values.size());
  copy_to_device(values.span(), buffer.span(), stream);
  return buffer;
}

}  // namespace

RefinerCuda::RefinerCuda(const Model& model, int steps, int max_fits, StreamRef stream) {
  const Level& level = model.levels.back();
  const Refinement& patches = model.refinement;
  pixels_ = uploaded(patches.pixels, stream);
  g0_ = uploaded(patches.g0, stream);
  basis_ = uploaded(patches.basis, stream);
  s0_ = uploaded(level.s0, stream);
  Qs_ = uploaded(level.Qs, stream);
  task_.points = level.points;
  task_.modes = level.modes;
  task_.side = patches.patch_samples;
  task_.channels = channels(level.features);
  task_.samples = static_cast<std::int32_t>(patches.g0.size());
  task_.rows = static_cast<std::int32_t>(patches.rows());
  task_.steps = steps;
  task_.pitch_px = static_cast<float>(patches.pitch_px);
  task_.face_size_px = static_cast<float>(level.face_size_px);
  for (const float g : patches.g0) task_.g0g0 += double{g} * double{g};
  task_.normalisation = level.normalisation;
  task_.pixels = pixels_.data();
  task_.g0 = g0_.data();
  task_.basis = basis_.data();
  task_.s0 = s0_.data();
  task_.Qs = Qs_.data();
  const Scratch one(nullptr, nullptr, task_.points, task_.samples, task_.rows, task_.modes + 4);
  task_.float_count = one.float_end - static_cast<float*>(nullptr);
  task_.double_count = one.double_end - static_cast<double*>(nullptr);
  floats_ = DeviceBuffer<float>(max_fits * task_.float_count);
  doubles_ = DeviceBuffer<double>(max_fits * task_.double_count);
  task_.floats = floats_.data();
  task_.doubles = doubles_.data();
  stream.synchronize();
}

void RefinerCuda::refine(const float* planes, std::int64_t face, std::int32_t width, std::int32_t height,
                         int starts, DeviceSpan<float> parameters, DeviceSpan<const DeviceLevelFit> fits,
                         StreamRef stream) {
  RefineTask task = task_;
  task.planes = planes;
  task.face = face;
  task.width = width;
  task.height = height;
  task.starts = starts;
  task.parameters = parameters.data();
  task.fits = fits.data();
  const auto q = static_cast<std::size_t>(task.modes + 4);
  launch(refine_kernel,
         LaunchShape{static_cast<unsigned>(fits.size()), threads, (q + 1) * q * sizeof(double)}, stream,
         task);
}

}  // namespace triptych::aam_fit
