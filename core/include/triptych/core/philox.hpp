// Philox4x32-10, the counter-based random numbers of Salmon, Moraes, Dror and Shaw ("Parallel random numbers:
// as easy as 1, 2, 3", 2011), and distributions derived from them. Host and device give the same bits, also
// for normal numbers, which use only operations whose rounding IEEE 754 defines (no libm). -ffast-math and
// --use_fast_math break this.
#pragma once

#include <triptych/core/host_device.hpp>
#include <triptych/core/portable_math.hpp>

#include <cmath>
#include <cstdint>

namespace triptych {

struct Philox4x32 {
  std::uint32_t words[4];
  TRIPTYCH_HD constexpr std::uint32_t operator[](int i) const { return words[i]; }
};

// Four words that depend on every bit of the counter and the key; one-to-one in the counter.
TRIPTYCH_INLINE_HD constexpr Philox4x32 philox4x32(Philox4x32 counter, std::uint32_t key0,
                                                   std::uint32_t key1) {
  Philox4x32 x = counter;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{0xD2511F53u} * x.words[0];
    const std::uint64_t product1 = std::uint64_t{0xCD9E8D57u} * x.words[2];
    x = {{static_cast<std::uint32_t>(product1 >> 32) ^ x.words[1] ^ key0,
          static_cast<std::uint32_t>(product1),
          static_cast<std::uint32_t>(product0 >> 32) ^ x.words[3] ^ key1,
          static_cast<std::uint32_t>(product0)}};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return x;
}

// Multiples of 2^-24 in [0, 1) and in (0, 1], each equally likely.
TRIPTYCH_INLINE_HD constexpr float uniform_below_one(std::uint32_t bits) {
  return static_cast<float>(bits >> 8) * 0x1p-24f;
}
TRIPTYCH_INLINE_HD constexpr float uniform_above_zero(std::uint32_t bits) {
  return static_cast<float>((bits >> 8) + 1) * 0x1p-24f;
}
// A multiple of 2^-53 in [0, 1).
TRIPTYCH_INLINE_HD constexpr double uniform_double(std::uint32_t high, std::uint32_t low) {
  return static_cast<double>((std::uint64_t{high} << 32 | low) >> 11) * 0x1p-53;
}

struct NormalPair {
  float first, second;
};

// Two independent standard normal numbers (Box-Muller), of magnitude at most 5.77.
TRIPTYCH_INLINE_HD NormalPair normal_pair(std::uint32_t bits0, std::uint32_t bits1) {
  const float radius = portable_sqrt(-2.0f * portable_log(uniform_above_zero(bits0)));
  const CosSin direction = portable_cos_sin(uniform_below_one(bits1));
  // fmaf with 0: a plain product could be fused with the caller's next addition on the host or the device
  // alone.
  return {fmaf(radius, direction.cos, 0.0f), fmaf(radius, direction.sin, 0.0f)};
}

// The random numbers of one (seed, stream id). Streams of the same seed are independent: give each thread or
// particle its own id. next...() goes through the blocks from 0; block(i) is random access.
class PhiloxStream {
 public:
  TRIPTYCH_HD PhiloxStream(std::uint64_t seed, std::uint64_t stream_id)
      : seed_(seed), stream_id_(stream_id) {}

  // The four words of block i.
  TRIPTYCH_HD Philox4x32 block(std::uint64_t i) const {
    return philox4x32({{low(i), high(i), low(stream_id_), high(stream_id_)}}, low(seed_), high(seed_));
  }

  TRIPTYCH_HD std::uint32_t next() {
    if (used_ == 4) {
      current_ = block(next_block_++);
      used_ = 0;
    }
    return current_.words[used_++];
  }
  // In [0, 1).
  TRIPTYCH_HD float next_uniform() { return uniform_below_one(next()); }
  TRIPTYCH_HD NormalPair next_normal_pair() {
    const std::uint32_t bits0 = next();
    return normal_pair(bits0, next());
  }

 private:
  TRIPTYCH_HD static constexpr std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
  TRIPTYCH_HD static constexpr std::uint32_t high(std::uint64_t x) {
    return static_cast<std::uint32_t>(x >> 32);
  }

  std::uint64_t seed_;
  std::uint64_t stream_id_;
  std::uint64_t next_block_ = 0;
  Philox4x32 current_ = {};
  int used_ = 4;
};

}  // namespace triptych
