// The part of a refinement that one block of its team does: refine_cpu.cpp over the landmarks which it owns.
// What concerns all landmarks is added up over the team in the order of its blocks, and the first one solves
// the equations.
#pragma once

#include <triptych/reduction/collective/block.cuh>
#include <triptych/reduction/collective/warp.cuh>

#include "fit/fit_math.hpp"
#include "fit/refine/refine_memory.cuh"
#include "warp/warp_math.hpp"

namespace triptych::aam_fit {

template <int Blocks>
class BlockRefiner {
  using team = RefineTeam<Blocks>;
  static constexpr int threads = refine_threads, warps = threads / 32;

 public:
  __device__ BlockRefiner(const RefineTask& task, unsigned char* memory)
      : g(task),
        s(memory, task, landmarks_of_block(task.points, Blocks)),
        t(static_cast<int>(threadIdx.x)),
        lane(t & 31),
        warp(t / 32),
        q(task.modes + 4),
        size(task.samples / task.points),
        first(min(task.points, team::rank() * landmarks_of_block(task.points, Blocks))),
        count(min(task.points - first, landmarks_of_block(task.points, Blocks))) {}

  // parameters, planes: of the fit.
  __device__ void refine(float* parameters, const float* planes) {
    for (int i = t; i < q; i += threads) s.now[i] = s.start[i] = parameters[i];
    for (int i = t; i < 2 * g.points * g.modes; i += threads) s.Qs[i] = g.Qs[i];
    __syncthreads();
    place_landmarks(s.before);
    bool refined = true;  // the same in all blocks
    for (int k = 0; k < g.steps && refined; ++k) {
      place_landmarks(s.shape);
      refined = sample_residual(planes);
      if (!refined) break;
      fit_texture();
      add_up_patches();
      make_equations();
      refined = solve();
    }
    if (refined && team::rank() == 0) {
      place_landmarks(s.shape);
      bool far = false;
      const double most = max_refinement * static_cast<double>(g.face_size_px);
      for (int l = t; l < g.points; l += threads) {
        const double x = static_cast<double>(s.shape[2 * l]) - static_cast<double>(s.before[2 * l]);
        const double y = static_cast<double>(s.shape[2 * l + 1]) - static_cast<double>(s.before[2 * l + 1]);
        far |= !(x * x + y * y <= most * most);
      }
      if (__syncthreads_or(far) == 0)
        for (int i = t; i < q; i += threads) parameters[i] = static_cast<float>(s.now[i]);
    }
    team::sync();  // a block ends when nothing reads its memory any more
  }

 private:
  __device__ void place_landmarks(float* shape) {
    const int m = g.modes;
    for (int i = t; i < 2 * g.points; i += threads) {
      double sum = g.s0[i];
#pragma unroll 8
      for (int k = 0; k < m; ++k) sum += static_cast<double>(s.Qs[k * 2 * g.points + i]) * s.now[k];
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

  // The residual of the own patches; false without contrast.
  __device__ bool sample_residual(const float* planes) {
    const int area = g.side * g.side;
    const float* g0 = g.g0 + first * size;
    double sums[3] = {};  // of x, x^2, x g0
    for (int i = t; i < count * area; i += threads) {
      const WarpPoint at = warp_point(g.pixels[first * area + i], s.shape);
      const Tap tap = tap_at(at.x, at.y, g.width, g.height, g.width);
      const int out = i / area * size + i % area;
      constexpr int batch = 4;  // channels whose reads overlap
      for (int first_channel = 0; first_channel < g.channels; first_channel += batch) {
        float sampled[batch] = {}, mean[batch] = {};
        const int here = min(batch, g.channels - first_channel);
#pragma unroll
        for (int c = 0; c < batch; ++c) {
          if (c >= here) break;
          sampled[c] =
              sample(planes + static_cast<std::int64_t>(first_channel + c) * g.height * g.width, tap);
          mean[c] = g0[out + (first_channel + c) * area];
        }
#pragma unroll
        for (int c = 0; c < batch; ++c) {
          if (c >= here) break;
          const double x = sampled[c];
          s.texture[out + (first_channel + c) * area] = sampled[c];
          sums[0] += x;
          sums[1] += x * x;
          sums[2] += x * static_cast<double>(mean[c]);
        }
      }
    }
    __shared__ double of_warp[warps][3];
    __shared__ double totals[3];
    const double total = reduction::block_sums_in_order<threads>(sums, of_warp);
    if (t < 3) s.moments[t] = total;
    team::sync();
    if (t < 3) {
      double sum = 0;
      for (int r = 0; r < Blocks; ++r) sum += team::of(s.moments, r)[t];
      totals[t] = sum;
    }
    __syncthreads();
    const double beta = totals[0] / g.samples, squares = totals[1];
    const double spread = squares - totals[0] * beta, along = totals[2] - beta * g.sum_g0;
    const double alpha = texture_alpha(g.normalisation, along, spread, g.g0g0);
    if (!has_contrast(alpha, spread, squares, g.g0g0)) return false;
    for (int i = t; i < count * size; i += threads)
      s.texture[i] =
          static_cast<float>((static_cast<double>(s.texture[i]) - beta) / alpha - static_cast<double>(g0[i]));
    __syncthreads();
    return true;
  }

  // From the residual to what the basis leaves of it, and the model's texture.
  __device__ void fit_texture() {
    const float* basis = g.basis + first * size;
    for (int k = 2 * warp; k < g.rows; k += 2 * warps) {  // two rows at once: their reads overlap
      const bool is_pair = k + 1 < g.rows;
      const float *row = basis + static_cast<std::int64_t>(k) * g.samples,
                  *next = is_pair ? row + g.samples : row;
      float weight = 0, next_weight = 0;
#pragma unroll 8
      for (int i = lane; i < count * size; i += 32) {
        weight += row[i] * s.texture[i];
        next_weight += next[i] * s.texture[i];
      }
      weight = reduction::warp_sum(weight);
      next_weight = reduction::warp_sum(next_weight);
      if (lane == 0) s.weights_part[k] = weight;
      if (lane == 0 && is_pair) s.weights_part[k + 1] = next_weight;
    }
    team::sync();
    for (int k = t; k < g.rows; k += threads) {
      float sum = 0;
      for (int r = 0; r < Blocks; ++r) sum += team::of(s.weights_part, r)[k];
      s.weights[k] = sum;
    }
    __syncthreads();
    for (int i = t; i < count * size; i += threads) {
      float fitted = 0;
#pragma unroll 16
      for (int k = 0; k < g.rows; ++k)
        fitted += s.weights[k] * basis[static_cast<std::int64_t>(k) * g.samples + i];
      s.texture[i] -= fitted;
      s.fitted[i] = fitted + g.g0[first * size + i];
    }
    __syncthreads();
  }

  __device__ void add_up_patches() {
    const int area = g.side * g.side, m = g.modes;
    const double a = 1 + s.now[m], b = s.now[m + 1];
    for (int i = t; i < count * size; i += threads) {
      const PatchPixel at = patch_pixel(i, g.side, g.channels);
      const PatchGradient d = patch_gradient(s.fitted + i / area * area, g.side, at.u, at.v, 1 / g.pitch_px,
                                             static_cast<float>(a), static_cast<float>(b));
      s.gx[i] = d.x;
      s.gy[i] = d.y;
    }
    for (int l = warp; l < count; l += warps) {
      const int landmark = first + l;
      for (int j = lane; j < q; j += 32) {
        const float* mode = s.Qs + (j < m ? j : 0) * 2 * g.points + 2 * landmark;
        const Moved by =
            moved_by(j, m, mode[0], mode[1], s.model[2 * landmark], s.model[2 * landmark + 1], a, b);
        s.B[2 * l * q + j] = by.x;
        s.B[(2 * l + 1) * q + j] = by.y;
      }
    }
    __syncthreads();
    constexpr int rows_at_once = 4;
    const int groups = (g.rows + rows_at_once - 1) / rows_at_once;
    for (int i = warp; i < count * (groups + 1); i += warps) {
      const int l = i / (groups + 1), group = i % (groups + 1);
      if (group == groups)
        add_up_patch(l);
      else
        multiply_patch<rows_at_once>(l, group * rows_at_once);
    }
    __syncthreads();
  }

  // The sums of the patch of landmark l, by one warp.
  __device__ void add_up_patch(int l) {
    const float *x = s.gx + l * size, *y = s.gy + l * size, *r = s.texture + l * size;
    PatchSums sums{};
    for (int e = lane; e < size; e += 32) {
      sums.xx += x[e] * x[e];
      sums.xy += x[e] * y[e];
      sums.yy += y[e] * y[e];
      sums.x += x[e] * r[e];
      sums.y += y[e] * r[e];
    }
    for (float* sum : {&sums.xx, &sums.xy, &sums.yy, &sums.x, &sums.y}) *sum = reduction::warp_sum(*sum);
    if (lane == 0) s.sums[l] = sums;
  }

  // The products of Rows rows of the basis, from row k on, with the derivatives of the patch of landmark l,
  // by one warp. Reads of a row beyond the last are of the last.
  template <int Rows>
  __device__ void multiply_patch(int l, int k) {
    constexpr int unrolled = 5;
    const float *x = s.gx + l * size, *y = s.gy + l * size;
    const float* row[Rows];
    float along_x[Rows] = {}, along_y[Rows] = {};
    for (int n = 0; n < Rows; ++n)
      row[n] = g.basis + static_cast<std::int64_t>(min(k + n, g.rows - 1)) * g.samples + (first + l) * size;
    for (int begin = lane; begin < size; begin += 32 * unrolled) {
#pragma unroll
      for (int u = 0; u < unrolled; ++u) {
        const int e = begin + 32 * u;
        const bool is_inside = e < size;
        const float dx = is_inside ? x[e] : 0.0f, dy = is_inside ? y[e] : 0.0f;
#pragma unroll
        for (int n = 0; n < Rows; ++n) {
          const float value = is_inside ? row[n][e] : 0.0f;
          along_x[n] += value * dx;
          along_y[n] += value * dy;
        }
      }
    }
#pragma unroll
    for (int n = 0; n < Rows; ++n) {
      along_x[n] = reduction::warp_sum(along_x[n]);
      along_y[n] = reduction::warp_sum(along_y[n]);
      if (lane != 0 || k + n >= g.rows) continue;
      s.products[2 * ((k + n) * count + l)] = along_x[n];
      s.products[2 * ((k + n) * count + l) + 1] = along_y[n];
    }
  }

  // The part of the own landmarks in the normal equations: the lower triangle of s.system, the right side
  // below it, and s.A. A warp computes a row of them.
  __device__ void make_equations() {
    __shared__ double prior;
    if (warp == 0) {
      double trace = 0;
      for (int l = lane; l < count; l += 32)
        trace += static_cast<double>(s.sums[l].xx) + static_cast<double>(s.sums[l].yy);
      trace = reduction::warp_sum(trace);
      if (lane == 0) *s.trace = trace;
    }
    team::sync();
    if (t == 0) {
      double trace = 0;
      for (int r = 0; r < Blocks; ++r) trace += *team::of(s.trace, r);
      prior = prior_weight * trace / (2 * g.points);
    }
    for (int k = warp; k < g.rows; k += warps)
      for (int j = lane; j < q; j += 32) {
        double sum = 0;
#pragma unroll 6
        for (int c = 0; c < 2 * count; ++c)
          sum += static_cast<double>(s.products[2 * count * k + c]) * s.B[c * q + j];
        s.A[k * q + j] = sum;
      }
    __syncthreads();
    for (int l = warp; l < count; l += warps) weigh_landmark(l, prior);
    __syncthreads();
    for (int i = warp; i <= q; i += warps)
      for (int j = lane; j <= min(i, q - 1); j += 32) {
        double sum = 0;
#pragma unroll 6
        for (int c = 0; c < 2 * count; ++c) sum += s.weighted[c * (q + 1) + i] * s.B[c * q + j];
        s.system[i * q + j] = sum;
      }
    team::sync();
  }

  // The rows of B of landmark l times G'G and the prior, and behind them what the right side has of it: -G'r
  // and the pull towards the start, by the landmark's distance from there to first order. By one warp.
  __device__ void weigh_landmark(int l, double prior) {
    const PatchSums& of = s.sums[l];
    const double *x = s.B + 2 * l * q, *y = x + q;
    double *along_x = s.weighted + 2 * l * (q + 1), *along_y = along_x + q + 1;
    const auto xy = static_cast<double>(of.xy);
    double dx = 0, dy = 0;
    for (int j = lane; j < q; j += 32) {
      const double d = s.now[j] - s.start[j];
      dx += x[j] * d;
      dy += y[j] * d;
      along_x[j] = x[j] * (static_cast<double>(of.xx) + prior) + y[j] * xy;
      along_y[j] = x[j] * xy + y[j] * (static_cast<double>(of.yy) + prior);
    }
    dx = reduction::warp_sum(dx);
    dy = reduction::warp_sum(dy);
    if (lane != 0) return;
    along_x[q] = -(static_cast<double>(of.x) + prior * dx);
    along_y[q] = -(static_cast<double>(of.y) + prior * dy);
  }

  // Adds up the equations in the first block, solves them there, and adds the solution to s.now everywhere;
  // false without one.
  __device__ bool solve() {
    if (team::rank() == 0) {
      if constexpr (Blocks > 1) {
        add_up(s.A, g.rows * q);
        add_up(s.system, (q + 1) * q);
        __syncthreads();
      }
      for (int i = warp; i < q; i += warps)
        for (int j = lane; j <= i; j += 32) {
          double sum = 0;
#pragma unroll 8
          for (int k = 0; k < g.rows; ++k) sum += s.A[k * q + i] * s.A[k * q + j];
          s.system[i * q + j] -= sum;
        }
      __syncthreads();
      const bool solved = eliminate();
      for (int k = t; k < q && solved; k += threads)
        s.solution[k] = s.system[q * q + k] / s.system[k * q + k];
      if (t == 0) s.solution[q] = solved ? 1 : 0;
    }
    team::sync();
    const double* solution = team::of(s.solution, 0);
    if (solution[q] == 0) return false;
    for (int i = t; i < q; i += threads) s.now[i] += solution[i];
    __syncthreads();
    return true;
  }

  __device__ void add_up(double* values, int length) {
    for (int i = t; i < length; i += threads) {
      double sum = values[i];
      for (int r = 1; r < Blocks; ++r) sum += team::of(values, r)[i];
      values[i] = sum;
    }
  }

  // Gauss-Jordan elimination by columns, with the right side as the last row: step j takes a multiple of
  // column j from every other one, so that row j has its diagonal element alone. No step changes the rows
  // above it. Right of the diagonal the rows are those of the lower triangle, by symmetry. False when a pivot
  // is not positive.
  __device__ bool eliminate() {
    for (int j = 0; j < q; ++j) {
      const double pivot = s.system[j * q + j];
      if (!(pivot > 0)) return false;  // the same for all threads
      const double inverse = 1 / pivot;
      for (int i = j + 1 + warp; i <= q; i += warps) {
        const double factor = s.system[i * q + j] * inverse;
        for (int k = lane; k <= min(i, q - 1); k += 32)
          if (k != j) s.system[i * q + k] -= factor * (k < j ? s.system[j * q + k] : s.system[k * q + j]);
      }
      __syncthreads();
    }
    return true;
  }

  const RefineTask& g;
  const RefineMemory s;
  const int t, lane, warp, q;
  const int size;          // samples of a landmark
  const int first, count;  // the own landmarks
};

}  // namespace triptych::aam_fit
