// LateWriter: writes device memory on a stream of its own, and so late that the caller goes on meanwhile.
#pragma once

#include <triptych/core/buffer.hpp>
#include <triptych/core/cuda.cuh>
#include <triptych/core/stream.hpp>

#include <algorithm>
#include <chrono>
#include <thread>

namespace triptych::test {

class LateWriter {
 public:
  // Two milliseconds late, or three times as late as the caller takes to go on.
  explicit LateWriter(double caller_us = 0) : delay_(static_cast<int>(std::max(2000.0, 3 * caller_us))) {}

  // Copies values, which must stay, to `to` some milliseconds after the call has returned. What it returns is
  // reached after the copy.
  template <class T>
  const Event& write(const DeviceBuffer<T>& values, DeviceBuffer<T>& to) {
    const auto sleep = [](void* delay) {
      std::this_thread::sleep_for(*static_cast<const std::chrono::microseconds*>(delay));
    };
    TRIPTYCH_CUDA_CHECK(cudaLaunchHostFunc(to_cuda(stream_), sleep, &delay_));
    copy_on_device(values.span(), to.span(), stream_);
    written_.record(stream_);
    return written_;
  }

  // To be called when the event was handed over: counts the writes that had not ended by then.
  void count_pending() { pending_ += written_.query() ? 0 : 1; }
  int pending() const { return pending_; }

 private:
  std::chrono::microseconds delay_;
  Stream stream_;
  Event written_{Timing::off};
  int pending_ = 0;
};

}  // namespace triptych::test
