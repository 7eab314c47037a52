// The engine that uses a GPU alone.
#include <triptych/core/parallel.hpp>

#include <array>
#include <cstddef>
#include <memory>

#include "engine/gpu_slot.hpp"
#include "engine/moment_engine.hpp"
#include "frame/pixel_math.hpp"

namespace triptych::skin_tracker {

namespace {

// A ring of slots: the copy of one frame overlaps with the kernel of another.
class CudaMomentEngine final : public MomentEngine {
 public:
  CudaMomentEngine(const SharedWeights& weights, FrameFormat format, int width, int height, int threads)
      : threads_(threads) {
    for (auto& slot : slots_) slot = std::make_unique<GpuSlot>(weights, format, width, height);
  }

  void begin(const Frame& frame, const PixelBox& region) override {
    start(region, [&](GpuSlot& slot) {
      const int pieces = slot.plan(frame, region);
      parallel_chunks(pieces, 1, threads_, [&](std::int64_t, std::int64_t, std::int64_t piece) {
        slot.put(static_cast<int>(piece));
      });
    });
  }
  void begin(const DeviceFrame& frame, const PixelBox& region) override {
    start(region, [&](GpuSlot& slot) { slot.start(frame, region); });
  }
  void wait(const Event& event) override {
    for (auto& slot : slots_) slot->stream().wait(event);
  }
  int gpu_rows() const override { return gpu_rows_; }
  Moments finish() override {
    GpuSlot* const slot = running_.front();
    running_.pop_front();
    if (slot == nullptr) return {};
    try {
      return slot->wait();
    } catch (...) {
      slot->abandon();  // nothing reads the caller's frame any more
      throw;
    }
  }

 private:
  // A null slot stands for an empty region.
  template <class Start>
  void start(const PixelBox& region, Start start_slot) {
    gpu_rows_ = region.height;
    if (region.empty()) {
      running_.push() = nullptr;
      return;
    }
    GpuSlot& slot = *slots_[next_];
    try {
      start_slot(slot);
    } catch (...) {
      slot.abandon();  // nothing reads the caller's frame any more
      throw;
    }
    next_ = (next_ + 1) % slots_.size();
    running_.push() = &slot;
  }

  std::array<std::unique_ptr<GpuSlot>, max_in_flight> slots_;
  std::size_t next_ = 0;
  InFlight<GpuSlot*> running_;
  int threads_;
  int gpu_rows_ = 0;
};

}  // namespace

std::unique_ptr<MomentEngine> make_cuda_engine(const SharedWeights& weights, FrameFormat format, int width,
                                               int height, int threads) {
  return std::make_unique<CudaMomentEngine>(weights, format, width, height, threads);
}

}  // namespace triptych::skin_tracker
