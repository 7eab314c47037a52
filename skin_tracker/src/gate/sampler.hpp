// Sampler: the weights of a few pixels of a frame, for the gate of a tracker. It holds no frame.
#pragma once

#include <triptych/core/buffer.hpp>
#include <triptych/core/device.hpp>
#include <triptych/core/stream.hpp>
#include <triptych/skin_tracker/classifier.hpp>
#include <triptych/skin_tracker/frame.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "colour/cell_weights.hpp"
#include "frame/pixel_weights.hpp"

namespace triptych::skin_tracker {

class Sampler {
 public:
  // By the weights of the tracker's moments; on its GPU, too, if it has one.
  explicit Sampler(std::shared_ptr<const PixelWeights> weights);
  // By the cells of a histogram, which fit a core's cache, as a table of all colours does not.
  Sampler(const HistogramRatio& histogram, const std::optional<Device>& gpu);

  // Whether the weights hold for frames of that format.
  bool fits(FrameFormat format) const { return shared_ == nullptr || shared_->fits(format); }

  // As sample_cpu(): the same bits from a frame in host and in device memory, at most WeightMap::max_samples
  // there. Pixels in host memory are sampled by the CPU: a copy would take longer. InvalidArgument for a
  // frame on the GPU without one, or when region, step and samples do not match.
  void sample(const Frame& frame, const PixelBox& region, int step, std::span<std::uint16_t> samples);
  void sample(const DeviceFrame& frame, const PixelBox& region, int step, std::span<std::uint16_t> samples);
  // Later samples of frames in device memory are read after event. Needs a GPU.
  void wait(const Event& event) { gpu_->stream.wait(event); }

 private:
  using Weights = std::variant<FixedFilter, CellWeights>;

  struct GpuState {
    GpuState(const Device& gpu, const Weights& weights_there);
    Device device;
    Weights weights;
    Stream stream;
    PinnedBuffer<std::uint16_t> samples;
  };

  std::shared_ptr<const PixelWeights> shared_;  // null for a histogram, whose cells are here
  std::vector<std::uint16_t> cells_;
  DeviceBuffer<std::uint16_t> cells_on_gpu_;
  Weights weights_;
  std::optional<GpuState> gpu_;
};

// By any classifier, for frames of that format. threads: that build a table; 0 means all cores.
std::unique_ptr<Sampler> make_sampler(const Classifier& classifier, FrameFormat format, int threads,
                                      const std::optional<Device>& gpu);

}  // namespace triptych::skin_tracker
