// Who adds up the pixels for a Tracker: the CPU, a GPU, or both. One is made for a tracker and keeps what it
// needs between frames.
#pragma once

#include <triptych/skin_tracker/frame.hpp>
#include <triptych/skin_tracker/head.hpp>

#include <memory>

#include "engine/in_flight.hpp"
#include "frame/pixel_weights.hpp"

namespace triptych::skin_tracker {

class Summer {
 public:
  virtual ~Summer() = default;

  // Starts the sums over a region of a frame on the host (or on the GPU); finish() waits for those of the
  // first frame whose sums were not asked for yet. At most max_in_flight at a time. When begin()
  // throws, nothing was started. Pageable memory has been read when begin() returns; page-locked and device
  // memory is read until finish().
  virtual void begin(const Frame& frame, const Region& region) = 0;
  virtual void begin(const DeviceFrame& frame, const Region& region) = 0;
  virtual Sums finish() = 0;

  template <class F>
  Sums sum(const F& frame, const Region& region) {
    begin(frame, region);
    return finish();
  }

  // Of the last call, when the work was shared.
  virtual int gpu_rows() const { return 0; }
};

using SharedWeights = std::shared_ptr<const PixelWeights>;

std::unique_ptr<Summer> make_cpu_summer(SharedWeights weights, int threads);
// The weights: with a GPU, for frames of that format. Unavailable in a build without CUDA.
std::unique_ptr<Summer> make_cuda_summer(const SharedWeights& weights, FrameFormat format, int width,
                                         int height, int threads);
std::unique_ptr<Summer> make_joint_summer(const SharedWeights& weights, FrameFormat format, int width,
                                          int height, int threads, double ready_us);

}  // namespace triptych::skin_tracker
