// GpuSlot: the device memory and the stream for one frame in flight.
#pragma once

#include <triptych/core/buffer.hpp>
#include <triptych/core/device.hpp>
#include <triptych/core/stream.hpp>
#include <triptych/core/workspace.hpp>
#include <triptych/skin_tracker/frame.hpp>
#include <triptych/skin_tracker/head.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "frame/pixel_weights.hpp"

namespace triptych::skin_tracker {

// Each slot has its own stream, so that its copy overlaps with the kernel of another slot. The kernel writes
// its 48 bytes of result to pinned memory, which the host polls.
class GpuSlot {
 public:
  // The weights must have a GPU.
  GpuSlot(std::shared_ptr<const PixelWeights> weights, FrameFormat format, int width, int height);
  GpuSlot(const GpuSlot&) = delete;
  GpuSlot& operator=(const GpuSlot&) = delete;
  ~GpuSlot();  // waits: nothing reads the caller's frame any more

  // A frame in host memory is copied in pieces: plan() returns how many, put() copies one (by any thread, in
  // any order, each once); the last one starts the kernel. Pinned memory is one piece, without staging.
  int plan(const Frame& frame, const PixelBox& region);
  void put(int piece);
  void start(const DeviceFrame& frame, const PixelBox& region);

  bool is_done() const;  // does not wait
  // CudaError when the GPU could not do it.
  Moments wait();
  // Waits until nothing runs, also after an error.
  void abandon() noexcept;

  StreamRef stream() const { return stream_; }

 private:
  // One plane of a frame, in the same layout in device memory and in the staging buffer.
  struct Plane {
    std::int64_t offset = 0, pitch = 0, row_bytes = 0;
  };

  template <class Of>
  void for_planes(int first, int last, Of of) const;
  void stage(int first, int last);
  void send(int first, int last);
  void copy_rows(const std::uint8_t* from, std::int64_t from_pitch, const Plane& plane, std::int64_t first,
                 std::int64_t last);
  void start_moments(const DeviceFrame& frame, const PixelBox& region);

  std::shared_ptr<const PixelWeights> weights_;
  FrameFormat format_;
  int width_, height_;
  Device device_;
  Plane plane_, chroma_;
  Stream stream_;
  Workspace workspace_;
  DeviceBuffer<std::uint8_t> frame_;
  PinnedBuffer<std::uint8_t> staging_;
  PinnedBuffer<Moments> moments_;

  // The copy in progress: rows [first_row_, last_row_) in pieces. Several pieces make a group, which is sent
  // when it is complete; left_: the pieces that a group still lacks.
  static constexpr int max_groups = 64;
  std::optional<Frame> source_;
  PixelBox region_;
  int first_row_ = 0, last_row_ = 0, piece_rows_ = 0, group_rows_ = 0, groups_ = 0;
  std::array<std::atomic<int>, max_groups + 1> left_{};
  bool pinned_ = false;
  std::atomic<int> sent_{0};
};

}  // namespace triptych::skin_tracker
