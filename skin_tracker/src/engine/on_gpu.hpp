// What the summers with a GPU share: the weights on both sides, the table over there, and samples.
#pragma once

#include <triptych/core/buffer.hpp>
#include <triptych/core/device.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/parallel.hpp>
#include <triptych/core/stream.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "engine/gpu_side.hpp"
#include "engine/summer.hpp"
#include "engine/weighing.hpp"
#include "moments/cuda/sample_cuda.hpp"

namespace triptych::skin_tracker {

inline bool is_empty(const Region& region) { return region.width == 0 || region.height == 0; }

class OnGpu : public Summer {
 public:
  OnGpu(const Classifier& classifier, FrameFormat format, int ordinal, int threads)
      : weighing_(classifier, format, threads),
        device_(Device::cuda(ordinal)),
        threads_(threads > 0 ? threads : default_threads()) {
    device_.activate();
    if (!weighing_.table) return;
    Stream stream;
    table_ = DeviceBuffer<std::uint16_t>(static_cast<std::int64_t>(weighing_.table->weights().size()));
    copy_to_device(weighing_.table->weights(), table_.span(), stream);
    stream.synchronize();
  }

  // A few pixels of a frame on the host are quicker looked at there than sent.
  void sample(const Frame& frame, const Region& region, int step, std::span<std::uint16_t> weights) override {
    weighing_.sample(frame, region, step, weights);
  }
  void sample(const DeviceFrame& frame, const Region& region, int step,
              std::span<std::uint16_t> weights) override {
    const auto size = static_cast<std::int64_t>(weights.size());
    require(step >= 1 && size == std::int64_t{region.width / step} * (region.height / step), "room for ",
            size, " samples is not that for a region of ", region.width, " x ", region.height,
            " in steps of ", step);
    device_.activate();
    if (!sampling_) sampling_.emplace();
    if (samples_.size() < size) samples_ = PinnedBuffer<std::uint16_t>(size);
    if (weighing_.filter) {
      sample_cuda(frame, region, step, *weighing_.filter, samples_.data(), *sampling_);
    } else {
      sample_cuda(frame, region, step, table_.span(), samples_.data(), *sampling_);
    }
    sampling_->synchronize();
    std::copy_n(samples_.data(), weights.size(), weights.begin());
  }
  int gpu_rows() const override { return gpu_rows_; }

 protected:
  // Empty when a filter weighs.
  DeviceSpan<const std::uint16_t> table() const { return table_.span(); }
  std::unique_ptr<GpuSlot> make_slot(FrameFormat format, int width, int height) const {
    return std::make_unique<GpuSlot>(weighing_.filter, table_.span(), format, width, height, device_);
  }

  Weighing weighing_;
  Device device_;
  int threads_;
  int gpu_rows_ = 0;

 private:
  DeviceBuffer<std::uint16_t> table_;
  std::optional<Stream> sampling_;
  PinnedBuffer<std::uint16_t> samples_;
};

}  // namespace triptych::skin_tracker
