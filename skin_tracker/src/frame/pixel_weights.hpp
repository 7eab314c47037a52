// What the pixels of a tracker's frames weigh, fixed once for the frames' format.
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

namespace triptych::skin_tracker {

// A linear filter is evaluated, any other classifier looked up: in one table, so that CPU and GPU agree.
class PixelWeights {
 public:
  // threads: that build the table; 0 means all cores. gpu: weighs pixels, too. InvalidArgument when the
  // classifier cannot be asked.
  PixelWeights(const Classifier& classifier, FrameFormat format, int threads,
               const std::optional<Device>& gpu = {});

  const std::optional<Device>& gpu() const { return gpu_; }
  // Null when a table weighs.
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
  std::optional<Device> gpu_;
  DeviceBuffer<std::uint16_t> table_on_gpu_;
};

}  // namespace triptych::skin_tracker
