// Tracker: follows one head through frames. Made once for a device and a frame size, then fed frames; it owns
// buffers and streams, and allocates nothing afterwards.
#pragma once

#include <triptych/core/device.hpp>
#include <triptych/skin_tracker/classifier.hpp>
#include <triptych/skin_tracker/frame.hpp>
#include <triptych/skin_tracker/head.hpp>
#include <triptych/skin_tracker/one_euro.hpp>

#include <cstdint>
#include <memory>
#include <optional>

namespace triptych::skin_tracker {

// joint: the GPU takes the upper rows, the CPU the rest; the split is learnt (split.hpp).
enum class TrackOn { cpu, cuda, joint };

struct TrackerOptions {
  TrackOn on = TrackOn::cpu;
  int threads = 0;  // of the CPU; 0: all cores
  int ordinal = 0;  // of the GPU
  // Joint, with frames in page-locked memory: how long the GPU stays at the ready after a frame, up to a
  // second. A frame that comes within that time begins there 6 us earlier; meanwhile some multiprocessors,
  // seven for RGBA, do nothing but wait, and so does whoever waits for the whole GPU (to free memory, say).
  // 0: not at all.
  double ready_us = 500;

  // Gating: only a window around the last position counts, so that hands, other faces and walls of skin
  // colour are not followed; the whole frame is looked at again when the head was lost.
  bool gate = false;
  std::optional<Region> start;  // where the head is in the first frame (its box); without it: the whole frame
  // What the gate goes by, such as the colours of a calibration; without it: by the classifier. The head's
  // place and area inside the window are always the classifier's.
  std::optional<Classifier> gate_by;

  bool smooth = false;
  OneEuroOptions smoothing;

  // Distance = reference_distance_m * sqrt(reference_area / area), in metres.
  double reference_area = 0.05;
  double reference_distance_m = 0.6;

  double lost_below_area = 1e-4;  // less skin than this share of the frame: no head
};

struct TrackedHead {
  std::int64_t frame = 0;
  bool found = false;
  double x_px = 0, y_px = 0;  // smoothed when asked; when not found: where it was last
  double area = 0;            // share of the frame
  double distance_m = 0;      // when not found: the last one
  Head raw;                   // as measured in this frame (in the window, when gated)
  Region window;              // what was looked at
  double latency_us = 0;      // from the call to the result
};

struct LatencyStatistics {
  std::int64_t frames = 0;
  double median_us = 0, p90_us = 0, p99_us = 0, worst_us = 0, mean_us = 0;
};

class Tracker {
 public:
  // InvalidArgument for sizes or options that make no sense; Unavailable when a GPU is asked for and there is
  // none.
  Tracker(const Classifier& classifier, FrameFormat format, int width, int height,
          const TrackerOptions& options = {});
  Tracker(Tracker&&) noexcept;
  Tracker& operator=(Tracker&&) noexcept;
  ~Tracker();

  // seconds: since the last frame, for the smoothing. InvalidArgument when the frame has another size or
  // format than the tracker was made for.
  TrackedHead track(const Frame& frame, double seconds = 1.0 / 30);
  // A frame that is on the GPU already, its pixels too: the tracker has a stream of its own and waits for no
  // other. InvalidArgument unless the tracker runs on a GPU.
  TrackedHead track(const DeviceFrame& frame, double seconds = 1.0 / 30);

  // The same in two halves, for a stream of frames: submit() starts a frame, next() gives the heads in the
  // order of their frames. On a GPU the copy of a frame then overlaps with the sums over the one before it;
  // the CPU, alone or beside a GPU, does its work in submit(). A frame in page-locked memory or on the GPU
  // must stay as it is until its head is out; any other may change when submit() returns. InvalidArgument
  // when max_in_flight frames are on their way, and from next() when none is.
  static constexpr int max_in_flight = 3;
  void submit(const Frame& frame, double seconds = 1.0 / 30);
  void submit(const DeviceFrame& frame, double seconds = 1.0 / 30);
  TrackedHead next();
  int in_flight() const;

  // Forgets the position: the next frame is searched as a whole.
  void reset();
  LatencyStatistics latency() const;
  // Of the last frame, joint only: the rows that the GPU took.
  int gpu_rows() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace triptych::skin_tracker
