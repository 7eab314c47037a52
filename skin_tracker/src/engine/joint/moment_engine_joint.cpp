// The engine that shares a frame between the CPU and a GPU.
#include <triptych/core/clock.hpp>
#include <triptych/core/parallel.hpp>
#include <triptych/skin_tracker/load_balancer.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "engine/gpu_slot.hpp"
#include "engine/moment_engine.hpp"
#include "engine/pinned_frame.hpp"
#include "frame/pixel_math.hpp"
#include "moments/moments_cpu.hpp"
#include "moments/row_scheduler.hpp"

namespace triptych::skin_tracker {

namespace {

// Frames in host memory are shared: the GPU computes the upper rows, the CPU the others. The CPU cannot read
// frames on the GPU. When begin() returns, also by an exception, the moments are complete and nothing reads
// the caller's frame any more.
class JointMomentEngine final : public MomentEngine {
 public:
  JointMomentEngine(SharedWeights weights, FrameFormat format, int width, int height, int threads)
      : weights_(std::move(weights)),
        threads_(std::min(threads > 0 ? threads : default_threads(), max_workers)),
        slot_(weights_, format, width, height),
        balancer_(height),
        workers_(static_cast<std::size_t>(threads_)) {}

  void begin(const Frame& frame, const PixelBox& region) override {
    check_region(region, frame.width(), frame.height());
    gpu_rows_ = 0;
    complete([&] { return region.empty() ? Moments{} : share(frame, region); });
  }
  void begin(const DeviceFrame& frame, const PixelBox& region) override {
    gpu_rows_ = region.height;
    complete([&] {
      if (region.empty()) return Moments{};
      slot_.start(frame, region);
      return slot_.wait();
    });
  }
  Moments finish() override {
    const Moments moments = done_.front();
    done_.pop_front();
    return moments;
  }
  int gpu_rows() const override { return gpu_rows_; }

 private:
  static constexpr int max_workers = 256;

  template <class Compute>
  void complete(const Compute& compute) {
    try {
      const Moments moments = compute();
      done_.push() = moments;
    } catch (...) {
      slot_.abandon();
      throw;
    }
  }

  Moments share(const Frame& frame, const PixelBox& region) {
    const PinnedFrameInfo info = pinned_frame_info(frame);
    const bool whole = region == frame.whole();
    const int share = gpu_share(info, region.height, whole);
    gpu_rows_ = share < region.height ? share / 2 * 2 : region.height;  // two rows of NV12 share U and V
    const PixelBox upper{region.x, region.y, region.width, gpu_rows_};
    const PixelBox lower{region.x, region.y + gpu_rows_, region.width, region.height - gpu_rows_};

    // One parallel loop. Its first tasks start the GPU: one launch for a frame that the GPU reads in place,
    // else one task per piece of the copy. The other threads do not wait for them.
    const Stopwatch watch;
    int starts = 0;
    if (gpu_rows_ > 0) starts = info.on_device ? 1 : slot_.plan(frame, upper);
    started_.store(0, std::memory_order_relaxed);
    gpu_us_.store(0, std::memory_order_relaxed);
    RowScheduler scheduler(lower, threads_, RowScheduler::First::on_demand);
    parallel_chunks(starts + threads_, 1, threads_, [&](std::int64_t, std::int64_t, std::int64_t i) {
      if (i < starts) {
        if (info.on_device) {
          slot_.start(*info.on_device, upper);
        } else {
          slot_.put(static_cast<int>(i));
        }
        ++started_;
        return;
      }
      const int worker = static_cast<int>(i) - starts;
      workers_[static_cast<std::size_t>(worker)].moments =
          scheduler.run(worker, [&](const PixelBox& chunk, NextChunk next) {
            const Moments moments = chunk_moments(frame, chunk, next);
            // The balancer learns from when each side ended. Reading the clock and the GPU's result is not
            // free: only after the last, shortest chunks.
            if (chunk.height <= RowScheduler::min_rows && starts > 0 && started_ == starts) poll_gpu(watch);
            return moments;
          });
    });
    const double cpu_us = watch.elapsed_us();
    Moments moments;
    for (const PartialMoments& part : workers_) moments += part.moments;
    if (gpu_rows_ > 0) moments += slot_.wait();
    double gpu_us = gpu_us_.load(std::memory_order_relaxed);
    if (gpu_us <= 0) gpu_us = watch.elapsed_us();
    if (whole && gpu_can_help(info)) balancer_.report(gpu_rows_, gpu_us, cpu_us);
    return moments;
  }

  // A thread has to copy a pageable row to the staging buffer. With a filter that takes longer than computing
  // the row's moments. With a table, whose entries lie far apart, the copy is the faster way.
  bool gpu_can_help(const PinnedFrameInfo& info) const {
    return info.pinned || weights_->filter() == nullptr;
  }
  // The time models are for whole rows: for a narrower region they give the share but learn nothing.
  int gpu_share(const PinnedFrameInfo& info, int rows, bool whole) {
    if (!gpu_can_help(info)) return 0;
    return static_cast<int>(whole ? balancer_.next_gpu_share()
                                  : balanced_share(balancer_.gpu(), balancer_.cpu(), rows));
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
  LoadBalancer balancer_;
  InFlight<Moments> done_;
  std::vector<PartialMoments> workers_;
  std::atomic<int> started_{0};
  std::atomic<double> gpu_us_{0};  // when the GPU was seen to be done; 0: not yet
};

}  // namespace

std::unique_ptr<MomentEngine> make_joint_engine(const SharedWeights& weights, FrameFormat format, int width,
                                                int height, int threads) {
  return std::make_unique<JointMomentEngine>(weights, format, width, height, threads);
}

}  // namespace triptych::skin_tracker
