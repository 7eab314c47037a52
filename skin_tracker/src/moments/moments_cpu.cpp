#include <triptych/core/error.hpp>
#include <triptych/core/parallel.hpp>
#include <triptych/core/simd/dispatch.hpp>
#include <triptych/reduction/collective/chunks.hpp>
#include <triptych/skin_tracker/moments.hpp>

#include <algorithm>
#include <array>
#include <span>

#include "frame/pixel_math.hpp"
#include "moments/moments_cpu.hpp"
#include "moments/row_moments.hpp"
#include "moments/row_scheduler.hpp"

namespace triptych::skin_tracker {

namespace {

// The sum of chunk_moments(chunk, next) over chunks of the region's rows.
template <class ChunkMoments>
Moments moments_of_region(const PixelBox& region, int threads, ChunkMoments chunk_moments) {
  if (region.empty()) return {};
  // Waking a thread must take less time than its work.
  constexpr std::int64_t min_pixels_per_thread = 1 << 15;
  constexpr std::int64_t max_workers = 256;
  const std::int64_t pixels = std::int64_t{region.width} * region.height;
  const std::int64_t wanted = std::min<std::int64_t>(max_workers, threads > 0 ? threads : default_threads());
  const auto workers = static_cast<int>(std::clamp<std::int64_t>(pixels / min_pixels_per_thread, 1, wanted));
  if (workers == 1) return chunk_moments(region, {});
  RowScheduler scheduler(region, workers);
  std::array<PartialMoments, max_workers> parts;
  Moments moments;
  reduction::fold_chunks(
      std::span<PartialMoments>(parts), workers, 1, workers,
      [&](PartialMoments& part, std::int64_t worker, std::int64_t) {
        part.moments = scheduler.run(static_cast<int>(worker), chunk_moments);
      },
      [&](const PartialMoments& part) { moments += part.moments; });
  return moments;
}

rows::ChunkMoments chunk_function(CpuPath path, const Frame& frame, const PixelBox& region) {
  check_region(region, frame.width(), frame.height());
  path = pick_cpu_path(path, available_cpu_paths());
  return rows::chunk_moments_by(path, frame.format());
}

// Many frames: one thread per frame. Few: all threads on each.
template <class Weights>
void moments_of_frames(std::span<const Frame> frames, const Weights& weights, std::span<Moments> moments,
                       int threads) {
  require(frames.size() == moments.size(), "there must be room for the moments of ", frames.size(),
          " frames, not of ", moments.size());
  const auto count = static_cast<std::int64_t>(frames.size());
  const bool many = count >= 2 * std::int64_t{threads > 0 ? threads : default_threads()};
  const auto one = [&](std::int64_t i) {
    const Frame& frame = frames[static_cast<std::size_t>(i)];
    moments[static_cast<std::size_t>(i)] = moments_cpu(frame, frame.whole(), weights, many ? 1 : threads);
  };
  if (many) return parallel_for(0, count, threads, one);
  for (std::int64_t i = 0; i < count; ++i) one(i);
}

}  // namespace

std::span<const CpuPath> available_cpu_paths() { return simd::available_byte_triple_paths(); }

Moments moments_cpu_by(CpuPath path, const Frame& frame, const PixelBox& region, const FixedFilter& filter,
                       int threads) {
  const rows::ChunkMoments chunk_moments = chunk_function(path, frame, region);
  return moments_of_region(region, threads, [&](const PixelBox& chunk, NextChunk next) {
    return chunk_moments(frame, chunk, filter, next);
  });
}

Moments chunk_moments_cpu(const Frame& frame, const PixelBox& chunk, const FixedFilter& filter,
                          NextChunk next) {
  return chunk_function(CpuPath::simd, frame, chunk)(frame, chunk, filter, next);
}

Moments chunk_moments_cpu(const Frame& frame, const PixelBox& chunk, const WeightTable<std::uint16_t>& table,
                          NextChunk) {
  check_region(chunk, frame.width(), frame.height());
  const std::uint16_t* weights = table.weights().data();
  return by_format(frame.format(), [&](auto format) {
    return rows::chunk_moments_of<format()>(frame, chunk, [&](const PixelBytes& p) {
      return std::uint64_t{weights[WeightTable<std::uint16_t>::index(colour_of<format()>(p))]};
    });
  });
}

Moments moments_cpu(const Frame& frame, const PixelBox& region, const LinearFilter& filter, int threads) {
  return moments_cpu_by(CpuPath::simd, frame, region, fix(filter, channels_of(frame.format())), threads);
}

Moments moments_cpu(const Frame& frame, const PixelBox& region, const WeightTable<std::uint16_t>& table,
                    int threads) {
  check_region(region, frame.width(), frame.height());
  return moments_of_region(region, threads, [&](const PixelBox& chunk, NextChunk) {
    return chunk_moments_cpu(frame, chunk, table);
  });
}

Head locate_cpu(const Frame& frame, const LinearFilter& filter, int threads) {
  return head_of(moments_cpu(frame, frame.whole(), filter, threads), frame.width(), frame.height());
}

Head locate_cpu(const Frame& frame, const WeightTable<std::uint16_t>& table, int threads) {
  return head_of(moments_cpu(frame, frame.whole(), table, threads), frame.width(), frame.height());
}

void moments_batch_cpu(std::span<const Frame> frames, const LinearFilter& filter, std::span<Moments> moments,
                       int threads) {
  moments_of_frames(frames, filter, moments, threads);
}

void moments_batch_cpu(std::span<const Frame> frames, const WeightTable<std::uint16_t>& table,
                       std::span<Moments> moments, int threads) {
  moments_of_frames(frames, table, moments, threads);
}

}  // namespace triptych::skin_tracker
