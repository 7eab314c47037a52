// The GPU's side of a frame that is shared while it is worked on: it goes down the frame in bands and reads
// the pixels where they are, in page-locked memory, and the host sees how far it is.
#pragma once

#include <triptych/core/device.hpp>
#include <triptych/reduction/range_desk.hpp>
#include <triptych/skin_tracker/filter.hpp>
#include <triptych/skin_tracker/frame.hpp>
#include <triptych/skin_tracker/head.hpp>

namespace triptych::skin_tracker {

class GpuBands {
 public:
  // For frames of up to that size whose channels the filter was fixed for. After a frame the GPU stays at the
  // ready for the next one for so long. When this goes the frame is the caller's again.
  GpuBands(const FixedFilter& filter, FrameFormat format, int width, int height, Device device,
           double ready_us);

  // So many bands are on their way at a time.
  int lanes() const { return desk_.blocks(); }

  // The bands of the upper rows of a region, at least one, and the rows of one of them.
  void plan(const Region& region, int rows);
  int count() const { return count_; }
  Region band(int i) const;

  // Once after plan(), by one thread. The frame: as the GPU sees it. Takes next to no time when the GPU is at
  // the ready, some microseconds when it is not.
  bool is_ready() const { return desk_.is_waiting(); }
  void start(const DeviceFrame& frame);
  // By any thread, any time; costs little, and is true for good once it is. A band that is in has those that
  // are lanes(), 2 lanes(), ... above it with it.
  bool is_in(int i) const { return desk_.is_in(i); }
  // By a core that will soon look at it.
  void ask_for(int i) const { desk_.ask_for(i); }
  // Of all of those together, and how long the GPU has taken for them since it began.
  Sums sums(int i) const;
  double elapsed_us(int i) const { return desk_.elapsed_us(i); }
  // The GPU stops soon: nobody looks at the bands that are not in yet.
  void end() { desk_.end(); }
  // Leaves nothing running, whatever went wrong.
  void abandon() noexcept { desk_.leave(); }

 private:
  FixedFilter filter_;
  Device device_;
  reduction::RangeDesk desk_;
  Region region_;
  int count_ = 0;
};

}  // namespace triptych::skin_tracker
