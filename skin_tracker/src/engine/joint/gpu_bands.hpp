// GpuBands: the GPU's part of a frame that CPU and GPU share. The GPU processes bands of rows from the top,
// reads the pixels in place from pinned memory, and writes the moments of each band to a HostMailbox.
#pragma once

#include <triptych/core/device.hpp>
#include <triptych/reduction/host_mailbox.hpp>
#include <triptych/skin_tracker/filter.hpp>
#include <triptych/skin_tracker/frame.hpp>
#include <triptych/skin_tracker/head.hpp>

namespace triptych::skin_tracker {

class GpuBands {
 public:
  // For frames of up to that size; the filter must be fixed for the format's channels. The kernel stays
  // resident for persistent_us after a frame. The destructor stops it.
  GpuBands(const FixedFilter& filter, FrameFormat format, int width, int height, const Device& device,
           double persistent_us);

  // Bands that are processed concurrently, one per block.
  int lanes() const { return mailbox_.blocks(); }

  // Divides the upper rows of a region into bands, at least one; band(i) returns the rows of one of them.
  void plan(const PixelBox& region, int rows);
  int count() const { return count_; }
  PixelBox band(int i) const;

  // Once after plan(), by one thread. The frame has device pointers. Takes well under a microsecond when the
  // kernel is resident, some microseconds when it must be launched.
  bool is_resident() const { return mailbox_.kernel_is_waiting(); }
  void start(const DeviceFrame& frame);
  // By any thread at any time; cheap; stays true. When band i is done, so are i - lanes(), i - 2 lanes(), ...
  bool is_done(int i) const { return mailbox_.has_result(i); }
  // Prefetches the result of a band.
  void prefetch(int i) const { mailbox_.prefetch(i); }
  // Of all of those bands together, and the GPU's time for them since it started.
  Moments moments(int i) const;
  double elapsed_us(int i) const { return mailbox_.elapsed_us(i); }
  // Ends the frame: the GPU skips the remaining bands.
  void end() { mailbox_.end(); }
  // Stops the kernel, also after an error.
  void abandon() noexcept { mailbox_.stop_kernel(); }

 private:
  FixedFilter filter_;
  Device device_;
  reduction::HostMailbox mailbox_;
  PixelBox region_;
  int count_ = 0;
};

}  // namespace triptych::skin_tracker
