// How a GPU and the cores share the rows of a frame while both work on it: the GPU goes down the frame band
// by band, the cores come up from the bottom, and the boundary lies where a core finds a band whose sums are
// in. Bands that both have done count once.
#pragma once

#include <triptych/core/clock.hpp>
#include <triptych/core/cpu_pause.hpp>
#include <triptych/core/parallel.hpp>
#include <triptych/skin_tracker/frame.hpp>
#include <triptych/skin_tracker/head.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/joint/gpu_clock.hpp"
#include "moments/cuda/bands_cuda.hpp"
#include "moments/strips.hpp"

namespace triptych::skin_tracker {

// Bands: GpuBands, or what a test has in its place.
template <class Bands>
class BandSharing {
 public:
  // For frames of up to so many rows.
  BandSharing(int height, int threads)
      : threads_(threads),
        pieces_(static_cast<std::size_t>((height / band_rows + 2) * pieces_per_band)),
        workers_(static_cast<std::size_t>(threads)) {}

  struct Result {
    Sums sums;
    int gpu_rows = 0;               // the upper ones, whose sums are the GPU's
    double gpu_us = 0, cpu_us = 0;  // from the beginning; gpu_us is 0 without rows
  };

  // The sums of a region, of which the GPU may do so many upper rows. One of the cores calls start(), which
  // puts the GPU to work on the bands and returns whether it could, while the others begin; when it could not
  // the cores do everything. sum_strip(rows, next) is what the cores do.
  template <class Start, class SumStrip>
  Result run(Bands& bands, const Region& region, int max_gpu_rows, const Start& start,
             const SumStrip& sum_strip) {
    const Stopwatch watch;
    bands.plan(region, max_gpu_rows);
    const Region last = bands.band(bands.count() - 1);
    const int top = last.y + last.height;
    Deal deal({region.x, top, region.width, region.y + region.height - top}, threads_);
    const int pieces = bands.count() * pieces_per_band;
    next_.store(0, std::memory_order_relaxed);
    boundary_.store(pieces, std::memory_order_relaxed);
    bool started = false;
    // What is below the bands first, then these from the lowest up.
    const auto take = [&](const Region& strip) -> Turn {
      if (strip.height > 0) return {strip, strips};
      const int piece = next_.fetch_add(1, std::memory_order_relaxed);
      return {piece < pieces ? region_of(bands, piece) : Region{}, piece};
    };
    parallel_chunks(threads_, 1, threads_, [&](std::int64_t, std::int64_t, std::int64_t worker) {
      // A launch takes a core some microseconds, an order half of one, for which the others need not wait.
      if (worker == 0) started = start();
      Sums sums;
      for (Turn turn = take(deal.first(static_cast<int>(worker))); turn.piece < pieces;) {
        if (turn.piece != strips && bands.is_in(band_of(bands, turn.piece))) {
          end_at(turn.piece);
          if (worker == 0) ask_for_bands(bands, band_of(bands, turn.piece));
          break;
        }
        std::optional<Turn> after;
        auto next = [&] { return (after ? *after : after.emplace(take(deal.next()))).rows; };
        const Sums added = sum_strip(turn.rows, NextStrip(next));
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
    Result result;
    result.cpu_us = watch.elapsed_us();
    for (const PartSums& part : workers_) result.sums += part.sums;
    // The cores have done the pieces before the boundary; its band and those above are the GPU's.
    const int boundary = boundary_.load(std::memory_order_relaxed);
    const int gpu_bands = boundary < pieces ? band_of(bands, boundary) + 1 : 0;
    for (int piece = 0; piece < (bands.count() - gpu_bands) * pieces_per_band; ++piece)
      result.sums += pieces_[static_cast<std::size_t>(piece)].sums;
    double gpu_us = 0;
    for (int b = std::max(0, gpu_bands - bands.lanes()); b < gpu_bands; ++b) {
      result.sums += gpu_sums(bands, b, sum_strip);
      if (bands.is_in(b)) gpu_us = std::max(gpu_us, bands.elapsed_us(b));
    }
    if (started) bands.end();
    if (gpu_us > 0) {
      const Region band = bands.band(gpu_bands - 1);
      result.gpu_rows = band.y + band.height - region.y;
      result.gpu_us = clock_.end_us(gpu_us, watch.elapsed_us());
    }
    return result;
  }

 private:
  // What a core does at a time where it may come upon the GPU.
  static constexpr int pieces_per_band = 2;
  static constexpr int piece_rows = band_rows / pieces_per_band;

  // What a core does next: rows below the bands, or a piece of them.
  static constexpr int strips = -1;
  struct Turn {
    Region rows;
    int piece = strips;
  };

  static int band_of(const Bands& bands, int piece) { return bands.count() - 1 - piece / pieces_per_band; }
  static Region region_of(const Bands& bands, int piece) {
    const Region band = bands.band(band_of(bands, piece));
    const int bottom = band.y + band.height - piece % pieces_per_band * piece_rows;
    const int first =
        piece % pieces_per_band == pieces_per_band - 1 ? band.y : std::max(band.y, bottom - piece_rows);
    return {band.x, first, band.width, std::max(0, bottom - first)};
  }
  void end_at(int piece) {
    int boundary = boundary_.load(std::memory_order_relaxed);
    while (piece < boundary && !boundary_.compare_exchange_weak(boundary, piece, std::memory_order_relaxed)) {
    }
  }
  // The caller has come upon the GPU at a band and waits for the other cores, who may do so some bands below.
  static void ask_for_bands(const Bands& bands, int band) {
    const int last = std::min(band + bands.lanes() / 2, bands.count() - 1);
    for (int b = std::max(0, band + 1 - bands.lanes()); b <= last; ++b) bands.ask_for(b);
  }
  static void await(const Bands& bands, int band) {
    constexpr double patience_us = 100;
    const Stopwatch watch;
    while (!bands.is_in(band) && watch.elapsed_us() < patience_us) cpu_pause();
  }
  // A band and all that are in its lane above it. The GPU has begun it; one that does not come with it does
  // not hold up the frame.
  template <class SumStrip>
  static Sums gpu_sums(const Bands& bands, int band, const SumStrip& sum_strip) {
    if (!bands.is_in(band)) await(bands, band);
    Sums sums;
    for (; band >= 0; band -= bands.lanes()) {
      if (bands.is_in(band)) return sums += bands.sums(band);
      sums += sum_strip(bands.band(band), NextStrip());
    }
    return sums;
  }

  int threads_;
  std::vector<PartSums> pieces_;  // of bands, from the lowest up
  std::vector<PartSums> workers_;
  GpuClock clock_;
  alignas(64) std::atomic<int> next_{0};
  std::atomic<int> boundary_{0};  // the first piece that no core did
};

}  // namespace triptych::skin_tracker
