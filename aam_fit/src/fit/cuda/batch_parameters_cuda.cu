// The parameters of shapes: the pose and c of the landmarks, and the texture's part of c.
#include <triptych/core/cuda.cuh>

#include "fit/cuda/batch_cuda.hpp"
#include "fit/cuda/batch_face.cuh"

namespace triptych::aam_fit {

namespace {

// A block owns a shape: its pose from s0 by least squares, c by Ks, and the landmarks to sample at.
__global__ void pose_kernel(const BatchArguments g, const float* shapes) {
  extern __shared__ float memory[];
  const FaceShared s(memory, g.level);
  __shared__ double pose[4];
  const std::int64_t face = blockIdx.x;
  const int t = static_cast<int>(threadIdx.x), lane = t & 31, m = g.level.modes, n = g.level.points;
  const float* shape = shapes + face * 2 * n;
  for (int i = t; i < 2 * n; i += face_threads) g.points[face * 2 * n + i] = shape[i];
  if (t < 32) {
    double sums[7] = {};  // x, y, X, Y, x^2 + y^2, xX + yY, xY - yX
    for (int i = lane; i < n; i += 32) {
      const double x = g.level.s0[2 * i], y = g.level.s0[2 * i + 1], X = shape[2 * i], Y = shape[2 * i + 1];
      sums[0] += x, sums[1] += y, sums[2] += X, sums[3] += Y;
      sums[4] += x * x + y * y, sums[5] += x * X + y * Y, sums[6] += x * Y - y * X;
    }
    for (double& sum : sums) sum = reduction::warp_sum(sum);
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
  for (int i = t; i < n; i += face_threads) {  // back into the model, less s0
    const double X = shape[2 * i] - pose[2], Y = shape[2 * i + 1] - pose[3];
    s.model[2 * i] = static_cast<float>((a * X + b * Y) / size - g.level.s0[2 * i]);
    s.model[2 * i + 1] = static_cast<float>((a * Y - b * X) / size - g.level.s0[2 * i + 1]);
  }
  __syncthreads();
  float* parameters = g.parameters + face * (m + 4);
  for (int k = t / 32; k < m; k += face_threads / 32) {  // a warp a mode
    const float* row = g.level.Ks + static_cast<std::int64_t>(k) * 2 * n;
    float sum = 0.0f;
    for (int i = lane; i < 2 * n; i += 32) sum = fmaf(row[i], s.model[i], sum);
    sum = reduction::warp_sum(sum);
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
  for (int k = static_cast<int>(threadIdx.x); k < m; k += face_threads)
    g.parameters[face * q + k] += static_cast<float>((s.v[q + k] - gain.beta * z1[k]) / gain.alpha) - z0[k];
}

}  // namespace

void launch_pose(const BatchArguments& g, const float* shapes, StreamRef stream) {
  launch(pose_kernel,
         LaunchShape{static_cast<unsigned>(g.faces), face_threads,
                     static_cast<std::size_t>(face_shared_bytes(g.level))},
         stream, g, shapes);
}

void launch_texture_parameters(const BatchArguments& g, StreamRef stream) {
  launch(texture_kernel,
         LaunchShape{static_cast<unsigned>(g.faces), face_threads,
                     static_cast<std::size_t>(face_shared_bytes(g.level))},
         stream, g);
}

}  // namespace triptych::aam_fit
