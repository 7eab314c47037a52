// The sums of a frame as kernels add them up.
#pragma once

#include <triptych/core/host_device.hpp>
#include <triptych/skin_tracker/head.hpp>

#include <bit>
#include <cstdint>

namespace triptych::skin_tracker {

// Sums as words modulo 2^64: the same 48 bytes, but trivial, as an accumulator must be.
struct SumWords {
  std::uint64_t weight, x, y, xx, xy, yy;
  friend bool operator==(const SumWords&, const SumWords&) = default;
};
static_assert(sizeof(SumWords) == sizeof(Sums) && alignof(SumWords) == alignof(Sums));

inline Sums to_sums(const SumWords& words) { return std::bit_cast<Sums>(words); }

struct AddSums {
  using Value = SumWords;
  static constexpr bool exact = true;
  static constexpr bool expensive = true;  // 12 registers: one accumulator a thread is enough

  TRIPTYCH_HD SumWords identity() const { return {0, 0, 0, 0, 0, 0}; }
  TRIPTYCH_HD SumWords operator()(const SumWords& a, const SumWords& b) const {
    return {a.weight + b.weight, a.x + b.x, a.y + b.y, a.xx + b.xx, a.xy + b.xy, a.yy + b.yy};
  }

#ifdef __CUDACC__
  __device__ static void atomic(SumWords* address, const SumWords& v) {
    auto* word = reinterpret_cast<unsigned long long*>(address);
    atomicAdd(word, v.weight);
    atomicAdd(word + 1, v.x);
    atomicAdd(word + 2, v.y);
    atomicAdd(word + 3, v.xx);
    atomicAdd(word + 4, v.xy);
    atomicAdd(word + 5, v.yy);
  }
#endif
};

}  // namespace triptych::skin_tracker
