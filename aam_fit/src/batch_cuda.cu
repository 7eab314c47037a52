// Looks at many faces: sampling and solving, and the parameters of shapes. A face that has stopped is skipped
// by every kernel.
#include "batch_cuda.hpp"

#include <triptych/core/cuda.cuh>
#include <triptych/core/error.hpp>
#include <triptych/reduction/detail/kernel_arch.cuh>

#include <algorithm>

namespace triptych::aam_fit {

namespace {

constexpr int threads = 512;                       // of a block that owns a face
constexpr int sample_threads = 256, chunk = 1024;  // of one that owns so many samples of a face

// The list of planes travels as an argument, so that a captured graph keeps it.
constexpr int list_part = 64;
struct PlaneList {
  PlanesOnDevice planes[list_part];
};
__global__ void list_kernel(const PlaneList list, int count, PlanesOnDevice* to, FaceState* states) {
  const int i = static_cast<int>(threadIdx.x);
  if (i >= count) return;
  to[i] = list.planes[i];
  states[i] = FaceState{};
}

// row.p by four neighbouring threads, for all of them.
__device__ float four_sum(const float* row, const float* p, int count) {
  const int t = static_cast<int>(threadIdx.x);
  float sum = 0.0f;
#pragma unroll 8
  for (int k = t & 3; k < count; k += 4) sum = fmaf(row[k], p[k], sum);
  const unsigned four = 0xFu << (t & 28);
  sum += __shfl_xor_sync(four, sum, 1);
  return sum + __shfl_xor_sync(four, sum, 2);
}

// The landmarks of the trial's parameters p (shared memory) into the face's points; true for all threads when
// one is further than the least move from where it was.
__device__ bool place_points(const BatchArguments& g, std::int64_t face, const float* p, float* model) {
  const int m = g.level.modes, count = 2 * g.level.points;
  float *points = g.points + face * count, *here = g.here + face * count;
  const int t = static_cast<int>(threadIdx.x);
  for (int i = t / 4; i < count; i += threads / 4) {  // four threads a coordinate
    const float* row = g.level.Qs + static_cast<std::int64_t>(i) * g.level.mode_stride;
    const float sum = four_sum(row, p, m);
    if ((t & 3) == 0) model[i] = g.level.s0[i] + sum;
  }
  __syncthreads();
  bool moves = false;
  for (int i = static_cast<int>(threadIdx.x); i < g.level.points; i += threads) {
    const float x = posed_x(model[2 * i], model[2 * i + 1], p + m);
    const float y = posed_y(model[2 * i], model[2 * i + 1], p + m);
    const float dx = x - here[2 * i], dy = y - here[2 * i + 1];
    moves |= !(dx * dx + dy * dy <= g.rules.least_move_px * g.rules.least_move_px);
    points[2 * i] = x;
    points[2 * i + 1] = y;
  }
  return __syncthreads_or(moves) != 0;
}

// Shared memory of the kernels that own a face: parameters, the model's landmarks, sums, products.
struct FaceShared {
  float *p, *model, *v, *known;
  __device__ FaceShared(float* memory, const LevelOnDevice& level) {
    p = memory;
    model = p + level.modes + 4;
    v = model + 2 * level.points;
    known = v + 2 * level.modes + 5 + 3;
  }
};
int face_shared_bytes(const LevelOnDevice& level) {
  return 4 * (level.modes + 4 + 2 * level.points + 2 * level.modes + 8 + 2 * level.modes + 6);
}

// The first trial is the start itself.
__global__ void start_kernel(const BatchArguments g) {
  extern __shared__ float memory[];
  const FaceShared s(memory, g.level);
  const std::int64_t face = blockIdx.x;
  const int q = g.level.modes + 4;
  for (int i = static_cast<int>(threadIdx.x); i < q; i += threads)
    s.p[i] = g.trial[face * q + i] = g.parameters[face * q + i];
  __syncthreads();
  place_points(g, face, s.p, s.model);
}

// A block owns `chunk` samples of a face.
__global__ void __launch_bounds__(sample_threads) sample_kernel(const BatchArguments g) {
  extern __shared__ __align__(8) float landmarks[];
  __shared__ float sums[sample_threads / 32][3];
  let_next_grid_start();
  wait_for_previous_grid();
  const std::int64_t face = blockIdx.y;
  if (!g.states[face].fit.running) return;
  const int t = static_cast<int>(threadIdx.x), lane = t & 31, w = t >> 5;
  const int count = 2 * g.level.points;
  for (int i = t; i < count; i += sample_threads) landmarks[i] = g.points[face * count + i];
  const PlanesOnDevice planes = g.planes[face];
  __syncthreads();
  float sum = 0.0f, squares = 0.0f, outside = 0.0f;
#pragma unroll
  for (int i = 0; i < chunk; i += sample_threads) {
    const std::int64_t column = std::int64_t{blockIdx.x} * chunk + i + t;
    if (column < g.level.padded) {
      const SampledColumn c = sample_place(planes, g.level.kappa, g.level.places[column], landmarks);
      g.x[face * g.level.padded + column] = c.x;
      sum += c.x;
      squares = fmaf(c.x, c.x, squares);
      outside += c.outside ? 1.0f : 0.0f;
    }
  }
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_xor_sync(~0u, sum, offset);
    squares += __shfl_xor_sync(~0u, squares, offset);
    outside += __shfl_xor_sync(~0u, outside, offset);
  }
  if (lane == 0) sums[w][0] = sum, sums[w][1] = squares, sums[w][2] = outside;
  __syncthreads();
  if (t < 3) {
    float total = 0.0f;
    for (int i = 0; i < sample_threads / 32; ++i) total += sums[i][t];
    g.sums[(face * g.chunks + blockIdx.x) * 3 + t] = total;
  }
}

// Adds the parts of a face's sums, in a fixed order: v[row], then sum x, sum x^2, outside. Two threads share
// a row. Ends with a barrier.
__device__ void add_parts(const BatchArguments& g, std::int64_t face, float* v) {
  __shared__ float second[threads / 2];
  const int t = static_cast<int>(threadIdx.x), half = t / (threads / 2), lane = t & 31;
  const std::int64_t stride = static_cast<std::int64_t>(g.faces) * g.rows;
  const int middle = g.splits / 2, begin = half == 0 ? 0 : middle, end = half == 0 ? middle : g.splits;
  for (int first = 0; first < g.rows; first += threads / 2) {
    const int row = first + t % (threads / 2);
    float total = 0.0f;
    if (row < g.rows) {
      const float* part = g.parts + face * g.rows + row;
#pragma unroll 16
      for (int s = begin; s < end; ++s) total += part[s * stride];
    }
    if (half == 1) second[t % (threads / 2)] = total;
    __syncthreads();
    if (half == 0 && row < g.rows) v[row] = total + second[t];
    __syncthreads();
  }
  const int kind = t / 32 - (threads / 32 - 3);  // the last three warps
  if (kind >= 0) {
    double total = 0;
    for (int i = lane; i < g.chunks; i += 32) total += g.sums[(face * g.chunks + i) * 3 + kind];
    for (int offset = 16; offset > 0; offset /= 2) total += __shfl_xor_sync(~0u, total, offset);
    if (lane == 0) v[g.rows + kind] = static_cast<float>(total);
  }
  __syncthreads();
}

struct Gain {
  double alpha, beta, spread, squares, dot;
};
__device__ Gain gain_of(const LevelOnDevice& level, const float* v) {
  const int rows = 2 * level.modes + 5;
  const double S1 = v[rows], S2 = v[rows + 1], beta = S1 / level.samples;
  const double spread = S2 - S1 * beta, dot = v[rows - 1] - beta * level.sum_g0;
  return {texture_alpha(level.normalisation, dot, spread, level.g0g0), beta, spread, S2, dot};
}

// A block owns a face: adds up, solves, judges, and writes the next trial and its landmarks.
__global__ void __launch_bounds__(threads) solve_kernel(const BatchArguments g) {
  extern __shared__ float memory[];
  __shared__ bool taken, running;
  __shared__ float scale;
  let_next_grid_start();
  wait_for_previous_grid();
  const std::int64_t face = blockIdx.x;
  FaceState& state = g.states[face];
  if (!state.fit.running) return;
  const FaceShared s(memory, g.level);
  const int t = static_cast<int>(threadIdx.x), lane = t & 31, m = g.level.modes, q = m + 4;
  float *trial = g.trial + face * q, *step = g.step + face * q, *parameters = g.parameters + face * q;
  for (int i = t; i < q; i += threads) s.p[i] = trial[i];
  add_parts(g, face, s.v);
  for (int row = t / 4; row < 2 * m + 6; row += threads / 4) {  // four threads a row
    const float* product = g.level.products + static_cast<std::int64_t>(row) * g.level.mode_stride;
    const float sum = four_sum(product, s.p, m);
    if ((t & 3) == 0) s.known[row] = sum;
  }
  __syncthreads();
  const Gain gain = gain_of(g.level, s.v);
  if (t < 32) {
    double texture = 0, quadratic = 0;
    for (int k = lane; k < m; k += 32) {
      texture += static_cast<double>(s.v[q + k]) * s.p[k];
      quadratic += static_cast<double>(s.known[q + k]) * s.p[k];
    }
    for (int offset = 16; offset > 0; offset /= 2) {
      texture += __shfl_xor_sync(~0u, texture, offset);
      quadratic += __shfl_xor_sync(~0u, quadratic, offset);
    }
    if (lane == 0) {
      const double error = gain.spread / (gain.alpha * gain.alpha) + g.level.g0g0 + quadratic -
                           2 * (gain.dot + texture - gain.beta * s.known[2 * m + 4]) / gain.alpha +
                           2.0 * s.known[2 * m + 5];
      const Look<double> look{error, has_contrast(gain.alpha, gain.spread, gain.squares, g.level.g0g0),
                              static_cast<std::int64_t>(s.v[g.rows + 2])};
      taken = true;
      if (state.fit.evaluations == 0)
        begin(state.fit, g.rules, look);
      else
        taken = judge(state.fit, g.rules, look, state.still != 0 ? 0.0 : 1e30);
      running = state.fit.running;
      scale = static_cast<float>(trial_scale(state.fit));
      if (taken)
        g.errors[face * (1 + g.rules.most_iterations) + state.fit.iterations] = static_cast<float>(error);
      g.results[face] = {static_cast<float>(state.fit.error), state.fit.iterations, state.fit.evaluations,
                         static_cast<std::int32_t>(state.fit.status)};
    }
  }
  __syncthreads();
  const auto beta = static_cast<float>(gain.beta), per_alpha = static_cast<float>(1 / gain.alpha);
  if (taken) {
    const int count = 2 * g.level.points;
    for (int i = t; i < q; i += threads) {
      parameters[i] = s.p[i];
      step[i] = g.level.Rg0[i] + s.known[i] - (s.v[i] - beta * g.level.R1[i]) * per_alpha;
    }
    for (int i = t; i < count; i += threads) g.here[face * count + i] = g.points[face * count + i];
  }
  if (!running) return;
  for (int i = t; i < q; i += threads) trial[i] = s.p[i] = fmaf(scale, step[i], parameters[i]);
  __syncthreads();
  const bool moves = place_points(g, face, s.p, s.model);
  if (t == 0) state.still = moves ? 0 : 1;
}

// A block owns a shape: its pose from s0 by least squares, c by Ks, and the landmarks to sample at.
__global__ void pose_kernel(const BatchArguments g, const float* shapes) {
  extern __shared__ float memory[];
  const FaceShared s(memory, g.level);
  __shared__ double pose[4];
  const std::int64_t face = blockIdx.x;
  const int t = static_cast<int>(threadIdx.x), lane = t & 31, m = g.level.modes, n = g.level.points;
  const float* shape = shapes + face * 2 * n;
  for (int i = t; i < 2 * n; i += threads) g.points[face * 2 * n + i] = shape[i];
  if (t < 32) {
    double sums[8] = {};  // x, y, X, Y, x^2 + y^2, xX + yY, xY - yX
    for (int i = lane; i < n; i += 32) {
      const double x = g.level.s0[2 * i], y = g.level.s0[2 * i + 1], X = shape[2 * i], Y = shape[2 * i + 1];
      sums[0] += x, sums[1] += y, sums[2] += X, sums[3] += Y;
      sums[4] += x * x + y * y, sums[5] += x * X + y * Y, sums[6] += x * Y - y * X;
    }
#pragma unroll
    for (int k = 0; k < 7; ++k)
      for (int offset = 16; offset > 0; offset /= 2) sums[k] += __shfl_xor_sync(~0u, sums[k], offset);
    if (lane == 0) {
      const double x = sums[0] / n, y = sums[1] / n, X = sums[2] / n, Y = sums[3] / n;
      const double length = sums[4] - n * (x * x + y * y);
      const double a = (sums[5] - n * (x * X + y * Y)) / length, b = (sums[6] - n * (x * Y - y * X)) / length;
      pose[0] = a - 1;
      pose[1] = b;
      pose[2] = X - (a * x - b * y);
      pose[3] = Y - (b * x + a * y);
    }
  }
  __syncthreads();
  const double a = 1 + pose[0], b = pose[1], size = a * a + b * b;
  for (int i = t; i < n; i += threads) {  // back into the model, less s0
    const double X = shape[2 * i] - pose[2], Y = shape[2 * i + 1] - pose[3];
    s.model[2 * i] = static_cast<float>((a * X + b * Y) / size - g.level.s0[2 * i]);
    s.model[2 * i + 1] = static_cast<float>((a * Y - b * X) / size - g.level.s0[2 * i + 1]);
  }
  __syncthreads();
  float* parameters = g.parameters + face * (m + 4);
  for (int k = t / 32; k < m; k += threads / 32) {  // a warp a mode
    const float* row = g.level.Ks + static_cast<std::int64_t>(k) * 2 * n;
    float sum = 0.0f;
    for (int i = lane; i < 2 * n; i += 32) sum = fmaf(row[i], s.model[i], sum);
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(~0u, sum, offset);
    if (lane == 0) parameters[k] = sum;
  }
  if (t < 4) parameters[m + t] = static_cast<float>(pose[t]);
}

// Adds Qg (g - g0) of the texture found there, where there is one.
__global__ void texture_kernel(const BatchArguments g) {
  extern __shared__ float memory[];
  const FaceShared s(memory, g.level);
  const std::int64_t face = blockIdx.x;
  const int m = g.level.modes, q = m + 4;
  add_parts(g, face, s.v);
  const Gain gain = gain_of(g.level, s.v);
  if (!has_contrast(gain.alpha, gain.spread, gain.squares, g.level.g0g0)) return;
  const float *z1 = g.level.products + static_cast<std::int64_t>(2 * m + 4) * g.level.mode_stride,
              *z0 = z1 + g.level.mode_stride;
  for (int k = static_cast<int>(threadIdx.x); k < m; k += threads)
    g.parameters[face * q + k] += static_cast<float>((s.v[q + k] - gain.beta * z1[k]) / gain.alpha) - z0[k];
}

int multiprocessors() {
  int device = 0, count = 0;
  TRIPTYCH_CUDA_CHECK(cudaGetDevice(&device));
  TRIPTYCH_CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return count;
}

constexpr int product_tile = 128, product_grain = 32;
int tiles(int count) { return (count + product_tile - 1) / product_tile; }

// Columns of a split: so many splits that the blocks of the product fill the GPU once.
std::int64_t split_columns(const LevelOnDevice& level, int faces, int gpu) {
  const int splits = std::max(1, gpu / (tiles(faces) * tiles(2 * level.modes + 5)));
  const std::int64_t share = (level.padded + splits - 1) / splits;
  return (share + product_grain - 1) / product_grain * product_grain;
}
int split_count(const LevelOnDevice& level, std::int64_t columns) {
  return static_cast<int>((level.padded + columns - 1) / columns);
}

}  // namespace

BatchFit::BatchFit(const LevelOnDevice& level, const FitRules& rules, bool exact_matrix, int most_faces)
    : level_(level),
      rules_(rules),
      exact_matrix_(exact_matrix),
      most_faces_(most_faces),
      multiprocessors_(multiprocessors()),
      depth_(prepare_batch_product()),
      planes_(most_faces),
      states_(most_faces),
      trial_(std::int64_t{most_faces} * (level.modes + 4)),
      step_(std::int64_t{most_faces} * (level.modes + 4)),
      points_(std::int64_t{most_faces} * 2 * level.points),
      here_(std::int64_t{most_faces} * 2 * level.points),
      x_(most_faces * level.padded),
      sums_(most_faces * ((level.padded + chunk - 1) / chunk) * 3) {
  // fewer faces have more splits, but the product of the two is largest for a full tile or for all
  std::int64_t parts = 0;
  for (int faces = 1; faces <= most_faces; ++faces)
    parts = std::max<std::int64_t>(
        parts, std::int64_t{faces} * split_count(level, split_columns(level, faces, multiprocessors_)));
  parts_ = DeviceBuffer<float>(parts * (2 * level.modes + 5));
  require(face_shared_bytes(level) <= 48 * 1024, "a level of ", level.modes, " modes and ", level.points,
          " points is too large for the GPU: use the CPU");
}

BatchArguments BatchFit::arguments(std::span<const PlanesOnDevice> planes, StreamRef stream) {
  const int faces = static_cast<int>(planes.size());
  for (int i = 0; i < faces; i += list_part) {
    PlaneList list;
    const int count = std::min(list_part, faces - i);
    std::copy_n(planes.begin() + i, count, list.planes);
    launch(list_kernel, LaunchShape{1, list_part}, stream, list, count, planes_.data() + i,
           states_.data() + i);
  }
  const std::int64_t columns = split_columns(level_, faces, multiprocessors_);
  return {level_,
          rules_,
          faces,
          static_cast<std::int32_t>((level_.padded + chunk - 1) / chunk),
          split_count(level_, columns),
          2 * level_.modes + 5,
          columns,
          planes_.data(),
          states_.data(),
          trial_.data(),
          step_.data(),
          points_.data(),
          here_.data(),
          x_.data(),
          sums_.data(),
          parts_.data(),
          nullptr,
          nullptr,
          nullptr};
}

void BatchFit::look(const BatchArguments& g, StreamRef stream) {
  const LaunchShape shape{dim3(static_cast<unsigned>(g.chunks), static_cast<unsigned>(g.faces)),
                          sample_threads, static_cast<std::size_t>(level_.points) * 2 * sizeof(float), 1,
                          reduction::detail::kernel_arch<sample_kernel>() >= 90};
  launch(sample_kernel, shape, stream, g);
  launch_batch_product(g, exact_matrix_, depth_, stream);
}

void BatchFit::fit(std::span<const PlanesOnDevice> planes, float* parameters, DeviceLevelFit* results,
                   float* errors, StreamRef stream) {
  BatchArguments g = arguments(planes, stream);
  g.parameters = parameters;
  g.results = results;
  g.errors = errors;
  const LaunchShape faces{static_cast<unsigned>(g.faces), threads,
                          static_cast<std::size_t>(face_shared_bytes(level_))};
  launch(start_kernel, faces, stream, g);
  LaunchShape solving = faces;
  solving.overlap = reduction::detail::kernel_arch<solve_kernel>() >= 90;
  const int looks =
      1 + (rules_.always_step != 0 ? rules_.most_iterations : rules_.most_iterations * rules_.steps);
  for (int i = 0; i < looks; ++i) {
    look(g, stream);
    launch(solve_kernel, solving, stream, g);
  }
}

void BatchFit::parameters_of(std::span<const PlanesOnDevice> planes, const float* shapes, bool with_texture,
                             float* parameters, StreamRef stream) {
  BatchArguments g = arguments(planes, stream);
  g.parameters = parameters;
  const LaunchShape faces{static_cast<unsigned>(g.faces), threads,
                          static_cast<std::size_t>(face_shared_bytes(level_))};
  launch(pose_kernel, faces, stream, g, shapes);
  if (!with_texture) return;
  look(g, stream);
  launch(texture_kernel, faces, stream, g);
}

}  // namespace triptych::aam_fit
