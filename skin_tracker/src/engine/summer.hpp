// Who adds up the pixels for a Tracker: the CPU, a GPU, or both. One is made for a tracker and keeps what it
// needs between frames.
#pragma once

#include <triptych/skin_tracker/classifier.hpp>
#include <triptych/skin_tracker/frame.hpp>
#include <triptych/skin_tracker/head.hpp>

#include <cstdint>
#include <memory>
#include <span>

#include "engine/in_flight.hpp"

namespace triptych::skin_tracker {

class Summer {
 public:
  virtual ~Summer() = default;

  // Starts the sums over a region of a frame on the host (or on the GPU); finish() waits for those of the
  // first frame whose sums were not asked for yet. At most most_in_flight at a time. When begin()
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

  // The weight (0 .. fixed_one) of the middle pixel, (step / 2, step / 2), of each step x step tile of a
  // region inside the frame: width / step by height / step weights, row by row. The same bits everywhere.
  virtual void sample(const Frame& frame, const Region& region, int step,
                      std::span<std::uint16_t> weights) = 0;
  virtual void sample(const DeviceFrame& frame, const Region& region, int step,
                      std::span<std::uint16_t> weights) = 0;

  // Of the last call, when the work was shared.
  virtual int gpu_rows() const { return 0; }
};

std::unique_ptr<Summer> make_cpu_summer(const Classifier& classifier, FrameFormat format, int threads);
// Unavailable when there is no such GPU.
std::unique_ptr<Summer> make_cuda_summer(const Classifier& classifier, FrameFormat format, int width,
                                         int height, int ordinal, int threads);
std::unique_ptr<Summer> make_joint_summer(const Classifier& classifier, FrameFormat format, int width,
                                          int height, int ordinal, int threads, double ready_us);

}  // namespace triptych::skin_tracker
