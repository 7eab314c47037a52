// MomentEngine: computes the moments of a tracker's frames on the CPU, on a GPU, or on both. Made for one
// frame format and size; it keeps its buffers between frames.
#pragma once

#include <triptych/core/stream.hpp>
#include <triptych/skin_tracker/frame.hpp>
#include <triptych/skin_tracker/head.hpp>

#include <memory>

#include "engine/in_flight.hpp"
#include "frame/pixel_weights.hpp"

namespace triptych::skin_tracker {

class MomentEngine {
 public:
  virtual ~MomentEngine() = default;

  // begin() starts the moments of a region of a frame in host (or device) memory; finish() waits for the
  // oldest frame that was begun and not finished. At most max_in_flight at a time. When begin() throws,
  // nothing was started. Pageable memory has been read when begin() returns; pinned and device memory is read
  // until finish().
  virtual void begin(const Frame& frame, const PixelBox& region) = 0;
  virtual void begin(const DeviceFrame& frame, const PixelBox& region) = 0;
  virtual Moments finish() = 0;
  // The streams of frames that are begun later wait for event.
  virtual void wait(const Event& event) { event.synchronize(); }

  template <class F>
  Moments compute(const F& frame, const PixelBox& region) {
    begin(frame, region);
    return finish();
  }

  // Rows that the GPU computed in the last call.
  virtual int gpu_rows() const { return 0; }
};

using SharedWeights = std::shared_ptr<const PixelWeights>;

std::unique_ptr<MomentEngine> make_cpu_engine(SharedWeights weights, int threads);
// The weights need a GPU and the channels of that format. Unavailable in a build without CUDA.
std::unique_ptr<MomentEngine> make_cuda_engine(const SharedWeights& weights, FrameFormat format, int width,
                                               int height, int threads);
std::unique_ptr<MomentEngine> make_joint_engine(const SharedWeights& weights, FrameFormat format, int width,
                                                int height, int threads);

}  // namespace triptych::skin_tracker
