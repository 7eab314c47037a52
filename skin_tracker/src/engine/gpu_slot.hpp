// What a tracker has on the GPU: frames' copies, and the sums over them, several at a time.
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

// One frame on its way: memory, a stream of its own, so that its copy overlaps with another one's sums, and
// the 48 bytes that the kernel leaves in page-locked memory, where the host watches them come.
class GpuSlot {
 public:
  // The weights: with a GPU.
  GpuSlot(std::shared_ptr<const PixelWeights> weights, FrameFormat format, int width, int height);
  GpuSlot(const GpuSlot&) = delete;
  GpuSlot& operator=(const GpuSlot&) = delete;
  ~GpuSlot();  // waits: the frame is the caller's again

  // A frame on the host goes over in pieces: plan() says how many, put() takes one (by any thread, in any
  // order, each once); the last one starts the sums. Page-locked memory is one piece, which the GPU fetches
  // by itself.
  int plan(const Frame& frame, const Region& region);
  void put(int piece);
  void start(const DeviceFrame& frame, const Region& region);

  bool is_done() const;  // does not wait
  // CudaError when the GPU could not do it.
  Sums wait();
  // Leaves nothing running, whatever went wrong.
  void abandon() noexcept;

  StreamRef stream() const { return stream_; }

 private:
  // One plane of a frame: where it lies in the copy and in page-locked memory, in the same layout.
  struct Plane {
    std::int64_t offset = 0, pitch = 0, row_bytes = 0;
  };

  template <class Of>
  void for_planes(int first, int last, Of of) const;
  void stage(int first, int last);
  void send(int first, int last);
  void copy_rows(const std::uint8_t* from, std::int64_t from_pitch, const Plane& plane, std::int64_t first,
                 std::int64_t last);
  void start_sums(const DeviceFrame& frame, const Region& region);

  std::shared_ptr<const PixelWeights> weights_;
  FrameFormat format_;
  int width_, height_;
  Device device_;
  Plane plane_, chroma_;
  Stream stream_;
  Workspace workspace_;
  DeviceBuffer<std::uint8_t> frame_;
  PinnedBuffer<std::uint8_t> staging_;
  PinnedBuffer<Sums> sums_;

  // What is being sent: rows [first_row_, last_row_) in pieces, so many of which make a group, which goes
  // over when it is complete; left_: the pieces that a group still waits for.
  static constexpr int max_groups = 64;
  std::optional<Frame> source_;
  Region region_;
  int first_row_ = 0, last_row_ = 0, piece_rows_ = 0, group_rows_ = 0, groups_ = 0;
  std::array<std::atomic<int>, max_groups + 1> left_{};
  bool page_locked_ = false;
  std::atomic<int> sent_{0};
};

}  // namespace triptych::skin_tracker
