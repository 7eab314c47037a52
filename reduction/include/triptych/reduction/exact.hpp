// The correctly rounded sum of floats or doubles: the exact sum, rounded once to the nearest number, ties to
// even. It does not depend on the order of the elements, nor on their division among threads, devices and
// ranks.
//
//   float total = sum_exact_cpu<float>(values, 0).value();
//
// The accumulator is an integer as wide as the range of the type (Kulisch). reduce.hpp and Reducer have the
// same sum as Determinism::exact.
//
// - Subnormal numbers are exact, unless the caller has set the CPU to flush them to zero. A sum above the
// largest number by half a unit or more is an infinity.
// - A NaN, or infinities of both signs, give the quiet NaN; infinities of one sign give that infinity.
// - A sum that is zero is +0, also the sum of nothing and of negative zeros only.
#pragma once

#include <triptych/core/host_device.hpp>
#include <triptych/core/span.hpp>
#include <triptych/core/stream.hpp>
#include <triptych/core/workspace.hpp>
#include <triptych/reduction/detail/exact_math.hpp>

#include <concepts>
#include <cstdint>
#include <span>

namespace triptych::reduction {

template <class T>
concept ExactElement = std::same_as<T, float> || std::same_as<T, double>;

// The exact sum of up to 2^63 elements, as integers. Trivially copyable; all zero is the empty sum.
//
// Between calls of its functions a sum is normalised: two sums are equal (==) when their values and their
// numbers of NaNs and infinities are. Ranks exchange sums by adding their words as integers, word by word:
// the words of up to max_word_sums normalised sums do not overflow. Then call normalise().
template <ExactElement T>
struct ExactSum {
  static constexpr int digit_count = detail::ExactFormat<T>::digits;
  static constexpr int word_count = digit_count + 3;
  static constexpr std::int64_t max_word_sums = (std::int64_t{1} << 31) - 1;

  // Digits of 32 bits, the lowest first, the last one signed; then the numbers of NaN, infinity, -infinity.
  std::int64_t words[word_count] = {};

  // Adds elements on the calling thread. InvalidArgument for a null pointer.
  void add(std::span<const T> values);

  TRIPTYCH_HD constexpr void add(T value) {
    if (!detail::is_finite(value)) {
      ++words[digit_count + detail::special_kind(value)];
      return;
    }
    const auto [position, integer] = detail::to_integer(value);
    detail::add_integer(words, position, integer);
    normalise();
  }

  TRIPTYCH_HD constexpr void merge(const ExactSum& other) {
    for (int k = 0; k < word_count; ++k) words[k] += other.words[k];
    normalise();
  }

  // Propagates carries; the value is the same.
  TRIPTYCH_HD constexpr void normalise() { detail::carry_digits(words, digit_count); }

  // The sum rounded once to A, also when A is narrower than T.
  template <ExactElement A = T>
  TRIPTYCH_HD constexpr A value() const {
    ExactSum copy = *this;
    return detail::round_words<A, T>(copy.words);
  }

  friend constexpr bool operator==(const ExactSum&, const ExactSum&) = default;
};

// The sum on `threads` threads (0: default_threads()). InvalidArgument for a null pointer or a negative
// number of threads.
template <ExactElement T>
ExactSum<T> sum_exact_cpu(std::span<const T> values, int threads);

// Enqueues the sum and returns: does not synchronise, allocates nothing once the workspace is large enough
// (0 bytes), can be captured in a graph. *sum_on_device is valid after this work on the stream has finished.
// Any length and alignment of whole elements. InvalidArgument for a null pointer; Unavailable without CUDA.
template <ExactElement T>
void sum_exact_cuda(DeviceSpan<const T> values, ExactSum<T>* sum_on_device, Workspace& workspace,
                    StreamRef stream);

}  // namespace triptych::reduction
