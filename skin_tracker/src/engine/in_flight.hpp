// InFlight: a queue of submitted frames whose results were not fetched yet.
#pragma once

#include <triptych/core/frame_processor.hpp>

#include <array>
#include <cstddef>

namespace triptych::skin_tracker {

// First in, first out; up to max_in_flight elements.
template <class T>
class InFlight {
 public:
  int count() const { return count_; }
  T& back() { return items_[static_cast<std::size_t>((first_ + count_ - 1) % max_in_flight)]; }
  // 0: the front one.
  T& at(int place) { return items_[static_cast<std::size_t>((first_ + place) % max_in_flight)]; }
  T& front() { return items_[static_cast<std::size_t>(first_)]; }
  // Appends an element and returns it; count() must be below max_in_flight.
  T& push() {
    ++count_;
    return back();
  }
  void pop_front() {
    first_ = (first_ + 1) % max_in_flight;
    --count_;
  }

 private:
  std::array<T, max_in_flight> items_{};
  int first_ = 0, count_ = 0;
};

}  // namespace triptych::skin_tracker
