// The engine that shares a frame between the CPU and a GPU.
#include <triptych/core/clock.hpp>
#include <triptych/core/parallel.hpp>
#include <triptych/skin_tracker/load_balancer.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/gpu_slot.hpp"
#include "engine/joint/band_sharing.hpp"
#include "engine/joint/gpu_bands.hpp"
#include "engine/moment_engine.hpp"
#include "engine/pinned_frame.hpp"
#include "moments/cuda/bands_cuda.hpp"
#include "moments/moments_cpu.hpp"
#include "moments/row_scheduler.hpp"

namespace triptych::skin_tracker {

namespace {

// Frames in host memory are shared; the CPU cannot read frames on the GPU. The moments are complete when
// begin() returns.
class JointMomentEngine final : public MomentEngine {
 public:
  JointMomentEngine(SharedWeights weights, FrameFormat format, int width, int height, int threads,
                    double persistent_us)
      : weights_(std::move(weights)),
        threads_(threads > 0 ? threads : default_threads()),
        slot_(weights_, format, width, height),
        sharing_(height, threads_),
        in_place_balancer_(height),
        copy_balancer_(height),
        workers_(static_cast<std::size_t>(threads_)) {
    if (const FixedFilter* filter = weights_->filter())
      bands_.emplace(*filter, format, width, height, *weights_->gpu(), persistent_us);
  }

  void begin(const Frame& frame, const PixelBox& region) override {
    const Moments moments = region.empty() ? Moments{} : share(frame, region);
    done_.push() = moments;
  }
  void begin(const DeviceFrame& frame, const PixelBox& region) override {
    gpu_rows_ = region.height;
    Moments moments;
    if (!region.empty()) {
      slot_.start(frame, region);
      moments = slot_.wait();
    }
    done_.push() = moments;
  }
  Moments finish() override {
    const Moments moments = done_.front();
    done_.pop_front();
    return moments;
  }
  int gpu_rows() const override { return gpu_rows_; }

 private:
  using Shared = BandSharing<GpuBands>::Result;

  Moments share(const Frame& frame, const PixelBox& region) {
    try {
      // When the GPU could read the last frame in place, it usually can read this one: the threads begin
      // before the pointer is checked.
      if (!in_place_) {
        const PinnedFrameInfo info = pinned_frame_info(frame);
        in_place_ = info.on_device && bands_;
        // A thread would have to copy a pageable row to the staging buffer. With a filter that takes longer
        // than computing its moments. With a table, whose entries lie far apart, the copy pays off; the GPU
        // then needs all its multiprocessors and not the few of the persistent kernel.
        if (!info.pinned && bands_) return share_by_copy(frame, region, 0).moments;
      }
      // The time models are for whole rows: for a narrower region they give the share but learn nothing.
      const bool whole = region == frame.whole();
      LoadBalancer& balancer = in_place_ ? in_place_balancer_ : copy_balancer_;
      const auto rows = static_cast<int>(
          whole ? balancer.next_gpu_share() : balanced_share(balancer.gpu(), balancer.cpu(), region.height));
      const bool was_in_place = in_place_ && rows > 0;
      const Shared shared =
          was_in_place ? share_in_place(frame, region, rows) : share_by_copy(frame, region, rows);
      if (whole && (!was_in_place || in_place_)) balancer.report(gpu_rows_, shared.gpu_us, shared.cpu_us);
      return shared.moments;
    } catch (...) {
      slot_.abandon();  // nothing reads the caller's frame any more
      if (bands_) bands_->abandon();
      throw;
    }
  }

  // Pinned memory: both sides work until they reach a common boundary. The expected share only limits the
  // GPU, with a margin. When the GPU cannot read the frame after all, the CPU does all of it.
  Shared share_in_place(const Frame& frame, const PixelBox& region, int gpu_share) {
    const int margin = std::max(region.height / 32, 4 * band_rows);
    const auto start = [&] {
      const PinnedFrameInfo info = pinned_frame_info(frame);
      in_place_ = info.on_device.has_value();
      if (in_place_) bands_->start(*info.on_device);
      return in_place_;
    };
    const Shared shared =
        sharing_.run(*bands_, region, std::min(region.height, gpu_share + margin), start,
                     [&](const PixelBox& rows, NextChunk next) { return chunk_moments(frame, rows, next); });
    gpu_rows_ = shared.gpu_rows;
    return shared;
  }

  // Any memory: the GPU gets its rows at the start, by a copy. One parallel loop, whose first tasks feed the
  // GPU; the other threads do not wait for them.
  Shared share_by_copy(const Frame& frame, const PixelBox& region, int gpu_share) {
    gpu_rows_ = gpu_share < region.height ? gpu_share / 2 * 2 : region.height;
    const PixelBox upper{region.x, region.y, region.width, gpu_rows_};
    const PixelBox lower{region.x, region.y + gpu_rows_, region.width, region.height - gpu_rows_};
    const Stopwatch watch;
    const int sends = gpu_rows_ > 0 ? slot_.plan(frame, upper) : 0;
    sent_.store(0, std::memory_order_relaxed);
    gpu_us_.store(0, std::memory_order_relaxed);
    RowScheduler scheduler(lower, threads_, RowScheduler::First::on_demand);
    parallel_chunks(sends + threads_, 1, threads_, [&](std::int64_t, std::int64_t, std::int64_t i) {
      if (i < sends) {
        slot_.put(static_cast<int>(i));
        ++sent_;
        return;
      }
      const int worker = static_cast<int>(i) - sends;
      workers_[static_cast<std::size_t>(worker)].moments =
          scheduler.run(worker, [&](const PixelBox& chunk, NextChunk next) {
            const Moments moments = chunk_moments(frame, chunk, next);
            // The balancer learns from when each side ended. Reading the clock and the GPU's result is not
            // free: only after the last, shortest chunks.
            if (chunk.height <= RowScheduler::min_rows && sends > 0 && sent_ == sends) poll_gpu(watch);
            return moments;
          });
    });
    Shared shared;
    shared.cpu_us = watch.elapsed_us();
    for (const PartialMoments& part : workers_) shared.moments += part.moments;
    if (gpu_rows_ == 0) return shared;
    shared.moments += slot_.wait();
    shared.gpu_us = gpu_us_.load(std::memory_order_relaxed);
    if (shared.gpu_us <= 0) shared.gpu_us = watch.elapsed_us();
    return shared;
  }

  Moments chunk_moments(const Frame& frame, const PixelBox& rows, NextChunk next) const {
    return weights_->on_host([&](const auto& by) { return chunk_moments_cpu(frame, rows, by, next); });
  }

  void poll_gpu(const Stopwatch& watch) {
    double none = 0;
    if (gpu_us_.load(std::memory_order_relaxed) <= 0 && slot_.is_done())
      gpu_us_.compare_exchange_strong(none, watch.elapsed_us());
  }

  SharedWeights weights_;
  int threads_;
  int gpu_rows_ = 0;
  GpuSlot slot_;
  std::optional<GpuBands> bands_;  // with a filter
  BandSharing<GpuBands> sharing_;
  LoadBalancer in_place_balancer_, copy_balancer_;
  InFlight<Moments> done_;
  bool in_place_ = false;  // the GPU could read the last frame in place
  std::vector<PartialMoments> workers_;
  std::atomic<int> sent_{0};
  std::atomic<double> gpu_us_{0};  // when the GPU was seen to be done; 0: not yet
};

}  // namespace

std::unique_ptr<MomentEngine> make_joint_engine(const SharedWeights& weights, FrameFormat format, int width,
                                                int height, int threads, double persistent_us) {
  return std::make_unique<JointMomentEngine>(weights, format, width, height, threads, persistent_us);
}

}  // namespace triptych::skin_tracker
