// Evaluates many faces: sampling and solving. Every kernel skips a face whose fit has stopped.
#include <triptych/core/cuda.cuh>
#include <triptych/core/error.hpp>
#include <triptych/reduction/collective/block.cuh>

#include <algorithm>

#include "fit/cuda/batch_cuda.hpp"
#include "fit/cuda/batch_face.cuh"

namespace triptych::aam_fit {

namespace {

constexpr int sample_threads = 256, chunk = 1024;  // of a block that owns `chunk` samples of a face

// The list of planes is a kernel argument, so that a captured graph keeps it.
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

// The landmarks of the trial's parameters p (shared memory) into the face's points; true for all threads when
// one is further than min_move_px from its position in `here` (null: there is none yet).
__device__ bool place_points(const BatchArguments& g, std::int64_t face, const float* p, float* model,
                             const float* here) {
  const int m = g.level.modes, count = 2 * g.level.points;
  float* points = g.points + face * count;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += face_threads) {
    float sum = g.level.s0[i];
    const float* row = g.level.Qs + static_cast<std::int64_t>(i) * g.level.mode_stride;
    for (int k = 0; k < m; ++k) sum = fmaf(row[k], p[k], sum);
    model[i] = sum;
  }
  __syncthreads();
  bool moves = false;
  for (int i = static_cast<int>(threadIdx.x); i < g.level.points; i += face_threads) {
    const float x = posed_x(model[2 * i], model[2 * i + 1], p + m);
    const float y = posed_y(model[2 * i], model[2 * i + 1], p + m);
    if (here != nullptr) {
      const float dx = x - here[2 * i], dy = y - here[2 * i + 1];
      moves |= !(dx * dx + dy * dy <= g.rules.min_move_px * g.rules.min_move_px);
    }
    points[2 * i] = x;
    points[2 * i + 1] = y;
  }
  return __syncthreads_or(moves) != 0;
}

// The first trial is the start itself.
__global__ void start_kernel(const BatchArguments g) {
  extern __shared__ float memory[];
  const FaceShared s(memory, g.level);
  const std::int64_t face = blockIdx.x;
  const int q = g.level.modes + 4;
  for (int i = static_cast<int>(threadIdx.x); i < q; i += face_threads)
    s.p[i] = g.trial[face * q + i] = g.parameters[face * q + i];
  __syncthreads();
  place_points(g, face, s.p, s.model, nullptr);
}

// A block owns `chunk` samples of a face.
__global__ void __launch_bounds__(sample_threads) sample_kernel(const BatchArguments g) {
  extern __shared__ __align__(8) float landmarks[];
  __shared__ float of_warp[sample_threads / 32][3];
  const std::int64_t face = blockIdx.y;
  if (!g.states[face].fit.running) return;
  const int t = static_cast<int>(threadIdx.x), count = 2 * g.level.points;
  for (int i = t; i < count; i += sample_threads) landmarks[i] = g.points[face * count + i];
  const PlanesOnDevice planes = g.planes[face];
  __syncthreads();
  float sums[3] = {};  // of x, of x^2, of samples outside
#pragma unroll
  for (int i = 0; i < chunk; i += sample_threads) {
    const std::int64_t column = std::int64_t{blockIdx.x} * chunk + i + t;
    if (column < g.level.padded) {
      const SampledColumn c =
          sample_column(planes, g.level.sample_offset, g.level.sample_warps[column], landmarks);
      g.x[face * g.level.padded + column] = c.x;
      sums[0] += c.x;
      sums[1] = fmaf(c.x, c.x, sums[1]);
      sums[2] += c.outside ? 1.0f : 0.0f;
    }
  }
  const float total = reduction::block_sums_in_order<sample_threads>(sums, of_warp);
  if (t < 3) g.sums[(face * g.chunks + blockIdx.x) * 3 + t] = total;
}

// A block owns a face: adds up, solves, judges, and writes the next trial and its landmarks.
__global__ void __launch_bounds__(face_threads) solve_kernel(const BatchArguments g) {
  extern __shared__ float memory[];
  __shared__ bool taken, running;
  __shared__ float scale;
  const std::int64_t face = blockIdx.x;
  FaceState& state = g.states[face];
  if (!state.fit.running) return;
  const FaceShared s(memory, g.level);
  const int t = static_cast<int>(threadIdx.x), lane = t & 31, m = g.level.modes, q = m + 4;
  float *trial = g.trial + face * q, *step = g.step + face * q, *parameters = g.parameters + face * q;
  for (int i = t; i < q; i += face_threads) s.p[i] = trial[i];
  add_parts(g, face, s.v);
  for (int row = t / 4; row < 2 * m + 6; row += face_threads / 4) {  // four threads a row
    float sum = 0.0f;
    const float* product = g.level.products + static_cast<std::int64_t>(row) * g.level.mode_stride;
    for (int k = t & 3; k < m; k += 4) sum = fmaf(product[k], s.p[k], sum);
    sum = reduction::group_sum<4>(sum, 0xFu << (lane & ~3));
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
    texture = reduction::warp_sum(texture);
    quadratic = reduction::warp_sum(quadratic);
    if (lane == 0) {
      const double error = gain.spread / (gain.alpha * gain.alpha) + g.level.g0g0 + quadratic -
                           2 * (gain.dot + texture - gain.beta * s.known[2 * m + 4]) / gain.alpha +
                           2.0 * s.known[2 * m + 5];
      const Evaluation<double> evaluation{error,
                                          has_contrast(gain.alpha, gain.spread, gain.squares, g.level.g0g0),
                                          static_cast<std::int64_t>(s.v[g.rows + 2])};
      taken = begin_or_judge(state.fit, g.rules, evaluation, state.still != 0);
      running = state.fit.running;
      scale = static_cast<float>(trial_scale(state.fit));
      if (taken)
        g.errors[face * (1 + g.rules.max_iterations) + state.fit.iterations] = static_cast<float>(error);
      g.results[face] = {static_cast<float>(state.fit.error), state.fit.iterations, state.fit.evaluations,
                         static_cast<std::int32_t>(state.fit.status)};
    }
  }
  __syncthreads();
  const auto beta = static_cast<float>(gain.beta), per_alpha = static_cast<float>(1 / gain.alpha);
  if (taken) {
    const int count = 2 * g.level.points;
    for (int i = t; i < q; i += face_threads) {
      parameters[i] = s.p[i];
      step[i] = g.level.Rg0[i] + s.known[i] - (s.v[i] - beta * g.level.R1[i]) * per_alpha;
    }
    for (int i = t; i < count; i += face_threads) g.here[face * count + i] = g.points[face * count + i];
  }
  if (!running) return;
  for (int i = t; i < q; i += face_threads) trial[i] = s.p[i] = fmaf(scale, step[i], parameters[i]);
  __syncthreads();
  const bool moves = place_points(g, face, s.p, s.model, g.here + face * 2 * g.level.points);
  if (t == 0) state.still = moves ? 0 : 1;
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

BatchFit::BatchFit(const LevelOnDevice& level, const FitRules& rules, bool exact_matrix, int max_faces)
    : level_(level),
      rules_(rules),
      exact_matrix_(exact_matrix),
      max_faces_(max_faces),
      multiprocessors_(multiprocessors()),
      depth_(prepare_batch_product()),
      planes_(max_faces),
      states_(max_faces),
      trial_(std::int64_t{max_faces} * (level.modes + 4)),
      step_(std::int64_t{max_faces} * (level.modes + 4)),
      points_(std::int64_t{max_faces} * 2 * level.points),
      here_(std::int64_t{max_faces} * 2 * level.points),
      x_(max_faces * level.padded),
      sums_(max_faces * ((level.padded + chunk - 1) / chunk) * 3) {
  // fewer faces have more splits, but the product of the two is largest for a full tile or for all
  std::int64_t parts = 0;
  for (int faces = 1; faces <= max_faces; ++faces)
    parts = std::max<std::int64_t>(
        parts, std::int64_t{faces} * split_count(level, split_columns(level, faces, multiprocessors_)));
  parts_ = DeviceBuffer<float>(parts * (2 * level.modes + 5));
  require(face_shared_bytes(level) <= 48 * 1024, "a level of ", level.modes, " modes and ", level.points,
          " points is too large for the GPU: use the CPU");
}

void BatchFit::set_planes(std::span<const PlanesOnDevice> planes, StreamRef stream) {
  const int faces = static_cast<int>(planes.size());
  for (int i = 0; i < faces; i += list_part) {
    PlaneList list;
    const int count = std::min(list_part, faces - i);
    std::copy_n(planes.begin() + i, count, list.planes);
    launch(list_kernel, LaunchShape{1, list_part}, stream, list, count, planes_.data() + i,
           states_.data() + i);
  }
}

BatchArguments BatchFit::arguments(int faces) {
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

void BatchFit::evaluate(const BatchArguments& g, StreamRef stream) {
  const LaunchShape shape{dim3(static_cast<unsigned>(g.chunks), static_cast<unsigned>(g.faces)),
                          sample_threads, static_cast<std::size_t>(level_.points) * 2 * sizeof(float)};
  launch(sample_kernel, shape, stream, g);
  launch_batch_product(g, exact_matrix_, depth_, stream);
}

void BatchFit::fit(std::span<const PlanesOnDevice> planes, float* parameters, DeviceLevelFit* results,
                   float* errors, StreamRef stream) {
  set_planes(planes, stream);
  BatchArguments g = arguments(static_cast<int>(planes.size()));
  g.parameters = parameters;
  g.results = results;
  g.errors = errors;
  const LaunchShape faces{static_cast<unsigned>(g.faces), face_threads,
                          static_cast<std::size_t>(face_shared_bytes(level_))};
  launch(start_kernel, faces, stream, g);
  const int evaluations =
      1 + (rules_.always_step != 0 ? rules_.max_iterations : rules_.max_iterations * rules_.steps);
  for (int i = 0; i < evaluations; ++i) {
    evaluate(g, stream);
    launch(solve_kernel, faces, stream, g);
  }
}

void BatchFit::parameters_of(std::span<const PlanesOnDevice> planes, const float* shapes, bool with_texture,
                             float* parameters, StreamRef stream) {
  BatchArguments g = arguments(static_cast<int>(planes.size()));
  g.parameters = parameters;
  launch_pose(g, shapes, stream);
  if (!with_texture) return;
  set_planes(planes, stream);
  evaluate(g, stream);
  launch_texture_parameters(g, stream);
}

}  // namespace triptych::aam_fit
