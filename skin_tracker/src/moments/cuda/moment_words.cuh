// Moments as the trivial accumulator of kernels.
#pragma once

#include <triptych/core/host_device.hpp>
#include <triptych/skin_tracker/head.hpp>

#include <bit>
#include <cstdint>

namespace triptych::skin_tracker {

// Words modulo 2^64: the same 48 bytes as Moments, but trivial, as an accumulator must be.
struct MomentWords {
  std::uint64_t weight, x, y, xx, xy, yy;
  friend bool operator==(const MomentWords&, const MomentWords&) = default;
};
static_assert(sizeof(MomentWords) == sizeof(Moments) && alignof(MomentWords) == alignof(Moments));

inline Moments to_moments(const MomentWords& words) { return std::bit_cast<Moments>(words); }

struct AddMoments {
  using Value = MomentWords;
  static constexpr bool exact = true;
  static constexpr bool expensive = true;  // 12 registers: one accumulator a thread is enough

  TRIPTYCH_HD MomentWords identity() const { return {0, 0, 0, 0, 0, 0}; }
  TRIPTYCH_HD MomentWords operator()(const MomentWords& a, const MomentWords& b) const {
    return {a.weight + b.weight, a.x + b.x, a.y + b.y, a.xx + b.xx, a.xy + b.xy, a.yy + b.yy};
  }

#ifdef __CUDACC__
  __device__ static void atomic(MomentWords* address, const MomentWords& v) {
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
