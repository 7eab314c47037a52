// The scalar maths of weights and resampling, on host and device: integers, and doubles that every machine
// rounds alike. Compiled without contraction.
#pragma once

#include <triptych/capsule_likelihood/resample.hpp>
#include <triptych/core/host_device.hpp>
#include <triptych/core/portable_math.hpp>

#include <cstdint>

namespace triptych::capsule_likelihood {

// The candidate exponents: floats whose lower 13 bits are 0, so that the search is one over the
// integers 0 (beta 0) .. beta_steps (beta 1).
inline constexpr std::uint32_t beta_steps = 0x3F800000u >> 13;
inline constexpr int beta_bits = 17;  // beta_steps < 2^17

TRIPTYCH_INLINE_HD float beta_of(std::uint32_t step) {
#if defined(__CUDA_ARCH__)
  return __uint_as_float(step << 13);
#else
  return std::bit_cast<float>(step << 13);
#endif
}

// The largest step: its beta is at most max_loss / -highest, where max_loss is above 0.
TRIPTYCH_INLINE_HD std::uint32_t max_beta_step(double highest, double max_loss) {
  if (!(max_loss > 0) || !(highest < -max_loss)) return beta_steps;
  const auto beta = static_cast<float>(max_loss / -highest);
#if defined(__CUDA_ARCH__)
  return __float_as_uint(beta) >> 13;
#else
  return std::bit_cast<std::uint32_t>(beta) >> 13;
#endif
}

// A log-likelihood less the highest, which is not -infinity: not above 0, or NaN, or so low that it weighs
// nothing whatever beta is. The highest may be +infinity, whose difference from itself is no number.
TRIPTYCH_INLINE_HD float below_highest(double l, double highest) {
  if (l == highest) return 0.0f;
  return l >= -1e300 ? static_cast<float>(l - highest) : -HUGE_VALF;
}
// x as below_highest gives it.
TRIPTYCH_INLINE_HD std::uint32_t weight_of(float x, float beta) {
  if (!(x >= -3.4e38f)) return 0;
  return static_cast<std::uint32_t>(fmaf(portable_exp(beta * x), 16777216.0f, 0.5f));
}

// The exact sums over a set of weights. Squares are of a weight's upper 20 bits: with 2^20 samples they fit.
struct WeightSums {
  std::uint64_t first = 0, second = 0;
  TRIPTYCH_HD void add(std::uint32_t weight) {
    first += weight;
    const std::uint64_t upper = weight >> 4;
    second += upper * upper;
  }
};

TRIPTYCH_INLINE_HD double effective_samples(const WeightSums& sums) {
  const auto first = static_cast<double>(sums.first);
  return sums.second == 0 ? 0.0 : first * first / (static_cast<double>(sums.second) * 256.0);
}

// Whether at least that number of samples is effective, without a division.
TRIPTYCH_INLINE_HD bool reaches(const WeightSums& sums, double target) {
  const auto first = static_cast<double>(sums.first);
  return first * first >= target * (static_cast<double>(sums.second) * 256.0);
}

// The comb of systematic resampling: tooth k of n stands at floor((k total + offset) / n), and falls to the
// first sample whose cumulative weight is above it. Nothing overflows: k, n <= 2^20 and total <= 2^44.
struct Comb {
  std::uint64_t quotient, remainder, offset, count;

  TRIPTYCH_HD std::uint64_t tooth(std::uint64_t k) const {
    return k * quotient + (k * remainder + offset) / count;
  }
};

// The comb is shifted by one of 2^20 equal parts of the way to the next tooth.
TRIPTYCH_INLINE_HD Comb make_comb(std::uint64_t total, std::uint32_t bits, std::uint64_t count) {
  return {total / count, total % count, (std::uint64_t{bits >> 12} * total) >> 20, count};
}

// The first of n rising cumulative sums that is above a tooth. sums(i) is the i-th; the last is above it.
template <class Sums>
TRIPTYCH_HD std::int32_t first_above(const Sums& sums, std::int32_t n, std::uint64_t tooth) {
  std::int32_t low = 0, high = n - 1;
  while (low < high) {
    const std::int32_t middle = (low + high) / 2;
    if (sums[middle] > tooth) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace triptych::capsule_likelihood
