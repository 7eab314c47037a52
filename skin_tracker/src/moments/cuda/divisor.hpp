// Division by a number that many threads share: one multiplication. Host and device.
#pragma once

#include <triptych/core/host_device.hpp>

#include <bit>
#include <cstdint>

namespace triptych::skin_tracker {

namespace detail {

// The quotient by a fixed divisor, by one multiplication. With 2^(s-1) < d <= 2^s and m = ceil(2^(31+s) / d),
// which fits 32 bits, the quotient of n < 2^31 is (n m) >> (31 + s): m d = 2^(31+s) + e with 0 <= e < d <=
// 2^s, so that n m / 2^(31+s) exceeds n / d by (n e / 2^(31+s)) / d, less than 1 / d, and n / d is at least 1
// / d below the next whole number.
struct Divisor {
  std::uint32_t divisor = 1, factor = 0x80000000u;
  std::int32_t shift = 0;

  Divisor() = default;
  explicit Divisor(std::uint32_t d) : divisor(d) {
    shift = static_cast<int>(std::bit_width(d - 1));
    factor = static_cast<std::uint32_t>(((std::uint64_t{1} << (31 + shift)) + d - 1) / d);
  }
  // n / divisor for n below 2^31.
  TRIPTYCH_HD std::uint32_t quotient(std::uint32_t n) const {
#ifdef __CUDA_ARCH__
    return __umulhi(2 * n, factor) >> shift;
#else
    return static_cast<std::uint32_t>(std::uint64_t{2 * n} * factor >> 32) >> shift;
#endif
  }
};

}  // namespace detail

}  // namespace triptych::skin_tracker
