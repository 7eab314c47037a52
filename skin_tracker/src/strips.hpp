// How the rows of a region are dealt to threads.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace triptych::skin_tracker {

// Rows cut into strips that get shorter towards the end: long ones cost less, short ones let threads finish
// together. Strip i has the rows [end(i - 1), end(i)).
class Strips {
 public:
  static constexpr int most = 192;  // strips

  Strips(int rows, int workers) {
    constexpr int shortest = 6;
    int done = 0;
    while (done < rows && count_ < most) {
      const int fair = (rows - done + 2 * workers - 1) / (2 * workers);
      const bool last = workers == 1 || count_ == most - 1;
      done = last ? rows : std::min(rows, done + std::max(shortest, fair));
      end_[static_cast<std::size_t>(count_++)] = done;
    }
  }
  int count() const { return count_; }
  int begin(int i) const { return i == 0 ? 0 : end(i - 1); }
  int end(int i) const { return end_[static_cast<std::size_t>(i)]; }

 private:
  std::array<int, most> end_;
  int count_ = 0;
};

}  // namespace triptych::skin_tracker
