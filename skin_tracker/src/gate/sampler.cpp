#include <triptych/core/error.hpp>

#include <algorithm>
#include <utility>

#include "gate/sampler.hpp"
#include "gate/weight_map.hpp"
#include "moments/cuda/sample_cuda.hpp"
#include "moments/sample_cpu.hpp"

namespace triptych::skin_tracker {

namespace {

constexpr auto max_samples = static_cast<std::int64_t>(WeightMap::max_samples);

}  // namespace

Sampler::GpuState::GpuState(const Device& gpu, const Weights& weights_there)
    : device(activated(gpu)), weights(weights_there), samples(max_samples) {}

Sampler::Sampler(std::shared_ptr<const PixelWeights> weights)
    : shared_(std::move(weights)), weights_(shared_->on_host([](const auto& by) { return Weights(by); })) {
  if (shared_->gpu())
    gpu_.emplace(*shared_->gpu(), shared_->on_gpu([](const auto& by) { return Weights(by); }));
}

Sampler::Sampler(const HistogramRatio& histogram, const std::optional<Device>& gpu)
    : cells_(cell_weights(histogram)), weights_(CellWeights(cells_.data(), histogram.bits)) {
  if (!gpu) return;
  gpu->activate();
  cells_on_gpu_ = DeviceBuffer<std::uint16_t>(static_cast<std::int64_t>(cells_.size()));
  gpu_.emplace(*gpu, CellWeights(cells_on_gpu_.data(), histogram.bits));
  copy_to_device(std::span<const std::uint16_t>(cells_), cells_on_gpu_.span(), gpu_->stream);
  gpu_->stream.synchronize();
}

void Sampler::sample(const Frame& frame, const PixelBox& region, int step, std::span<std::uint16_t> samples) {
  std::visit([&](const auto& by) { sample_cpu(frame, region, step, by, samples); }, weights_);
}

void Sampler::sample(const DeviceFrame& frame, const PixelBox& region, int step,
                     std::span<std::uint16_t> samples) {
  require(gpu_.has_value(), "a tracker on the CPU cannot take a frame that is on the GPU");
  const auto size = static_cast<std::int64_t>(samples.size());
  require(step >= 1 && size == std::int64_t{region.width / step} * (region.height / step), "room for ", size,
          " samples is not that for a region of ", region.width, " x ", region.height, " in steps of ", step);
  require(size <= max_samples, "a GPU takes up to ", max_samples, " samples at a time, not ", size);
  gpu_->device.activate();
  std::visit(
      [&](const auto& by) { sample_cuda(frame, region, step, by, gpu_->samples.data(), gpu_->stream); },
      gpu_->weights);
  gpu_->stream.synchronize();
  std::copy_n(gpu_->samples.data(), samples.size(), samples.begin());
}

std::unique_ptr<Sampler> make_sampler(const Classifier& classifier, FrameFormat format, int threads,
                                      const std::optional<Device>& gpu) {
  if (const auto* histogram = std::get_if<HistogramRatio>(&classifier))
    return std::make_unique<Sampler>(*histogram, gpu);
  return std::make_unique<Sampler>(std::make_shared<const PixelWeights>(classifier, format, threads, gpu));
}

}  // namespace triptych::skin_tracker
