// The sums of one thread of the exact sum on a GPU: bins of its own in shared memory, laid out [row][thread].
// The bank of an access depends on the thread alone, so that no data cause conflicts, and no atomics are
// needed.
//
// ExactBins<T, Threads>
//   Bin, rows, spacing   row r has the weight 2^(spacing r + scale of T)
//   max_elements         that a thread may add between two flushes of its bins
//   add(x)               adds a finite element
//   finite(x)            neither NaN nor an infinity
//   integer(bin, row)    the bin as a multiple of its weight
#pragma once

#include <triptych/core/host_device.hpp>
#include <triptych/reduction/detail/exact_math.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace triptych::reduction::detail {

template <class T, int Threads>
class ExactBins;

// Floats: a bin is a double and takes the elements of 16 exponents. Such an element is a multiple of the
// weight of its row below 2^39 times the weight, so that a double adds 2^14 of them without rounding.
template <int Threads>
class ExactBins<float, Threads> {
 public:
  using Bin = double;
  static constexpr int rows = 16, spacing = 16, max_elements = 1 << 13;

  TRIPTYCH_HD explicit ExactBins(Bin (&bins)[rows][Threads], unsigned thread) : mine_(&bins[0][thread]) {}

  TRIPTYCH_HD void add(float x) {
    const unsigned row = std::bit_cast<std::uint32_t>(x) >> 27 & 15;  // the upper four of the exponent bits
    mine_[row * Threads] += double{x};
  }

  TRIPTYCH_HD static bool finite(float x) { return std::fabs(x) <= std::numeric_limits<float>::max(); }

  TRIPTYCH_HD static std::int64_t integer(Bin bin, int row) {
    const int exponent = -(spacing * row + ExactFormat<float>::scale);
    return static_cast<std::int64_t>(bin * std::bit_cast<double>(std::uint64_t(1023 + exponent) << 52));
  }

 private:
  Bin* mine_;
};

// Doubles: a bin is an integer. An element is added to two rows, at most 2^52 to each, so that a bin takes
// fewer than 2^11 of them without overflow.
template <int Threads>
class ExactBins<double, Threads> {
 public:
  using Bin = std::int64_t;
  static constexpr int rows = 41, spacing = 52, max_elements = 1 << 10;

  TRIPTYCH_HD explicit ExactBins(Bin (&bins)[rows][Threads], unsigned thread) : mine_(&bins[0][thread]) {}

  TRIPTYCH_HD void add(double x) {
    const auto [position, integer] = to_integer(x);
    const auto place = static_cast<unsigned>(position);
    const unsigned row = place * 20165u >> 20;  // place / 52, for place < 2048
    const unsigned shift = place - 52 * row;
    Bin* bin = mine_ + row * Threads;
    const Bin lower = bin[0], upper = bin[Threads];
    constexpr std::uint64_t mask = (std::uint64_t{1} << 52) - 1;
    bin[0] = lower + static_cast<Bin>(static_cast<std::uint64_t>(integer) << shift & mask);
    bin[Threads] = upper + (integer >> (52 - shift));
  }

  TRIPTYCH_HD static bool finite(double x) { return is_finite(x); }

  TRIPTYCH_HD static std::int64_t integer(Bin bin, int) { return bin; }

 private:
  Bin* mine_;
};

}  // namespace triptych::reduction::detail
