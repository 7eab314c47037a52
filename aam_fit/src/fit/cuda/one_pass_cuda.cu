// The one-pass kernels on the current GPU: what it offers, their set-up and their launch.
#include <triptych/core/error.hpp>

#include <algorithm>

#include "fit/cuda/one_pass_cuda.hpp"

namespace triptych::aam_fit {

namespace {

OnePassKernel kernel_of(const OnePassPlan& plan) {
  switch (plan.rows_per_warp) {
    case 3:
      return one_pass_kernel_of<3>(plan.storage, plan.search);
    case 5:
      return one_pass_kernel_of<5>(plan.storage, plan.search);
    case 8:
      return one_pass_kernel_of<8>(plan.storage, plan.search);
    default:
      return one_pass_kernel_of<9>(plan.storage, plan.search);
  }
}

int words_of(const OnePassPlan& plan) { return one_pass_warps * ((plan.rows_per_warp + 2) / 3); }

}  // namespace

std::int64_t word_count(const OnePassPlan& plan) {
  return 2ll * one_pass_group * plan.blocks * words_of(plan);
}

OnePassDevice current_one_pass_device() {
  int device = 0, shared = 0;
  OnePassDevice properties;
  TRIPTYCH_CUDA_CHECK(cudaGetDevice(&device));
  TRIPTYCH_CUDA_CHECK(
      cudaDeviceGetAttribute(&properties.multiprocessors, cudaDevAttrMultiProcessorCount, device));
  TRIPTYCH_CUDA_CHECK(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  properties.shared_bytes = shared;
  return OnePassDeviceLimit::applied_to(properties);
}

bool prepare_one_pass(const OnePassPlan& plan) {
  const auto kernel = kernel_of(plan);
  require(kernel != nullptr, "no one-pass kernel for this plan");
  int device = 0, shared = 0, resident = 0;
  cudaFuncAttributes attributes = {};
  TRIPTYCH_CUDA_CHECK(cudaGetDevice(&device));
  TRIPTYCH_CUDA_CHECK(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  TRIPTYCH_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  shared -= static_cast<int>(attributes.sharedSizeBytes);
  if (shared_bytes(plan) > shared) return false;
  TRIPTYCH_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  TRIPTYCH_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &resident, kernel, 32 * one_pass_warps, static_cast<std::size_t>(shared_bytes(plan))));
  return resident * current_one_pass_device().multiprocessors >= plan.blocks;
}

int resident_fits(const OnePassPlan& plan) {
  return std::clamp(current_one_pass_device().multiprocessors / plan.blocks, 1, max_one_pass_fits);
}

void launch_one_pass(const OnePassPlan& plan, const OnePassArguments& arguments, int fits, StreamRef stream) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeCooperative;  // all blocks resident together, or not launched
  attribute.val.cooperative = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(plan.blocks), static_cast<unsigned>(fits));
  config.blockDim = 32 * one_pass_warps;
  config.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes(plan));
  config.stream = to_cuda(stream);
  config.attrs = &attribute;
  config.numAttrs = 1;
  TRIPTYCH_CUDA_CHECK(cudaLaunchKernelEx(&config, kernel_of(plan), arguments));
}

}  // namespace triptych::aam_fit
