// The summer that uses a GPU alone.
#include <triptych/core/parallel.hpp>

#include <array>
#include <cstddef>
#include <memory>

#include "engine/gpu_slot.hpp"
#include "engine/summer.hpp"
#include "frame/locate_math.hpp"

namespace triptych::skin_tracker {

namespace {

// A ring of slots: while one frame is added up, the next is on its way.
class CudaSummer final : public Summer {
 public:
  CudaSummer(const SharedWeights& weights, FrameFormat format, int width, int height, int threads)
      : threads_(threads) {
    for (auto& slot : slots_) slot = std::make_unique<GpuSlot>(weights, format, width, height);
  }

  void begin(const Frame& frame, const Region& region) override {
    start(region, [&](GpuSlot& slot) {
      const int pieces = slot.plan(frame, region);
      parallel_chunks(pieces, 1, threads_, [&](std::int64_t, std::int64_t, std::int64_t piece) {
        slot.put(static_cast<int>(piece));
      });
    });
  }
  void begin(const DeviceFrame& frame, const Region& region) override {
    start(region, [&](GpuSlot& slot) { slot.start(frame, region); });
  }
  int gpu_rows() const override { return gpu_rows_; }
  Sums finish() override {
    GpuSlot* const slot = running_.front();
    running_.pop_front();
    return slot == nullptr ? Sums{} : slot->wait();
  }

 private:
  // Null stands for an empty region, which has nothing to wait for.
  template <class Start>
  void start(const Region& region, Start start_slot) {
    gpu_rows_ = region.height;
    if (is_empty(region)) {
      running_.push() = nullptr;
      return;
    }
    GpuSlot& slot = *slots_[next_];
    try {
      start_slot(slot);
    } catch (...) {
      slot.abandon();  // the frame is the caller's again
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

std::unique_ptr<Summer> make_cuda_summer(const SharedWeights& weights, FrameFormat format, int width,
                                         int height, int threads) {
  return std::make_unique<CudaSummer>(weights, format, width, height, threads);
}

}  // namespace triptych::skin_tracker
