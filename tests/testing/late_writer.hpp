// LateWriter: writes device memory on a stream of its own, and so late that the caller goes on meanwhile.
#pragma once

#include <triptych/core/buffer.hpp>
#include <triptych/core/cuda.cuh>
#include <triptych/core/stream.hpp>

#include <chrono>
#include <thread>

namespace triptych::test {

class LateWriter {
 public:
  // Copies values, which must stay, to `to` some milliseconds after the call has returned. What it returns is
  // reached after the copy.
  template <class T>
  const Event& write(const DeviceBuffer<T>& values, DeviceBuffer<T>& to) {
    const auto sleep = [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(2)); };
    TRIPTYCH_CUDA_CHECK(cudaLaunchHostFunc(to_cuda(stream_), sleep, nullptr));
    copy_on_device(values.span(), to.span(), stream_);
    written_.record(stream_);
    return written_;
  }

  // To be called when the event was handed over: counts the writes that had not ended by then.
  void count_pending() { pending_ += written_.query() ? 0 : 1; }
  int pending() const { return pending_; }

 private:
  Stream stream_;
  Event written_{Timing::off};
  int pending_ = 0;
};

}  // namespace triptych::test
