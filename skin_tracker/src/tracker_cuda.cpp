// The summers that use a GPU: alone, or beside the CPU.
#include <triptych/core/buffer.hpp>
#include <triptych/core/clock.hpp>
#include <triptych/core/device.hpp>
#include <triptych/core/error.hpp>
#include <triptych/core/parallel.hpp>
#include <triptych/skin_tracker/locate.hpp>
#include <triptych/skin_tracker/split.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "gpu_side.hpp"
#include "locate_math.hpp"
#include "locate_paths.hpp"
#include "sample_cpu.hpp"
#include "sample_cuda.hpp"
#include "strips.hpp"
#include "summer.hpp"

namespace triptych::skin_tracker {

namespace {

bool is_empty(const Region& region) { return region.width == 0 || region.height == 0; }

// A linear filter is calculated, anything else looked up: in one table, so that CPU and GPU agree.
struct Weighing {
  std::optional<LinearFilter> filter;
  FixedFilter fixed;  // the filter for the frames' format
  std::optional<WeightTable<std::uint16_t>> table;

  Weighing(const Classifier& classifier, FrameFormat format) {
    if (const auto* linear = std::get_if<LinearFilter>(&classifier)) {
      filter = *linear;
      fixed = fix(*linear, channels_of(format));
    } else {
      table.emplace(classifier);
    }
  }
  // On the calling thread.
  Sums sum(const Frame& frame, const Region& region) const {
    return filter ? sum_cpu_by(CpuPath::simd, frame, region, fixed, 1) : sum_cpu(frame, region, *table, 1);
  }
  void sample(const Frame& frame, const Region& region, int step, std::span<std::uint16_t> weights) const {
    filter ? sample_cpu(frame, region, step, *filter, weights)
           : sample_cpu(frame, region, step, *table, weights);
  }
};

// What the summers with a GPU share: the table over there, and samples.
class OnGpu : public Summer {
 public:
  OnGpu(const Classifier& classifier, FrameFormat format, int ordinal, int threads)
      : weighing_(classifier, format),
        device_(Device::cuda(ordinal)),
        threads_(threads > 0 ? threads : default_threads()) {
    device_.activate();
    if (!weighing_.table) return;
    Stream stream;
    table_ = DeviceBuffer<std::uint16_t>(static_cast<std::int64_t>(weighing_.table->weights().size()));
    copy_to_device(weighing_.table->weights(), table_.span(), stream);
    stream.synchronize();
  }

  // A few pixels of a frame on the host are quicker looked at there than sent.
  void sample(const Frame& frame, const Region& region, int step, std::span<std::uint16_t> weights) override {
    weighing_.sample(frame, region, step, weights);
  }
  void sample(const DeviceFrame& frame, const Region& region, int step,
              std::span<std::uint16_t> weights) override {
    const auto size = static_cast<std::int64_t>(weights.size());
    require(step >= 1 && size == std::int64_t{region.width / step} * (region.height / step), "room for ",
            size, " samples is not that for a region of ", region.width, " x ", region.height,
            " in steps of ", step);
    device_.activate();
    if (!sampling_) sampling_.emplace();
    if (samples_.size() < size) samples_ = PinnedBuffer<std::uint16_t>(size);
    if (weighing_.filter) {
      sample_cuda(frame, region, step, *weighing_.filter, samples_.data(), *sampling_);
    } else {
      sample_cuda(frame, region, step, table_.span(), samples_.data(), *sampling_);
    }
    sampling_->synchronize();
    std::copy_n(samples_.data(), weights.size(), weights.begin());
  }
  int gpu_rows() const override { return gpu_rows_; }

 protected:
  std::unique_ptr<GpuSlot> make_slot(FrameFormat format, int width, int height) const {
    return std::make_unique<GpuSlot>(weighing_.filter, table_.span(), format, width, height, device_);
  }

  Weighing weighing_;
  Device device_;
  int threads_;
  int gpu_rows_ = 0;

 private:
  DeviceBuffer<std::uint16_t> table_;
  std::optional<Stream> sampling_;
  PinnedBuffer<std::uint16_t> samples_;
};

// A ring of slots: while one frame is added up, the next is on its way.
class CudaSummer final : public OnGpu {
 public:
  CudaSummer(const Classifier& classifier, FrameFormat format, int width, int height, int ordinal,
             int threads)
      : OnGpu(classifier, format, ordinal, threads) {
    for (auto& slot : slots_) slot = make_slot(format, width, height);
  }

  void begin(const Frame& frame, const Region& region) override {
    start(region, [&](GpuSlot& slot) {
      const int pieces = slot.plan(frame, region, false);
      parallel_chunks(pieces, 1, threads_, [&](std::int64_t, std::int64_t, std::int64_t piece) {
        slot.put(static_cast<int>(piece));
      });
    });
  }
  void begin(const DeviceFrame& frame, const Region& region) override {
    start(region, [&](GpuSlot& slot) { slot.start(frame, region); });
  }
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

  std::array<std::unique_ptr<GpuSlot>, Tracker::most_in_flight> slots_;
  std::size_t next_ = 0;
  InFlight<GpuSlot*> running_;
};

// Frames on the host are shared; one on the GPU the CPU cannot read. The sums are there when begin() returns.
class JointSummer final : public OnGpu {
 public:
  JointSummer(const Classifier& classifier, FrameFormat format, int width, int height, int ordinal,
              int threads)
      : OnGpu(classifier, format, ordinal, threads),
        slot_(make_slot(format, width, height)),
        splitter_(height) {}

  void begin(const Frame& frame, const Region& region) override {
    const Sums sums = is_empty(region) ? Sums{} : share(frame, region);
    done_.push() = sums;
  }
  void begin(const DeviceFrame& frame, const Region& region) override {
    gpu_rows_ = region.height;
    Sums sums;
    if (!is_empty(region)) {
      slot_->start(frame, region);
      sums = slot_->wait();
    }
    done_.push() = sums;
  }
  Sums finish() override {
    const Sums sums = done_.front();
    done_.pop_front();
    return sums;
  }

 private:
  Sums share(const Frame& frame, const Region& region) {
    // The models know whole rows: of a narrower region they share the rows, and learn nothing.
    const bool whole = region == frame.whole();
    const auto rows = static_cast<int>(
        whole ? splitter_.next_gpu_share() : balanced_share(splitter_.gpu(), splitter_.cpu(), region.height));
    gpu_rows_ = rows < region.height ? rows / 2 * 2 : region.height;
    const Region upper{region.x, region.y, region.width, gpu_rows_};
    const Region lower{region.x, region.y + gpu_rows_, region.width, region.height - gpu_rows_};
    try {
      const Stopwatch watch;
      double cpu_us = 0;
      gpu_us_.store(0, std::memory_order_relaxed);
      Sums sums = run_both(frame, upper, lower, watch, cpu_us);
      if (gpu_rows_ > 0) {
        sums += slot_->wait();
        if (gpu_us_.load(std::memory_order_relaxed) <= 0) gpu_us_ = watch.elapsed_us();
      }
      if (whole) splitter_.report(gpu_rows_, gpu_us_, cpu_us);
      return sums;
    } catch (...) {
      slot_->abandon();  // the frame is the caller's again
      throw;
    }
  }

  // One loop over the cores. Its first tasks put the GPU to work; the others do not wait for that. cpu_us:
  // when the last strip of the CPU was done.
  Sums run_both(const Frame& frame, const Region& upper, const Region& lower, const Stopwatch& watch,
                double& cpu_us) {
    const int sends = upper.height > 0 ? slot_->plan(frame, upper, true) : 0;
    started_ = 0;
    const Strips strips(lower.height, threads_);
    parallel_chunks(sends + strips.count(), 1, threads_, [&](std::int64_t, std::int64_t, std::int64_t i) {
      if (i < sends) {
        slot_->put(static_cast<int>(i));
        ++started_;
        return;
      }
      const int strip = static_cast<int>(i) - sends;
      const int first = strips.begin(strip);
      const Region rows{lower.x, lower.y + first, lower.width, strips.end(strip) - first};
      Part& part = parts_[static_cast<std::size_t>(strip)];
      part.sums = weighing_.sum(frame, rows);
      // To look at the clock and at the GPU's sums is not free: only those who may be last do.
      if (strip < strips.count() - threads_) {
        part.done_us = 0;
        return;
      }
      part.done_us = watch.elapsed_us();
      double none = 0;
      if (sends > 0 && started_ == sends && gpu_us_.load(std::memory_order_relaxed) <= 0 && slot_->is_done())
        gpu_us_.compare_exchange_strong(none, part.done_us);
    });
    Sums sums;
    for (int i = 0; i < strips.count(); ++i) {
      const Part& part = parts_[static_cast<std::size_t>(i)];
      sums += part.sums;
      cpu_us = std::max(cpu_us, part.done_us);
    }
    return sums;
  }

  struct alignas(64) Part {  // a cache line for each: threads do not wait for each other's
    Sums sums;
    double done_us = 0;
  };

  std::unique_ptr<GpuSlot> slot_;
  Splitter splitter_;
  InFlight<Sums> done_;
  std::atomic<int> started_{0};
  std::atomic<double> gpu_us_{0};  // when the GPU was seen to be done; 0: not yet
  std::array<Part, Strips::most> parts_{};
};

}  // namespace

std::unique_ptr<Summer> make_cuda_summer(const Classifier& classifier, FrameFormat format, int width,
                                         int height, int ordinal, int threads) {
  return std::make_unique<CudaSummer>(classifier, format, width, height, ordinal, threads);
}

std::unique_ptr<Summer> make_joint_summer(const Classifier& classifier, FrameFormat format, int width,
                                          int height, int ordinal, int threads) {
  return std::make_unique<JointSummer>(classifier, format, width, height, ordinal, threads);
}

}  // namespace triptych::skin_tracker
