#include <triptych/core/stream.hpp>

#include "frame/pixel_weights.hpp"

namespace triptych::skin_tracker {

PixelWeights::PixelWeights(const Classifier& classifier, FrameFormat format, int threads,
                           const std::optional<Device>& gpu)
    : weights_(weights_of(classifier, format, threads)), channels_(channels_of(format)), gpu_(gpu) {
  const auto* table = std::get_if<WeightTable<std::uint16_t>>(&weights_);
  if (!gpu_ || table == nullptr) return;
  gpu_->activate();
  table_on_gpu_ = DeviceBuffer<std::uint16_t>(static_cast<std::int64_t>(table->weights().size()));
  Stream stream;
  copy_to_device(table->weights(), table_on_gpu_.span(), stream);
  stream.synchronize();
}

auto PixelWeights::weights_of(const Classifier& classifier, FrameFormat format, int threads) -> Weights {
  if (const auto* linear = std::get_if<LinearFilter>(&classifier)) return fix(*linear, channels_of(format));
  return WeightTable<std::uint16_t>(classifier, threads);
}

}  // namespace triptych::skin_tracker
