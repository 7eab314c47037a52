// The summer that shares a frame between the CPU and a GPU.
#include <triptych/core/clock.hpp>
#include <triptych/core/parallel.hpp>
#include <triptych/core/relax.hpp>
#include <triptych/skin_tracker/split.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "engine/joint/gpu_bands.hpp"
#include "engine/joint/gpu_clock.hpp"
#include "engine/on_gpu.hpp"
#include "engine/page_locked.hpp"
#include "moments/cuda/bands_cuda.hpp"
#include "moments/strips.hpp"

namespace triptych::skin_tracker {

namespace {

// Frames on the host are shared; one on the GPU the CPU cannot read. The sums are there when begin() returns.
class JointSummer final : public OnGpu {
 public:
  JointSummer(const Classifier& classifier, FrameFormat format, int width, int height, int ordinal,
              int threads, double ready_us)
      : OnGpu(classifier, format, ordinal, threads),
        slot_(make_slot(format, width, height)),
        meeting_(height),
        splitting_(height),
        pieces_(static_cast<std::size_t>((height / band_rows + 2) * pieces_a_band)),
        workers_(static_cast<std::size_t>(threads_)) {
    if (weighing_.filter) bands_.emplace(weighing_.fixed, format, width, height, device_, ready_us);
  }

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
  // What a core does at a time where it may meet the GPU.
  static constexpr int pieces_a_band = 2;
  static constexpr int piece_rows = band_rows / pieces_a_band;

  // What a core does next: rows below the bands, or a piece of them.
  static constexpr int strips = -1;
  struct Turn {
    Region rows;
    int piece = strips;
  };

  struct Shared {
    Sums sums;
    double gpu_us = 0, cpu_us = 0;
  };

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
        if (!at.page_locked && weighing_.filter) return split(frame, region, 0).sums;
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
      slot_->abandon();  // the frame is the caller's again
      if (bands_) bands_->abandon();
      throw;
    }
  }

  // Page-locked memory: the GPU goes down the frame band by band, the cores come up from the bottom, and
  // where a core finds a band that the GPU has done they have met. What was expected is only the GPU's limit,
  // with something to spare; bands that both have done count once. When the GPU cannot read the frame after
  // all the cores do all of it.
  Shared meet(const Frame& frame, const Region& region, int gpu_share) {
    const Stopwatch watch;
    const int spare = std::max(region.height / 32, 4 * band_rows);
    bands_->plan(region, std::min(region.height, gpu_share + spare));
    const Region last = bands_->band(bands_->count() - 1);
    const int top = last.y + last.height;
    Deal deal({region.x, top, region.width, region.y + region.height - top}, threads_);
    const int pieces = bands_->count() * pieces_a_band;
    next_.store(0, std::memory_order_relaxed);
    met_.store(pieces, std::memory_order_relaxed);
    // What is below the bands first, then these from the lowest up.
    const auto take = [&](const Region& strip) -> Turn {
      if (strip.height > 0) return {strip, strips};
      const int piece = next_.fetch_add(1, std::memory_order_relaxed);
      return {piece < pieces ? region_of(piece) : Region{}, piece};
    };
    parallel_chunks(threads_, 1, threads_, [&](std::int64_t, std::int64_t, std::int64_t worker) {
      // A launch takes a core some microseconds, an order half of one, for which the others need not wait.
      if (worker == 0) {
        const Whereabouts at = find(frame);
        in_place_ = at.on_device.has_value();
        if (in_place_) bands_->start(*at.on_device);
      }
      Sums sums;
      for (Turn turn = take(deal.first(static_cast<int>(worker))); turn.piece < pieces;) {
        if (turn.piece != strips && bands_->is_in(band_of(turn.piece))) {
          meet_at(turn.piece);
          if (worker == 0) ask_for_bands(band_of(turn.piece));
          break;
        }
        std::optional<Turn> after;
        auto next = [&] { return (after ? *after : after.emplace(take(deal.next()))).rows; };
        const Sums added = weighing_.sum_strip(frame, turn.rows, next);
        if (turn.piece == strips) {
          sums += added;
        } else {
          pieces_[static_cast<std::size_t>(turn.piece)].sums = added;
        }
        next();
        turn = *after;
      }
      workers_[static_cast<std::size_t>(worker)].sums = sums;
    });
    Shared shared;
    shared.cpu_us = watch.elapsed_us();
    for (const PartSums& part : workers_) shared.sums += part.sums;
    // The cores have done the pieces before the one where they met the GPU; its band and those above are the
    // GPU's.
    const int met = met_.load(std::memory_order_relaxed);
    const int gpu_bands = met < pieces ? band_of(met) + 1 : 0;
    for (int piece = 0; piece < (bands_->count() - gpu_bands) * pieces_a_band; ++piece)
      shared.sums += pieces_[static_cast<std::size_t>(piece)].sums;
    double gpu_us = 0;
    for (int b = std::max(0, gpu_bands - bands_->lanes()); b < gpu_bands; ++b) {
      shared.sums += gpu_sums(frame, b);
      if (bands_->is_in(b)) gpu_us = std::max(gpu_us, bands_->elapsed_us(b));
    }
    if (in_place_) bands_->end();
    gpu_rows_ = 0;
    if (gpu_us > 0) {
      const Region band = bands_->band(gpu_bands - 1);
      gpu_rows_ = band.y + band.height - region.y;
      shared.gpu_us = clock_.end_us(gpu_us, watch.elapsed_us());
    }
    return shared;
  }

  int band_of(int piece) const { return bands_->count() - 1 - piece / pieces_a_band; }
  Region region_of(int piece) const {
    const Region band = bands_->band(band_of(piece));
    const int bottom = band.y + band.height - piece % pieces_a_band * piece_rows;
    const int first =
        piece % pieces_a_band == pieces_a_band - 1 ? band.y : std::max(band.y, bottom - piece_rows);
    return {band.x, first, band.width, std::max(0, bottom - first)};
  }
  void meet_at(int piece) {
    int met = met_.load(std::memory_order_relaxed);
    while (piece < met && !met_.compare_exchange_weak(met, piece, std::memory_order_relaxed)) {
    }
  }
  // The caller has met the GPU at a band and waits for the other cores, who may meet it some bands below.
  void ask_for_bands(int met) const {
    const int last = std::min(met + bands_->lanes() / 2, bands_->count() - 1);
    for (int b = std::max(0, met + 1 - bands_->lanes()); b <= last; ++b) bands_->ask_for(b);
  }
  void await(int band) const {
    constexpr double patience_us = 100;
    const Stopwatch watch;
    while (!bands_->is_in(band) && watch.elapsed_us() < patience_us) relax();
  }
  // A band and all that are in its lane above it. The GPU has begun it; one that does not come with it does
  // not hold up the frame.
  Sums gpu_sums(const Frame& frame, int band) const {
    if (!bands_->is_in(band)) await(band);
    Sums sums;
    for (; band >= 0; band -= bands_->lanes()) {
      if (bands_->is_in(band)) return sums += bands_->sums(band);
      sums += weighing_.sum_strip(frame, bands_->band(band));
    }
    return sums;
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
    Deal deal(lower, threads_, Deal::First::in_turn);
    parallel_chunks(sends + threads_, 1, threads_, [&](std::int64_t, std::int64_t, std::int64_t i) {
      if (i < sends) {
        slot_->put(static_cast<int>(i));
        ++sent_;
        return;
      }
      const int worker = static_cast<int>(i) - sends;
      workers_[static_cast<std::size_t>(worker)].sums =
          deal.work(worker, [&](const Region& strip, NextStrip next) {
            const Sums sums = weighing_.sum_strip(frame, strip, next);
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
    shared.sums += slot_->wait();
    shared.gpu_us = gpu_us_.load(std::memory_order_relaxed);
    if (shared.gpu_us <= 0) shared.gpu_us = watch.elapsed_us();
    return shared;
  }

  void look_at_gpu(const Stopwatch& watch) {
    double none = 0;
    if (gpu_us_.load(std::memory_order_relaxed) <= 0 && slot_->is_done())
      gpu_us_.compare_exchange_strong(none, watch.elapsed_us());
  }

  std::unique_ptr<GpuSlot> slot_;
  std::optional<GpuBands> bands_;  // when a filter weighs
  Splitter meeting_, splitting_;
  InFlight<Sums> done_;
  bool in_place_ = false;         // the GPU could read the last frame where it lay
  std::vector<PartSums> pieces_;  // of bands, from the lowest up
  std::vector<PartSums> workers_;
  GpuClock clock_;
  std::atomic<int> sent_{0};
  std::atomic<double> gpu_us_{0};  // when the GPU was seen to be done; 0: not yet
  alignas(64) std::atomic<int> next_{0};
  std::atomic<int> met_{0};  // the first piece that no core did
};

}  // namespace

std::unique_ptr<Summer> make_joint_summer(const Classifier& classifier, FrameFormat format, int width,
                                          int height, int ordinal, int threads, double ready_us) {
  return std::make_unique<JointSummer>(classifier, format, width, height, ordinal, threads, ready_us);
}

}  // namespace triptych::skin_tracker
