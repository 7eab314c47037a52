// The summer that shares a frame between the CPU and a GPU.
#include <triptych/core/clock.hpp>
#include <triptych/core/parallel.hpp>
#include <triptych/core/relax.hpp>
#include <triptych/skin_tracker/split.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "bands_cuda.hpp"
#include "gpu_bands.hpp"
#include "on_gpu.hpp"
#include "page_locked.hpp"
#include "strips.hpp"

namespace triptych::skin_tracker {

namespace {

// Frames on the host are shared; one on the GPU the CPU cannot read. The sums are there when begin() returns.
class JointSummer final : public OnGpu {
 public:
  JointSummer(const Classifier& classifier, FrameFormat format, int width, int height, int ordinal,
              int threads)
      : OnGpu(classifier, format, ordinal, threads),
        slot_(make_slot(format, width, height)),
        bands_(weighing_.filter, table(), height, device_),
        meeting_(height),
        splitting_(height),
        quarters_(static_cast<std::size_t>((height / band_rows + 2) * quarters_a_band)),
        workers_(static_cast<std::size_t>(threads_)) {}

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
  static constexpr int quarters_a_band = 4;
  static constexpr int quarter_rows = band_rows / quarters_a_band;

  struct Shared {
    Sums sums;
    double gpu_us = 0, cpu_us = 0;
  };

  Sums share(const Frame& frame, const Region& region) {
    try {
      const Whereabouts at = find(frame);
      // To hand over a row in pageable memory a core has to copy it, which takes longer than to add it up by
      // a filter; by a table, whose entries lie far apart, it is worth it.
      if (!at.page_locked && weighing_.filter) return split(frame, region, 0).sums;
      // The models know whole rows: of a narrower region they share the rows, and learn nothing.
      const bool whole = region == frame.whole();
      Splitter& splitter = at.on_device ? meeting_ : splitting_;
      const auto rows = static_cast<int>(
          whole ? splitter.next_gpu_share() : balanced_share(splitter.gpu(), splitter.cpu(), region.height));
      const Shared shared =
          at.on_device && rows > 0 ? meet(frame, *at.on_device, region, rows) : split(frame, region, rows);
      if (whole) splitter.report(gpu_rows_, shared.gpu_us, shared.cpu_us);
      return shared.sums;
    } catch (...) {
      slot_->abandon();  // the frame is the caller's again
      bands_.abandon();
      throw;
    }
  }

  // Page-locked memory: the GPU goes down the frame band by band, the cores come up from the bottom, and
  // where a core finds a band that the GPU has done they have met. What was expected is only the GPU's limit,
  // with something to spare; bands that both have done count once.
  Shared meet(const Frame& frame, const DeviceFrame& on_device, const Region& region, int gpu_share) {
    const Stopwatch watch;
    const int spare = std::max(region.height / 32, 2 * band_rows);
    bands_.plan(region, std::min(region.height, gpu_share + spare));
    const Region last = bands_.band(bands_.count() - 1);
    const int top = last.y + last.height;
    const Strips strips(region.y + region.height - top, threads_);
    const int quarters = bands_.count() * quarters_a_band;
    next_.store(0, std::memory_order_relaxed);
    parallel_chunks(threads_, 1, threads_, [&](std::int64_t, std::int64_t, std::int64_t worker) {
      if (worker == 0) bands_.start(on_device);
      Sums sums;
      while (true) {
        const int n = next_.fetch_add(1, std::memory_order_relaxed);
        if (n < strips.count()) {
          sums += weighing_.sum(
              frame, {region.x, top + strips.begin(n), region.width, strips.end(n) - strips.begin(n)});
          continue;
        }
        const int quarter = n - strips.count();
        if (quarter >= quarters || bands_.is_in(band_of(quarter))) break;
        quarters_[static_cast<std::size_t>(quarter)].sums = weighing_.sum(frame, region_of(quarter));
      }
      workers_[static_cast<std::size_t>(worker)].sums = sums;
    });
    Shared shared;
    shared.cpu_us = watch.elapsed_us();
    for (const Part& part : workers_) shared.sums += part.sums;
    // The last quarter that was asked for belongs to a band that is in; the cores have done those before it,
    // and the GPU is at work on the others.
    const int asked = std::min(next_.load(std::memory_order_relaxed) - strips.count(), quarters);
    gpu_rows_ = 0;
    for (int b = bands_.count() - 1; b >= 0; --b) {
      const int first = (bands_.count() - 1 - b) * quarters_a_band;
      if (first >= asked) await(b);
      if (bands_.is_in(b)) {
        shared.sums += bands_.sums(b);
        gpu_rows_ += bands_.band(b).height;
      } else if (first < asked) {
        for (int q = first; q < first + quarters_a_band; ++q)
          shared.sums += quarters_[static_cast<std::size_t>(q)].sums;
      } else {
        shared.sums += weighing_.sum(frame, bands_.band(b));
      }
    }
    bands_.end();
    shared.gpu_us = watch.elapsed_us();
    return shared;
  }

  int band_of(int quarter) const { return bands_.count() - 1 - quarter / quarters_a_band; }
  Region region_of(int quarter) const {
    const Region band = bands_.band(band_of(quarter));
    const int bottom = band.y + band.height - quarter % quarters_a_band * quarter_rows;
    const int first =
        quarter % quarters_a_band == quarters_a_band - 1 ? band.y : std::max(band.y, bottom - quarter_rows);
    return {band.x, first, band.width, std::max(0, bottom - first)};
  }
  // For a GPU that has begun a band. One that does not come with it does not hold up the frame.
  void await(int band) const {
    constexpr double patience_us = 100;
    const Stopwatch watch;
    while (!bands_.is_in(band) && watch.elapsed_us() < patience_us) relax();
  }

  // Any memory: the GPU gets its rows at once. One loop over the cores, whose first tasks put the GPU to
  // work; the others do not wait for that.
  Shared split(const Frame& frame, const Region& region, int gpu_share) {
    gpu_rows_ = gpu_share < region.height ? gpu_share / 2 * 2 : region.height;
    const Region upper{region.x, region.y, region.width, gpu_rows_};
    const Region lower{region.x, region.y + gpu_rows_, region.width, region.height - gpu_rows_};
    const Stopwatch watch;
    const int sends = gpu_rows_ > 0 ? slot_->plan(frame, upper) : 0;
    sent_.store(0, std::memory_order_relaxed);
    gpu_us_.store(0, std::memory_order_relaxed);
    const Strips strips(lower.height, threads_);
    parallel_chunks(sends + strips.count(), 1, threads_, [&](std::int64_t, std::int64_t, std::int64_t i) {
      if (i < sends) {
        slot_->put(static_cast<int>(i));
        ++sent_;
        return;
      }
      const int strip = static_cast<int>(i) - sends;
      const int first = strips.begin(strip);
      strips_[static_cast<std::size_t>(strip)].sums =
          weighing_.sum(frame, {lower.x, lower.y + first, lower.width, strips.end(strip) - first});
      // Who was first, and by how much, is what the splitter learns from. To look at the clock and at the
      // GPU's sums is not free: only those who may be last do.
      if (strip < strips.count() - threads_ || sends == 0 || sent_ != sends) return;
      double none = 0;
      if (gpu_us_.load(std::memory_order_relaxed) <= 0 && slot_->is_done())
        gpu_us_.compare_exchange_strong(none, watch.elapsed_us());
    });
    Shared shared;
    shared.cpu_us = watch.elapsed_us();
    for (int i = 0; i < strips.count(); ++i) shared.sums += strips_[static_cast<std::size_t>(i)].sums;
    if (gpu_rows_ == 0) return shared;
    shared.sums += slot_->wait();
    shared.gpu_us = gpu_us_.load(std::memory_order_relaxed);
    if (shared.gpu_us <= 0) shared.gpu_us = watch.elapsed_us();
    return shared;
  }

  struct alignas(64) Part {  // a cache line for each: threads do not wait for each other's
    Sums sums;
  };

  std::unique_ptr<GpuSlot> slot_;
  GpuBands bands_;
  Splitter meeting_, splitting_;
  InFlight<Sums> done_;
  std::vector<Part> quarters_;  // of bands, from the lowest up
  std::vector<Part> workers_;
  std::array<Part, Strips::most> strips_{};
  std::atomic<int> sent_{0};
  std::atomic<double> gpu_us_{0};  // when the GPU was seen to be done; 0: not yet
  alignas(64) std::atomic<int> next_{0};
};

}  // namespace

std::unique_ptr<Summer> make_joint_summer(const Classifier& classifier, FrameFormat format, int width,
                                          int height, int ordinal, int threads) {
  return std::make_unique<JointSummer>(classifier, format, width, height, ordinal, threads);
}

}  // namespace triptych::skin_tracker
