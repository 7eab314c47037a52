// BandSharing: divides the rows of a frame between a GPU and the CPU while both work on it. The GPU processes
// bands from the top, the CPU threads go up from the bottom, and the boundary lies where a thread finds a
// band that the GPU has done. Bands that both have done count once.
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

#include "engine/joint/gpu_start_estimator.hpp"
#include "moments/cuda/bands_cuda.hpp"
#include "moments/row_scheduler.hpp"

namespace triptych::skin_tracker {

// Bands: GpuBands, or a test's substitute.
template <class Bands>
class BandSharing {
 public:
  // For frames of up to that height.
  BandSharing(int height, int threads)
      : threads_(threads),
        pieces_(static_cast<std::size_t>((height / band_rows + 2) * pieces_per_band)),
        workers_(static_cast<std::size_t>(threads)) {}

  struct Result {
    Moments moments;
    int gpu_rows = 0;               // the upper rows, whose moments are the GPU's
    double gpu_us = 0, cpu_us = 0;  // from the start of the frame; gpu_us is 0 without rows
  };

  // The moments of a region, of which the GPU may process up to max_gpu_rows upper rows. One thread calls
  // start(), which starts the GPU and returns whether it could, while the others begin; if not, the CPU does
  // all rows. The threads call chunk_moments(rows, next).
  template <class Start, class ChunkMoments>
  Result run(Bands& bands, const PixelBox& region, int max_gpu_rows, const Start& start,
             const ChunkMoments& chunk_moments) {
    const Stopwatch watch;
    bands.plan(region, max_gpu_rows);
    const PixelBox last = bands.band(bands.count() - 1);
    const int top = last.y + last.height;
    RowScheduler scheduler({region.x, top, region.width, region.y + region.height - top}, threads_);
    const int pieces = bands.count() * pieces_per_band;
    next_.store(0, std::memory_order_relaxed);
    boundary_.store(pieces, std::memory_order_relaxed);
    bool started = false;
    // First the rows below the bands, then the bands from the lowest up.
    const auto take = [&](const PixelBox& chunk) -> Task {
      if (chunk.height > 0) return {chunk, below_bands};
      const int piece = next_.fetch_add(1, std::memory_order_relaxed);
      return {piece < pieces ? rows_of(bands, piece) : PixelBox{}, piece};
    };
    parallel_chunks(threads_, 1, threads_, [&](std::int64_t, std::int64_t, std::int64_t worker) {
      // A launch takes one thread some microseconds, a command half of one; the other threads do not wait.
      if (worker == 0) started = start();
      Moments moments;
      for (Task task = take(scheduler.first(static_cast<int>(worker))); task.piece < pieces;) {
        if (task.piece != below_bands && bands.is_done(band_of(bands, task.piece))) {
          end_at(task.piece);
          if (worker == 0) prefetch_results(bands, band_of(bands, task.piece));
          break;
        }
        std::optional<Task> after;
        auto next = [&] { return (after ? *after : after.emplace(take(scheduler.next()))).rows; };
        const Moments added = chunk_moments(task.rows, NextChunk(next));
        if (task.piece == below_bands) {
          moments += added;
        } else {
          pieces_[static_cast<std::size_t>(task.piece)].moments = added;
        }
        next();
        task = *after;
      }
      workers_[static_cast<std::size_t>(worker)].moments = moments;
    });
    Result result;
    result.cpu_us = watch.elapsed_us();
    for (const PartialMoments& part : workers_) result.moments += part.moments;
    // The CPU has done the pieces before the boundary; the band at the boundary and those above are the
    // GPU's.
    const int boundary = boundary_.load(std::memory_order_relaxed);
    const int gpu_bands = boundary < pieces ? band_of(bands, boundary) + 1 : 0;
    for (int piece = 0; piece < (bands.count() - gpu_bands) * pieces_per_band; ++piece)
      result.moments += pieces_[static_cast<std::size_t>(piece)].moments;
    double gpu_us = 0;
    for (int b = std::max(0, gpu_bands - bands.lanes()); b < gpu_bands; ++b) {
      result.moments += gpu_moments(bands, b, chunk_moments);
      if (bands.is_done(b)) gpu_us = std::max(gpu_us, bands.elapsed_us(b));
    }
    if (started) bands.end();
    if (gpu_us > 0) {
      const PixelBox band = bands.band(gpu_bands - 1);
      result.gpu_rows = band.y + band.height - region.y;
      result.gpu_us = start_estimator_.end_us(gpu_us, watch.elapsed_us());
    }
    return result;
  }

 private:
  // A thread takes half a band at a time, because the GPU may reach the same band.
  static constexpr int pieces_per_band = 2;
  static constexpr int piece_rows = band_rows / pieces_per_band;

  // A thread's next task: rows below the bands, or a piece of a band.
  static constexpr int below_bands = -1;
  struct Task {
    PixelBox rows;
    int piece = below_bands;
  };

  static int band_of(const Bands& bands, int piece) { return bands.count() - 1 - piece / pieces_per_band; }
  static PixelBox rows_of(const Bands& bands, int piece) {
    const PixelBox band = bands.band(band_of(bands, piece));
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
  // While the calling thread waits for the others, which may find the boundary some bands below.
  static void prefetch_results(const Bands& bands, int band) {
    const int last = std::min(band + bands.lanes() / 2, bands.count() - 1);
    for (int b = std::max(0, band + 1 - bands.lanes()); b <= last; ++b) bands.prefetch(b);
  }
  static void await(const Bands& bands, int band) {
    constexpr double timeout_us = 100;
    const Stopwatch watch;
    while (!bands.is_done(band) && watch.elapsed_us() < timeout_us) cpu_pause();
  }
  // A band and those above it in its lane. The GPU has begun the band; after a timeout the CPU does it.
  template <class ChunkMoments>
  static Moments gpu_moments(const Bands& bands, int band, const ChunkMoments& chunk_moments) {
    if (!bands.is_done(band)) await(bands, band);
    Moments moments;
    for (; band >= 0; band -= bands.lanes()) {
      if (bands.is_done(band)) return moments += bands.moments(band);
      moments += chunk_moments(bands.band(band), NextChunk());
    }
    return moments;
  }

  int threads_;
  std::vector<PartialMoments> pieces_;  // of bands, from the lowest up
  std::vector<PartialMoments> workers_;
  GpuStartEstimator start_estimator_;
  alignas(64) std::atomic<int> next_{0};
  std::atomic<int> boundary_{0};  // the first piece that no thread did
};

}  // namespace triptych::skin_tracker
