// The plan of the one-pass kernel for a level and a GPU, and its launch.
#include <triptych/core/error.hpp>

#include <algorithm>

#include "fit/cuda/one_pass_cuda.hpp"

namespace triptych::aam_fit {

namespace {

// More than the kernels declare.
constexpr std::int64_t static_shared_bytes(const OnePassPlan& plan) { return (plan.search ? 23 : 16) * 1024; }

int rows_per_warp_for(int modes) {
  if (modes <= 20) return 3;
  if (modes <= 36) return 5;
  if (modes <= 60) return 8;
  return modes <= 64 ? 9 : 0;
}

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

std::int64_t shared_bytes(const OnePassPlan& plan) {
  const std::int64_t columns = plan.columns;
  const std::int64_t x = (plan.search ? one_pass_group : 1) * columns * 4 +
                         std::int64_t{32 * one_pass_warps * 4} *
                             shared_product_parts(plan.rows_per_warp, plan.storage, plan.search);
  switch (plan.storage) {
    case MatrixStorage::shared_float:
      return x + slots(plan) * columns * 4;
    case MatrixStorage::registers_float:
      return x + std::int64_t{one_pass_warps} * (plan.rows_per_warp - 2) * columns * 4;
    case MatrixStorage::shared_half:
      return x + slots(plan) * columns * 2;
    default:
      return x;
  }
}

OnePassDevice current_one_pass_device() {
  int device = 0, shared = 0;
  OnePassDevice properties;
  TRIPTYCH_CUDA_CHECK(cudaGetDevice(&device));
  TRIPTYCH_CUDA_CHECK(
      cudaDeviceGetAttribute(&properties.multiprocessors, cudaDevAttrMultiProcessorCount, device));
  TRIPTYCH_CUDA_CHECK(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  properties.shared_bytes = shared;
  return properties;
}

// Every block sends words to every block: few blocks with many samples are best, as long as their part of the
// matrix stays on the chip.
OnePassPlan plan_one_pass(std::int64_t samples, int modes, int points, Storage storage, bool search,
                          const OnePassDevice& device) {
  OnePassPlan plan;
  plan.search = search;
  if (points > max_one_pass_points || samples > (std::int64_t{1} << 30)) return plan;
  const int rows = rows_per_warp_for(modes);
  if (rows == 0) return plan;
  const bool half = storage == Storage::float16;
  const int grain = half ? 256 : 128;
  const auto blocks_of = [&](int columns) { return static_cast<int>((samples + columns - 1) / columns); };
  const auto fits = [&](const OnePassPlan& p) {
    return shared_bytes(p) + static_shared_bytes(p) <= device.shared_bytes &&
           p.blocks <= device.multiprocessors;
  };
  plan.rows_per_warp = rows;
  constexpr int max_blocks_small = 32, max_blocks_middle = 64;
  int columns = samples <= std::int64_t{128} * max_blocks_small    ? 128
                : samples <= std::int64_t{256} * max_blocks_middle ? 256
                                                                   : 512;
  columns = std::max(columns, grain);
  if (blocks_of(columns) > device.multiprocessors) {
    const auto share = static_cast<int>((samples + device.multiprocessors - 1) / device.multiprocessors);
    columns = (share + grain - 1) / grain * grain;
  }
  const auto kept = [&](int c, MatrixStorage storage) {
    plan.columns = c;
    plan.blocks = blocks_of(c);
    plan.storage = storage;
    return fits(plan);
  };
  if (kept(columns, half ? MatrixStorage::shared_half : MatrixStorage::shared_float)) return plan;
  if (!half) {
    for (int c = columns - grain; c >= grain; c -= grain)
      if (blocks_of(c) <= 96 && kept(c, MatrixStorage::shared_float)) return plan;
    if (rows == 8 && columns <= 512 && kept(512, MatrixStorage::registers_float)) return plan;
  }
  for (int c = columns - grain; c >= grain; c -= grain)
    if (kept(c, half ? MatrixStorage::shared_half : MatrixStorage::shared_float)) return plan;
  kept(columns, half ? MatrixStorage::streamed_half : MatrixStorage::streamed_float);
  return plan;
}

std::string to_string(const OnePassPlan& plan) {
  const char* where = plan.storage == MatrixStorage::shared_float ? "floats in shared memory"
                      : plan.storage == MatrixStorage::registers_float
                          ? "floats in registers and shared memory"
                      : plan.storage == MatrixStorage::shared_half    ? "halves in shared memory"
                      : plan.storage == MatrixStorage::streamed_float ? "floats streamed from memory"
                                                                      : "halves streamed from memory";
  return "one pass, " + std::to_string(plan.blocks) + " blocks of " + std::to_string(plan.columns) +
         " samples, " + where;
}

void prepare_one_pass(const OnePassPlan& plan) {
  const auto kernel = kernel_of(plan);
  require(kernel != nullptr, "no one-pass kernel for this plan");
  TRIPTYCH_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           static_cast<int>(shared_bytes(plan))));
  int resident = 0;
  TRIPTYCH_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &resident, kernel, 32 * one_pass_warps, static_cast<std::size_t>(shared_bytes(plan))));
  if (resident * current_one_pass_device().multiprocessors < plan.blocks)
    throw Unavailable("the GPU cannot hold the " + std::to_string(plan.blocks) +
                      " blocks of a one-pass fit at once: use Form::paper");
}

void launch_one_pass(const OnePassPlan& plan, const OnePassArguments& arguments, StreamRef stream) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeCooperative;  // all blocks resident together, or not launched
  attribute.val.cooperative = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = static_cast<unsigned>(plan.blocks);
  config.blockDim = 32 * one_pass_warps;
  config.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes(plan));
  config.stream = to_cuda(stream);
  config.attrs = &attribute;
  config.numAttrs = 1;
  TRIPTYCH_CUDA_CHECK(cudaLaunchKernelEx(&config, kernel_of(plan), arguments));
}

}  // namespace triptych::aam_fit
