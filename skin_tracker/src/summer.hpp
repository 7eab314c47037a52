// Who adds up the pixels for a Tracker: the CPU, a GPU, or both. One is made for a tracker and keeps what it
// needs between frames.
#pragma once

#include <triptych/skin_tracker/classifier.hpp>
#include <triptych/skin_tracker/frame.hpp>
#include <triptych/skin_tracker/head.hpp>

#include <cstdint>
#include <memory>
#include <span>

namespace triptych::skin_tracker {

class Summer {
 public:
  virtual ~Summer() = default;

  // The sums over a region of a frame on the host (or on the GPU), ready when it returns. A second call for
  // the same frame with again = true may rely on the frame being where the first one put it.
  virtual Sums sum(const Frame& frame, const Region& region, bool again) = 0;
  virtual Sums sum(const DeviceFrame& frame, const Region& region, bool again) = 0;

  // The weight (0 .. fixed_one) of the middle pixel, (step / 2, step / 2), of each step x step tile of a
  // region inside the frame: width / step by height / step weights, row by row. The same bits everywhere.
  // Has no say in what again means. These here ask for the sum of each pixel by itself: right, and slow on a
  // GPU.
  virtual void sample(const Frame& frame, const Region& region, int step, std::span<std::uint16_t> weights);
  virtual void sample(const DeviceFrame& frame, const Region& region, int step,
                      std::span<std::uint16_t> weights);

  // Of the last call, when the work was shared.
  virtual int gpu_rows() const { return 0; }
};

std::unique_ptr<Summer> make_cpu_summer(const Classifier& classifier, int threads);
// Unavailable when there is no such GPU.
std::unique_ptr<Summer> make_cuda_summer(const Classifier& classifier, FrameFormat format, int width,
                                         int height, int ordinal);
std::unique_ptr<Summer> make_joint_summer(const Classifier& classifier, FrameFormat format, int width,
                                          int height, int ordinal, int threads);

}  // namespace triptych::skin_tracker
