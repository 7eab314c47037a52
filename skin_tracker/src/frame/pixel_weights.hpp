// PixelWeights: a classifier prepared for the pixels of one frame format.
#pragma once

#include <triptych/core/buffer.hpp>
#include <triptych/core/device.hpp>
#include <triptych/skin_tracker/classifier.hpp>
#include <triptych/skin_tracker/filter.hpp>
#include <triptych/skin_tracker/frame.hpp>
#include <triptych/skin_tracker/weight_table.hpp>

#include <cstdint>
#include <optional>
#include <variant>

#include "frame/pixel_math.hpp"

namespace triptych::skin_tracker {

// A linear filter is evaluated per pixel; any other classifier becomes one table, so that CPU and GPU agree.
class PixelWeights {
 public:
  // threads: for building the table; 0 means all cores. gpu: the weights are needed there, too.
  // InvalidArgument when the classifier is not valid.
  PixelWeights(const Classifier& classifier, FrameFormat format, int threads,
               const std::optional<Device>& gpu = {});

  const std::optional<Device>& gpu() const { return gpu_; }
  // Whether the weights hold for frames of that format.
  bool fits(FrameFormat format) const { return filter() == nullptr || channels_of(format) == channels_; }
  // Null with a table.
  const FixedFilter* filter() const { return std::get_if<FixedFilter>(&weights_); }

  // of(the filter) or of(the table): a WeightTable on the host, a DeviceSpan on the GPU.
  template <class Of>
  auto on_host(Of of) const {
    return std::visit(of, weights_);
  }
  template <class Of>
  auto on_gpu(Of of) const {
    return filter() != nullptr ? of(*filter()) : of(table_on_gpu_.span());
  }

 private:
  using Weights = std::variant<FixedFilter, WeightTable<std::uint16_t>>;
  static Weights weights_of(const Classifier& classifier, FrameFormat format, int threads);

  Weights weights_;
  Channels channels_;
  std::optional<Device> gpu_;
  DeviceBuffer<std::uint16_t> table_on_gpu_;
};

}  // namespace triptych::skin_tracker
