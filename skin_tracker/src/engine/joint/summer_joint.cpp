// The summer that shares a frame between the CPU and a GPU.
#include <triptych/core/clock.hpp>
#include <triptych/core/parallel.hpp>
#include <triptych/skin_tracker/split.hpp>

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
#include "engine/page_locked.hpp"
#include "engine/summer.hpp"
#include "frame/locate_math.hpp"
#include "moments/cuda/bands_cuda.hpp"
#include "moments/locate_paths.hpp"
#include "moments/strips.hpp"

namespace triptych::skin_tracker {

namespace {

// Frames on the host are shared; one on the GPU the CPU cannot read. The sums are there when begin() returns.
class JointSummer final : public Summer {
 public:
  JointSummer(SharedWeights weights, FrameFormat format, int width, int height, int threads, double ready_us)
      : weights_(std::move(weights)),
        threads_(threads > 0 ? threads : default_threads()),
        slot_(weights_, format, width, height),
        sharing_(height, threads_),
        meeting_(height),
        splitting_(height),
        workers_(static_cast<std::size_t>(threads_)) {
    if (const FixedFilter* filter = weights_->filter())
      bands_.emplace(*filter, format, width, height, *weights_->gpu(), ready_us);
  }

  void begin(const Frame& frame, const Region& region) override {
    const Sums sums = is_empty(region) ? Sums{} : share(frame, region);
    done_.push() = sums;
  }
  void begin(const DeviceFrame& frame, const Region& region) override {
    gpu_rows_ = region.height;
    Sums sums;
    if (!is_empty(region)) {
      slot_.start(frame, region);
      sums = slot_.wait();
    }
    done_.push() = sums;
  }
  Sums finish() override {
    const Sums sums = done_.front();
    done_.pop_front();
    return sums;
  }
  int gpu_rows() const override { return gpu_rows_; }

 private:
  using Shared = BandSharing<GpuBands>::Result;

  Sums share(const Frame& frame, const Region& region) {
    try {
      // Where the last frame could be read in place this one will be, too, as a rule: cores begin before it
      // is known for sure.
      if (!in_place_) {
        const Whereabouts at = find(frame);
        in_place_ = at.on_device && bands_;
        // To hand over a row in pageable memory a core has to copy it, which takes longer than to add it up
        // by a filter; by a table, whose entries lie far apart, it is worth it. There the GPU needs all its
        // multiprocessors, too, and not a few that are at the ready.
        if (!at.page_locked && bands_) return split(frame, region, 0).sums;
      }
      // The models know whole rows: of a narrower region they share the rows, and learn nothing.
      const bool whole = region == frame.whole();
      Splitter& splitter = in_place_ ? meeting_ : splitting_;
      const auto rows = static_cast<int>(
          whole ? splitter.next_gpu_share() : balanced_share(splitter.gpu(), splitter.cpu(), region.height));
      const bool meeting = in_place_ && rows > 0;
      const Shared shared = meeting ? meet(frame, region, rows) : split(frame, region, rows);
      if (whole && (!meeting || in_place_)) splitter.report(gpu_rows_, shared.gpu_us, shared.cpu_us);
      return shared.sums;
    } catch (...) {
      slot_.abandon();  // the frame is the caller's again
      if (bands_) bands_->abandon();
      throw;
    }
  }

  // Page-locked memory: both sides work until they share a boundary. What was expected is only the GPU's
  // limit, with something to spare. When the GPU cannot read the frame after all the cores do all of it.
  Shared meet(const Frame& frame, const Region& region, int gpu_share) {
    const int spare = std::max(region.height / 32, 4 * band_rows);
    const auto start = [&] {
      const Whereabouts at = find(frame);
      in_place_ = at.on_device.has_value();
      if (in_place_) bands_->start(*at.on_device);
      return in_place_;
    };
    const Shared shared =
        sharing_.run(*bands_, region, std::min(region.height, gpu_share + spare), start,
                     [&](const Region& rows, NextStrip next) { return sum_strip(frame, rows, next); });
    gpu_rows_ = shared.gpu_rows;
    return shared;
  }

  // Any memory: the GPU gets its rows at once. One loop over the cores, whose first tasks put the GPU to
  // work; the others do not wait for that.
  Shared split(const Frame& frame, const Region& region, int gpu_share) {
    gpu_rows_ = gpu_share < region.height ? gpu_share / 2 * 2 : region.height;
    const Region upper{region.x, region.y, region.width, gpu_rows_};
    const Region lower{region.x, region.y + gpu_rows_, region.width, region.height - gpu_rows_};
    const Stopwatch watch;
    const int sends = gpu_rows_ > 0 ? slot_.plan(frame, upper) : 0;
    sent_.store(0, std::memory_order_relaxed);
    gpu_us_.store(0, std::memory_order_relaxed);
    Deal deal(lower, threads_, Deal::First::in_turn);
    parallel_chunks(sends + threads_, 1, threads_, [&](std::int64_t, std::int64_t, std::int64_t i) {
      if (i < sends) {
        slot_.put(static_cast<int>(i));
        ++sent_;
        return;
      }
      const int worker = static_cast<int>(i) - sends;
      workers_[static_cast<std::size_t>(worker)].sums =
          deal.work(worker, [&](const Region& strip, NextStrip next) {
            const Sums sums = sum_strip(frame, strip, next);
            // Who was first, and by how much, is what the splitter learns from. To look at the clock and at
            // the GPU's sums is not free: only those who may be last do.
            if (strip.height <= Deal::shortest && sends > 0 && sent_ == sends) look_at_gpu(watch);
            return sums;
          });
    });
    Shared shared;
    shared.cpu_us = watch.elapsed_us();
    for (const PartSums& part : workers_) shared.sums += part.sums;
    if (gpu_rows_ == 0) return shared;
    shared.sums += slot_.wait();
    shared.gpu_us = gpu_us_.load(std::memory_order_relaxed);
    if (shared.gpu_us <= 0) shared.gpu_us = watch.elapsed_us();
    return shared;
  }

  Sums sum_strip(const Frame& frame, const Region& rows, NextStrip next) const {
    return weights_->on_host([&](const auto& by) { return sum_strip_cpu(frame, rows, by, next); });
  }

  void look_at_gpu(const Stopwatch& watch) {
    double none = 0;
    if (gpu_us_.load(std::memory_order_relaxed) <= 0 && slot_.is_done())
      gpu_us_.compare_exchange_strong(none, watch.elapsed_us());
  }

  SharedWeights weights_;
  int threads_;
  int gpu_rows_ = 0;
  GpuSlot slot_;
  std::optional<GpuBands> bands_;  // when a filter weighs
  BandSharing<GpuBands> sharing_;
  Splitter meeting_, splitting_;
  InFlight<Sums> done_;
  bool in_place_ = false;  // the GPU could read the last frame where it lay
  std::vector<PartSums> workers_;
  std::atomic<int> sent_{0};
  std::atomic<double> gpu_us_{0};  // when the GPU was seen to be done; 0: not yet
};

}  // namespace

std::unique_ptr<Summer> make_joint_summer(const SharedWeights& weights, FrameFormat format, int width,
                                          int height, int threads, double ready_us) {
  return std::make_unique<JointSummer>(weights, format, width, height, threads, ready_us);
}

}  // namespace triptych::skin_tracker
