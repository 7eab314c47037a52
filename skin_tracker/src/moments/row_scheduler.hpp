// RowScheduler: guided scheduling of a region's rows over threads.
#pragma once

#include <triptych/skin_tracker/frame.hpp>
#include <triptych/skin_tracker/head.hpp>

#include <algorithm>
#include <atomic>
#include <concepts>
#include <optional>

namespace triptych::skin_tracker {

// The chunk of rows that a thread processes after the present one. It is requested when the last rows of the
// present chunk begin: early enough to prefetch its first rows, and late enough to leave it to another thread
// for as long as possible.
class NextChunk {
 public:
  NextChunk() = default;  // no next chunk
  // take() returns the rows, empty when there are none; it must outlive this object.
  template <class F>
  requires(!std::same_as<F, NextChunk>) NextChunk(F& take)
      : take_([](void* context) { return (*static_cast<F*>(context))(); }), context_(&take) {}

  PixelBox operator()() const { return take_ != nullptr ? take_(context_) : PixelBox{}; }

 private:
  PixelBox (*take_)(void*) = nullptr;
  void* context_ = nullptr;
};

// Chunks get shorter towards the end: long ones have less overhead, short ones let threads finish together.
class RowScheduler {
 public:
  static constexpr int min_rows = 4;  // per chunk, except the last; all others have an even number

  // reserved: each worker has its first chunk without synchronisation. on_demand: the first chunk is
  // taken like any other, for workers of which some may start late.
  enum class First { reserved, on_demand };
  RowScheduler(const PixelBox& region, int workers, First first = First::reserved)
      : region_(region), parts_(2 * workers), first_(height(region.height)) {
    if (first == First::on_demand) first_ = 0;
    taken_.store(std::min(region.height, workers * first_), std::memory_order_relaxed);
  }

  // The first chunk of a worker, and the next one of any. Empty when nothing is left.
  PixelBox first(int worker) {
    if (first_ == 0) return next();
    const int begin = std::min(region_.height, worker * first_);
    return chunk(begin, std::min(region_.height, begin + first_));
  }
  PixelBox next() {
    int begin = taken_.load(std::memory_order_relaxed);
    while (begin < region_.height) {
      const int end = std::min(region_.height, begin + height(region_.height - begin));
      if (taken_.compare_exchange_weak(begin, end, std::memory_order_relaxed)) return chunk(begin, end);
    }
    return {};
  }

  // Runs a worker: the sum of chunk_moments(chunk, next) over the chunks that it gets.
  template <class ChunkMoments>
  Moments run(int worker, const ChunkMoments& chunk_moments) {
    Moments moments;
    for (PixelBox chunk = first(worker); chunk.height > 0;) {
      std::optional<PixelBox> coming;
      auto take = [&] { return coming ? *coming : coming.emplace(next()); };
      moments += chunk_moments(chunk, NextChunk(take));
      chunk = take();
    }
    return moments;
  }

 private:
  // Rows of the chunk that is taken when `left` rows remain.
  int height(int left) const {
    const int fair = (left + parts_ - 1) / parts_;
    return std::max(min_rows, (fair + 1) / 2 * 2);
  }
  PixelBox chunk(int begin, int end) const {
    return {region_.x, region_.y + begin, region_.width, end - begin};
  }

  PixelBox region_;
  int parts_, first_;
  alignas(64) std::atomic<int> taken_;  // rows; alone in its cache line, which all threads write
};

// The moments of one thread's rows, each in its own cache line.
struct alignas(64) PartialMoments {
  Moments moments;
};

}  // namespace triptych::skin_tracker
