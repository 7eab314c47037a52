// InFlight: a queue of frames that were submitted and whose results were not fetched yet.
#pragma once

#include <array>
#include <cstddef>

namespace triptych::skin_tracker {

inline constexpr int max_in_flight = 3;

// First in, first out.
template <class T>
class InFlight {
 public:
  static constexpr int most = max_in_flight;
  int count() const { return count_; }
  T& back() { return items_[static_cast<std::size_t>((first_ + count_ - 1) % most)]; }
  T& front() { return items_[static_cast<std::size_t>(first_)]; }
  // A place for one more, which is then the last; count() must be below `most`.
  T& push() {
    ++count_;
    return back();
  }
  void pop_back() { --count_; }
  void pop_front() {
    first_ = (first_ + 1) % most;
    --count_;
  }

 private:
  std::array<T, most> items_{};
  int first_ = 0, count_ = 0;
};

}  // namespace triptych::skin_tracker
