// Gauss-Newton steps on patches: for each fit the blocks of a cluster, or one block where there are none.
#include <triptych/core/cuda.cuh>
#include <triptych/reduction/detail/kernel_arch.cuh>

#include <span>
#include <vector>

#include "fit/refine/refine_block.cuh"
#include "fit/refine/refine_cuda.hpp"

namespace triptych::aam_fit {

namespace {

constexpr int cluster_blocks = 8;

template <int Blocks>
__global__ void __launch_bounds__(refine_threads) refine_kernel(const __grid_constant__ RefineTask g) {
  extern __shared__ __align__(16) unsigned char shared[];
  const std::int64_t fit = blockIdx.x / Blocks;
  const auto status = static_cast<FitStatus>(g.fits[fit].status);
  if (status == FitStatus::lost_outside || status == FitStatus::lost_contrast) return;
  float* const parameters = g.parameters + fit * (g.modes + 4);
  const float* const planes = g.planes + fit / g.starts * g.face;
  if (Blocks == 1 && g.memory != nullptr)
    BlockRefiner<Blocks>(g, g.memory + fit * g.memory_bytes).refine(parameters, planes);
  else
    BlockRefiner<Blocks>(g, shared).refine(parameters, planes);
}

template <class T>
DeviceBuffer<T> uploaded(const SharedArray<T>& values, StreamRef stream) {
  DeviceBuffer<T> buffer(values.size());
  copy_to_device(values.span(), buffer.span(), stream);
  return buffer;
}

std::int64_t max_shared_bytes() {
  int device = 0, bytes = 0;
  TRIPTYCH_CUDA_CHECK(cudaGetDevice(&device));
  TRIPTYCH_CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  constexpr int of_the_kernel = 4096;  // what it declares itself, and some more
  return bytes - of_the_kernel;
}

template <int Blocks>
void allow_shared_memory(std::int64_t bytes) {
  TRIPTYCH_CUDA_CHECK(cudaFuncSetAttribute(refine_kernel<Blocks>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           static_cast<int>(bytes)));
}

}  // namespace

RefinerCuda::RefinerCuda(const Model& model, int steps, int max_fits, StreamRef stream) {
  const Level& level = model.levels.back();
  const Refinement& patches = model.refinement;
  pixels_ = uploaded(patches.pixels, stream);
  g0_ = uploaded(patches.g0, stream);
  basis_ = uploaded(patches.basis, stream);
  s0_ = uploaded(level.s0, stream);
  const int coordinates = 2 * level.points;  // Qs with a mode in each row, so that reads coalesce
  std::vector<float> modes(static_cast<std::size_t>(level.Qs.size()));
  for (int k = 0; k < level.modes; ++k)
    for (int i = 0; i < coordinates; ++i)
      modes[static_cast<std::size_t>(k * coordinates + i)] = level.Qs[std::int64_t{i} * level.modes + k];
  Qs_ = DeviceBuffer<float>(level.Qs.size());
  copy_to_device(std::span<const float>(modes), Qs_.span(), stream);
  task_.points = level.points;
  task_.modes = level.modes;
  task_.side = patches.patch_samples;
  task_.channels = channels(level.features);
  task_.samples = static_cast<std::int32_t>(patches.g0.size());
  task_.rows = static_cast<std::int32_t>(patches.rows());
  task_.steps = steps;
  task_.pitch_px = static_cast<float>(patches.pitch_px);
  task_.face_size_px = static_cast<float>(level.face_size_px);
  for (const float g : patches.g0) {
    task_.g0g0 += double{g} * double{g};
    task_.sum_g0 += double{g};
  }
  task_.normalisation = level.normalisation;
  task_.pixels = pixels_.data();
  task_.g0 = g0_.data();
  task_.basis = basis_.data();
  task_.s0 = s0_.data();
  task_.Qs = Qs_.data();

  // A cluster for each fit where there are clusters, else one block; with its memory in shared memory where
  // it fits.
  const std::int64_t of_cluster = RefineMemory(nullptr, task_, cluster_blocks).bytes;
  const std::int64_t alone = RefineMemory(nullptr, task_, 1).bytes, most = max_shared_bytes();
  has_clusters_ = of_cluster <= most && reduction::detail::kernel_arch<refine_kernel<cluster_blocks>>() >= 90;
  task_.memory_bytes = has_clusters_ ? of_cluster : alone;
  if (has_clusters_) {
    allow_shared_memory<cluster_blocks>(of_cluster);
  } else if (alone <= most) {
    allow_shared_memory<1>(alone);
  } else {
    memory_ = DeviceBuffer<unsigned char>(max_fits * alone);
    task_.memory = memory_.data();
  }
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
  const int blocks = has_clusters_ ? cluster_blocks : 1;
  LaunchShape shape{static_cast<unsigned>(fits.size() * blocks), refine_threads,
                    task.memory != nullptr ? 0 : static_cast<std::size_t>(task.memory_bytes)};
  shape.cluster = static_cast<unsigned>(blocks);
  launch(has_clusters_ ? refine_kernel<cluster_blocks> : refine_kernel<1>, shape, stream, task);
}

}  // namespace triptych::aam_fit
