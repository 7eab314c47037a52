// The GPU's side of a frame that is shared while it is worked on: it goes down the frame in bands and reads
// the pixels where they are, in page-locked memory, and the host sees how far it is.
#pragma once

#include <triptych/core/buffer.hpp>
#include <triptych/core/device.hpp>
#include <triptych/core/stream.hpp>
#include <triptych/skin_tracker/filter.hpp>
#include <triptych/skin_tracker/frame.hpp>
#include <triptych/skin_tracker/head.hpp>

#include <cstdint>
#include <optional>

namespace triptych::skin_tracker {

class GpuBands {
 public:
  // table: empty, or the weights on the GPU that take the filter's place. For regions of up to `height` rows.
  GpuBands(const std::optional<LinearFilter>& filter, DeviceSpan<const std::uint16_t> table, int height,
           Device device);
  GpuBands(const GpuBands&) = delete;
  GpuBands& operator=(const GpuBands&) = delete;
  ~GpuBands();  // waits: the frame is the caller's again

  // The bands of the upper rows of a region, at least one, and the rows of one of them.
  void plan(const Region& region, int rows);
  int count() const { return count_; }
  Region band(int i) const;

  // Once after plan(), by one thread. The frame: as the GPU sees it.
  void start(const DeviceFrame& frame);
  // By any thread, any time; costs little, and is true for good once it is.
  bool is_in(int i) const;
  Sums sums(int i) const;  // of a band that is in
  // The GPU stops soon: nobody looks at the bands that are not in yet.
  void end();
  // Leaves nothing running, whatever went wrong.
  void abandon() noexcept;

 private:
  std::optional<LinearFilter> filter_;
  DeviceSpan<const std::uint16_t> table_;
  Device device_;
  Stream stream_;
  PinnedBuffer<std::uint64_t> sums_;
  PinnedBuffer<std::uint32_t> over_;
  DeviceBuffer<std::uint32_t> taken_;
  std::uint32_t number_ = 0;  // of the frame; wraps around
  Region region_;
  int count_ = 0;
};

}  // namespace triptych::skin_tracker
