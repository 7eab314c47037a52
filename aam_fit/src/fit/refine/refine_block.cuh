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

inline __device__ float warp_dot(const float* a, const float* b, int count, int lane) {
  float sum = 0;
#pragma unroll 8
  for (int i = lane; i < count; i += 32) sum += a[i] * b[i];
  return reduction::warp_sum(sum);
}

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
        q(task.modes + 4),
        size(task.samples / task.points),
        first(min(task.points, team::rank() * landmarks_of_block(task.points, Blocks))),
        count(min(task.points - first, landmarks_of_block(task.points, Blocks))) {}

  // parameters, planes: of the fit.
  __device__ void refine(float* parameters, const float* planes) {
    for (int i = t; i < q; i += threads) s.now[i] = s.start[i] = parameters[i];
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
      for (int k = 0; k < m; ++k) sum += static_cast<double>(g.Qs[k * 2 * g.points + i]) * s.now[k];
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
      for (int c = 0; c < g.channels; ++c) {
        const float sampled = sample(planes + static_cast<std::int64_t>(c) * g.height * g.width, tap);
        const double x = sampled;
        s.texture[out + c * area] = sampled;
        sums[0] += x;
        sums[1] += x * x;
        sums[2] += x * static_cast<double>(g0[out + c * area]);
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
    for (int k = t / 32; k < g.rows; k += warps) {
      const float weight =
          warp_dot(basis + static_cast<std::int64_t>(k) * g.samples, s.texture, count * size, lane);
      if (lane == 0) s.weights_part[k] = weight;
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
#pragma unroll 8
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
    for (int i = t; i < count * q; i += threads) {
      const int l = i / q, j = i % q, landmark = first + l;
      const float* Qs = g.Qs + j * 2 * g.points + 2 * landmark;
      const bool is_mode = j < m;
      const Moved by = moved_by(j, m, is_mode ? Qs[0] : 0.0f, is_mode ? Qs[1] : 0.0f, s.model[2 * landmark],
                                s.model[2 * landmark + 1], a, b);
      s.B[2 * l * q + j] = by.x;
      s.B[(2 * l + 1) * q + j] = by.y;
    }
    __syncthreads();
    for (int i = t / 32; i < count * (g.rows + 1); i += warps) {
      const int l = i / (g.rows + 1), k = i % (g.rows + 1);
      const float *x = s.gx + l * size, *y = s.gy + l * size, *r = s.texture + l * size;
      if (k < g.rows) {
        const float* row = g.basis + static_cast<std::int64_t>(k) * g.samples + (first + l) * size;
        float along_x = 0, along_y = 0;
#pragma unroll 5
        for (int e = lane; e < size; e += 32) {
          along_x += row[e] * x[e];
          along_y += row[e] * y[e];
        }
        along_x = reduction::warp_sum(along_x);
        along_y = reduction::warp_sum(along_y);
        if (lane == 0) {
          s.products[2 * (k * count + l)] = along_x;
          s.products[2 * (k * count + l) + 1] = along_y;
        }
        continue;
      }
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
    __syncthreads();
  }

  // The part of the own landmarks in the normal equations: the lower triangle of s.system, the right side
  // below it, and s.A.
  __device__ void make_equations() {
    __shared__ double prior;
    if (t == 0) {
      double trace = 0;
      for (int l = 0; l < count; ++l)
        trace += static_cast<double>(s.sums[l].xx) + static_cast<double>(s.sums[l].yy);
      *s.trace = trace;
    }
    team::sync();
    if (t == 0) {
      double trace = 0;
      for (int r = 0; r < Blocks; ++r) trace += *team::of(s.trace, r);
      prior = prior_weight * trace / (2 * g.points);
    }
    for (int i = t; i < g.rows * q; i += threads) {
      const int k = i / q, j = i % q;
      double sum = 0;
      for (int c = 0; c < 2 * count; ++c)
        sum += static_cast<double>(s.products[2 * count * k + c]) * s.B[c * q + j];
      s.A[i] = sum;
    }
    __syncthreads();
    // G'r, with the pull towards the start: the landmarks' distances from there to first order.
    for (int l = t / 32; l < count; l += warps) {
      double dx = 0, dy = 0;
      for (int j = lane; j < q; j += 32) {
        const double d = s.now[j] - s.start[j];
        dx += s.B[2 * l * q + j] * d;
        dy += s.B[(2 * l + 1) * q + j] * d;
      }
      dx = reduction::warp_sum(dx);
      dy = reduction::warp_sum(dy);
      if (lane != 0) continue;
      s.model[2 * l] = static_cast<double>(s.sums[l].x) + prior * dx;
      s.model[2 * l + 1] = static_cast<double>(s.sums[l].y) + prior * dy;
    }
    __syncthreads();
    for (int e = t; e < (q + 1) * q; e += threads) {
      const int i = e / q, j = e % q;
      if (i < q && j > i) continue;
      double sum = 0;
      for (int l = 0; l < count; ++l) {
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
      s.system[e] = sum;
    }
    team::sync();
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
      for (int e = t; e < q * q; e += threads) {
        const int i = e / q, j = e % q;
        if (j > i) continue;
        double sum = 0;
        for (int k = 0; k < g.rows; ++k) sum += s.A[k * q + i] * s.A[k * q + j];
        s.system[e] -= sum;
      }
      __syncthreads();
      const bool solved = factorise();
      if (solved) substitute();
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

  // Elimination without square roots, the right side as one more row. Leaves L D in the lower triangle, with
  // D along the diagonal.
  __device__ bool factorise() {
    for (int j = 0; j < q; ++j) {
      const double pivot = s.system[j * q + j];
      if (!(pivot > 0)) return false;  // the same for all threads
      const double inverse = 1 / pivot;
      const int rest = q - j;  // rows below
      for (int e = t; e < rest * rest; e += threads) {
        const int i = j + 1 + e / rest, k = j + 1 + e % rest;
        if (k <= i && k < q) s.system[i * q + k] -= s.system[i * q + j] * s.system[k * q + j] * inverse;
      }
      __syncthreads();
    }
    return true;
  }

  __device__ void substitute() {
    double* right = s.system + q * q;
    for (int j = t; j < q; j += threads) s.solution[j] = 1 / s.system[j * q + j];
    __syncthreads();
    if (t >= 32) return;
    for (int j = q - 1; j >= 0; --j) {
      const double x = right[j] * s.solution[j];
      __syncwarp();
      for (int i = lane; i < j; i += 32) right[i] -= x * s.system[j * q + i];
      if (lane == 0) right[j] = x;
      __syncwarp();
    }
    for (int j = lane; j < q; j += 32) s.solution[j] = right[j];
  }

  const RefineTask& g;
  const RefineMemory s;
  const int t, lane, q;
  const int size;          // samples of a landmark
  const int first, count;  // the own landmarks
};

}  // namespace triptych::aam_fit
