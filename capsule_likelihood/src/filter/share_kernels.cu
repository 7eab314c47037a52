// The kernels of a filter that several ranks or cameras share.
#include <triptych/core/cuda.cuh>

#include "filter/filter_kernels.hpp"
#include "geometry/rigid_transform_math.hpp"
#include "rays/sensor_math.hpp"

namespace triptych::capsule_likelihood {

namespace {

constexpr int share_threads = 128;

// A thread owns a capsule.
__global__ void into_camera_kernel(Capsule* bodies, std::int64_t count, RigidTransform camera_from_world) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) bodies[i] = transformed(camera_from_world, bodies[i]);
}

// A thread owns a sample.
__global__ void log_likelihoods_kernel(const std::int64_t* losses, std::int64_t count, double step,
                                       double* log_likelihoods) {
  const std::int64_t j = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (j < count) log_likelihoods[j] = log_likelihood(static_cast<std::uint64_t>(losses[j]), 0, step);
}

unsigned share_blocks(std::int64_t count) {
  return static_cast<unsigned>((count + share_threads - 1) / share_threads);
}

}  // namespace

void enqueue_into_camera(DeviceSpan<Capsule> bodies, const RigidTransform& camera_from_world,
                         StreamRef stream) {
  launch(into_camera_kernel, {.grid = dim3(share_blocks(bodies.size())), .block = dim3(share_threads)},
         stream, bodies.data(), bodies.size(), camera_from_world);
}

void enqueue_log_likelihoods(DeviceSpan<const std::int64_t> losses, double step, double* log_likelihoods,
                             StreamRef stream) {
  launch(log_likelihoods_kernel, {.grid = dim3(share_blocks(losses.size())), .block = dim3(share_threads)},
         stream, losses.data(), losses.size(), step, log_likelihoods);
}

}  // namespace triptych::capsule_likelihood
