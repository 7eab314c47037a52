// The part of a refinement that one block of its team does: refine_cpu.cpp over the landmarks which it owns.
// What concerns all landmarks is added up over the team in the order of its blocks, and the first one solves
// the equations.
#pragma once

#include <triptych/reduction/collective/block.cuh>
#include <triptych/reduction/collective/team.cuh>
#include <triptych/reduction/collective/warp.cuh>

#include "fit/fit_math.hpp"
#include "fit/refine/eliminate_block.cuh"
#include "fit/refine/refine_memory.cuh"
#include "warp/warp_math.hpp"

namespace triptych::aam_fit {

template <int Blocks>
class BlockRefiner {
  using team = reduction::BlockTeam<Blocks>;
  static constexpr int threads = refine_threads, warps = threads / 32;

 public:
  __device__ BlockRefiner(const RefineTask& task, unsigned char* memory)
      : g(task),
        s(memory, task, Blocks),
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
    for (int i = t; i < count * size; i += threads) s.g0[i] = g.g0[first * size + i];
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
          mean[c] = s.g0[out + (first_channel + c) * area];
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
      s.texture[i] = static_cast<float>((static_cast<double>(s.texture[i]) - beta) / alpha -
                                        static_cast<double>(s.g0[i]));
    __syncthreads();
    return true;
  }

  // From the residual to what the basis leaves of it, and the model's texture.
  __device__ void fit_texture() {
    const float* basis = g.basis + first * size;
    constexpr int rows_at_once = 3;
    for (int k = warp * rows_at_once; k < g.rows; k += warps * rows_at_once) weigh_rows<rows_at_once>(k);
    team::sync();
    for (int k = t; k < g.rows; k += threads) {
      float sum = 0;
      for (int r = 0; r < Blocks; ++r) sum += team::of(s.weights_part, r)[k];
      s.weights[k] = sum;
    }
    __syncthreads();
    for (int i = t; i < count * size; i += threads) {
      constexpr int batch = 32;  // rows whose reads overlap
      float fitted = 0;
      for (int begin = 0; begin < g.rows; begin += batch) {
        float values[batch];
#pragma unroll
        for (int k = 0; k < batch; ++k)
          values[k] = begin + k < g.rows ? basis[static_cast<std::int64_t>(begin + k) * g.samples + i] : 0.0f;
#pragma unroll
        for (int k = 0; k < batch; ++k)
          if (begin + k < g.rows) fitted += s.weights[begin + k] * values[k];
      }
      s.texture[i] -= fitted;
      s.fitted[i] = fitted + s.g0[i];
    }
    __syncthreads();
  }

  // The products of Rows rows of the basis, from row k on, with the residual of the own patches, by one warp.
  // Reads of a row beyond the last are of the last.
  template <int Rows>
  __device__ void weigh_rows(int k) {
    constexpr int unrolled = 8;
    const float* row[Rows];
    float weight[Rows] = {};
    for (int n = 0; n < Rows; ++n)
      row[n] = g.basis + static_cast<std::int64_t>(min(k + n, g.rows - 1)) * g.samples + first * size;
    for (int begin = lane; begin < count * size; begin += 32 * unrolled) {
#pragma unroll
      for (int u = 0; u < unrolled; ++u) {
        const int i = begin + 32 * u;
        const bool is_inside = i < count * size;
        const float residual = is_inside ? s.texture[i] : 0.0f;
#pragma unroll
        for (int n = 0; n < Rows; ++n) weight[n] += (is_inside ? row[n][i] : 0.0f) * residual;
      }
    }
#pragma unroll
    for (int n = 0; n < Rows; ++n) {
      weight[n] = reduction::warp_sum(weight[n]);
      if (lane == 0 && k + n < g.rows) s.weights_part[k + n] = weight[n];
    }
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

  // The part of the own landmarks in the normal equations: the lower triangle of s.own.system, the right side
  // below it, and s.own.A. A warp computes a row of them.
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
        s.own.A[k * q + j] = sum;
      }
    __syncthreads();
    for (int l = warp; l < count; l += warps) weigh_landmark(l, prior);
    __syncthreads();
    for (int i = warp; i <= q; i += warps)
      for (int j = lane; j <= min(i, q - 1); j += 32) {
        double sum = 0;
#pragma unroll 6
        for (int c = 0; c < 2 * count; ++c) sum += s.weighted[c * (q + 1) + i] * s.B[c * q + j];
        s.own.system[i * q + j] = sum;
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
    add_up_equations();
    if (team::rank() == 0) {
      const double* A = s.total.A;
      double* system = s.total.system;
      for (int i = warp; i < q; i += warps)
        for (int j = lane; j <= i; j += 32) {
          double sum = 0;
#pragma unroll 8
          for (int k = 0; k < g.rows; ++k) sum += A[k * q + i] * A[k * q + j];
          system[i * q + j] -= sum;
        }
      __syncthreads();
      const bool solved = eliminate_in_block<threads>(system, q, s.solution);
      if (t == 0) s.solution[q] = solved ? 1 : 0;
    }
    team::sync();
    const double* solution = team::of(s.solution, 0);
    if (solution[q] == 0) return false;
    for (int i = t; i < q; i += threads) s.now[i] += solution[i];
    __syncthreads();
    return true;
  }

  // From every block's own equations to the first one's total, a share of them by each block.
  __device__ void add_up_equations() {
    if constexpr (Blocks > 1) {
      double* const total = team::of(s.total.A, 0);
      for (int i = team::rank() * threads + t; i < s.equations; i += Blocks * threads) {
        double parts[Blocks];
#pragma unroll
        for (int r = 0; r < Blocks; ++r) parts[r] = team::of(s.own.A, r)[i];
        double sum = 0;
        for (int r = 0; r < Blocks; ++r) sum += parts[r];
        total[i] = sum;
      }
      team::sync();
    }
  }

  const RefineTask& g;
  const RefineMemory s;
  const int t, lane, warp, q;
  const int size;          // samples of a landmark
  const int first, count;  // the own landmarks
};

}  // namespace triptych::aam_fit
