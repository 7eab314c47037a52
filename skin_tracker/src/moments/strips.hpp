// How the rows of a region are dealt to threads.
#pragma once

#include <triptych/skin_tracker/frame.hpp>
#include <triptych/skin_tracker/head.hpp>

#include <algorithm>
#include <atomic>
#include <concepts>
#include <optional>

namespace triptych::skin_tracker {

// What a thread will work on after a strip. Asked when the strip's last rows begin: soon enough to have
// memory bring the first rows of the next one, and late enough to leave that to another thread as long as
// possible.
class NextStrip {
 public:
  NextStrip() = default;  // nothing
  // take() returns the Region, empty when there is none; it must stay for as long as this does.
  template <class F>
  requires(!std::same_as<F, NextStrip>) NextStrip(F& take)
      : take_([](void* context) { return (*static_cast<F*>(context))(); }), context_(&take) {}

  Region operator()() const { return take_ != nullptr ? take_(context_) : Region{}; }

 private:
  Region (*take_)(void*) = nullptr;
  void* context_ = nullptr;
};

// The rows of a region, dealt in strips that get shorter towards the end: long ones cost less, short ones let
// threads finish together.
class Deal {
 public:
  static constexpr int shortest = 4;  // rows, but for the last strip; all others have an even number

  // Among so many workers. Each has its first strip without asking the others; not so when it cannot be
  // said which of them will begin soon.
  enum class First { beforehand, in_turn };
  Deal(const Region& region, int workers, First first = First::beforehand)
      : region_(region), parts_(2 * workers), first_(height(region.height)) {
    if (first == First::in_turn) first_ = 0;
    taken_.store(std::min(region.height, workers * first_), std::memory_order_relaxed);
  }

  // The first strip of each worker, by its number, and the next one of any. Empty when nothing is left.
  Region first(int worker) {
    if (first_ == 0) return next();
    const int begin = std::min(region_.height, worker * first_);
    return strip(begin, std::min(region_.height, begin + first_));
  }
  Region next() {
    int begin = taken_.load(std::memory_order_relaxed);
    while (begin < region_.height) {
      const int end = std::min(region_.height, begin + height(region_.height - begin));
      if (taken_.compare_exchange_weak(begin, end, std::memory_order_relaxed)) return strip(begin, end);
    }
    return {};
  }

  // A worker's part: sum(strip, next) of all strips that it gets.
  template <class Sum>
  Sums work(int worker, const Sum& sum) {
    Sums sums;
    for (Region strip = first(worker); strip.height > 0;) {
      std::optional<Region> coming;
      auto ask = [&] { return coming ? *coming : coming.emplace(next()); };
      sums += sum(strip, NextStrip(ask));
      strip = ask();
    }
    return sums;
  }

 private:
  // Of the strip that is taken when so many rows are left.
  int height(int left) const {
    const int fair = (left + parts_ - 1) / parts_;
    return std::max(shortest, (fair + 1) / 2 * 2);
  }
  Region strip(int begin, int end) const {
    return {region_.x, region_.y + begin, region_.width, end - begin};
  }

  Region region_;
  int parts_, first_;
  alignas(64) std::atomic<int> taken_;  // rows; alone in its cache line, which is everybody's
};

// What a thread has added up: a cache line for each, so that threads do not wait for each other's.
struct alignas(64) PartSums {
  Sums sums;
};

}  // namespace triptych::skin_tracker
