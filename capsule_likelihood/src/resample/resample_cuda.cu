// Weights and systematic resampling on the GPU.
#include <triptych/capsule_likelihood/resample.hpp>
#include <triptych/core/cuda.cuh>

#include "resample/resample_checks.hpp"
#include "resample/weigh_block.cuh"

namespace triptych::capsule_likelihood {

namespace {

// One block for all samples: the search for the exponent is a chain of sums, each over few values.
__global__ void __launch_bounds__(weigh_threads)
    temper_kernel(DeviceSpan<const double> log_likelihoods, double target, double max_loss,
                  DeviceSpan<std::uint32_t> weights, Tempering* result) {
  const int n = static_cast<int>(log_likelihoods.size());
  const Tempering tempering = temper_block(log_likelihoods.data(), n, target, max_loss);
  for (int j = static_cast<int>(threadIdx.x); j < n; j += weigh_threads)
    weights[j] = weight_under(tempering, log_likelihoods[j]);
  if (threadIdx.x == 0) *result = tempering;
}

__global__ void __launch_bounds__(weigh_threads)
    scan_kernel(DeviceSpan<const std::uint32_t> weights, std::uint64_t* sums) {
  scan_block(
      static_cast<int>(weights.size()), [&](int j) { return std::uint64_t{weights[j]}; }, sums);
}

// One thread finds one ancestor.
__global__ void ancestors_kernel(const std::uint64_t* sums, int n, std::uint32_t bits,
                                 DeviceSpan<std::int32_t> ancestors) {
  const std::int64_t k = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= ancestors.size()) return;
  const Comb comb = make_comb(sums[n - 1], bits, static_cast<std::uint64_t>(ancestors.size()));
  ancestors[k] = first_above(sums, n, comb.tooth(static_cast<std::uint64_t>(k)));
}

}  // namespace

void temper_cuda(DeviceSpan<const double> log_likelihoods, double target_effective_samples,
                 DeviceSpan<std::uint32_t> weights, Tempering* tempering_on_device, StreamRef stream,
                 double max_loss) {
  check_temper(log_likelihoods.size(), target_effective_samples, max_loss, weights.size());
  launch(temper_kernel, {.grid = dim3(1), .block = dim3(weigh_threads)}, stream, log_likelihoods,
         target_effective_samples, max_loss, weights, tempering_on_device);
}

void resample_cuda(DeviceSpan<const std::uint32_t> weights, std::uint32_t bits,
                   DeviceSpan<std::int32_t> ancestors, Workspace& workspace, StreamRef stream) {
  check_resample(weights.size(), ancestors.size());
  if (ancestors.empty()) return;
  workspace.reserve(static_cast<std::size_t>(weights.size()) * sizeof(std::uint64_t), stream);
  auto* const sums = reinterpret_cast<std::uint64_t*>(workspace.scratch());
  launch(scan_kernel, {.grid = dim3(1), .block = dim3(weigh_threads)}, stream, weights, sums);
  launch(ancestors_kernel,
         {.grid = dim3(static_cast<unsigned>((ancestors.size() + 255) / 256)), .block = dim3(256)}, stream,
         sums, static_cast<int>(weights.size()), bits, ancestors);
}

}  // namespace triptych::capsule_likelihood
