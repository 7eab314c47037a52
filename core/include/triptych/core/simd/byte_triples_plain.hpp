// Two triples of bytes in scalar code: the reference of the other forms in tests.
#pragma once

#include <triptych/core/simd/pack_plain.hpp>

#include <cstdint>

namespace triptych::simd {

template <>
struct ByteTriples<Plain> {
  static constexpr int lanes = 2;
  std::uint8_t b[lanes][3];

  static ByteTriples load_3(const std::uint8_t* p) { return {{{p[0], p[1], p[2]}, {p[3], p[4], p[5]}}}; }
  static ByteTriples load_4(const std::uint8_t* p) { return {{{p[0], p[1], p[2]}, {p[4], p[5], p[6]}}}; }
  static ByteTriples load_422(const std::uint8_t* p) { return {{{p[0], p[1], p[3]}, {p[2], p[1], p[3]}}}; }
  static ByteTriples load_420(const std::uint8_t* p, const std::uint8_t* q) {
    return {{{p[0], q[0], q[1]}, {p[1], q[0], q[1]}}};
  }
};

template <>
struct TripleDot<Plain> {
  static constexpr int packs = 2;
  struct Factors {
    std::int32_t c0, c1, c2, offset;
  };
  struct Sums {
    Pack<std::int32_t, Plain> pack[packs];
  };
  Factors c;

  explicit TripleDot(const Factors& factors) : c(factors) {}

  Sums operator()(const ByteTriples<Plain>& t) const { return {{sum(t.b[0]), sum(t.b[1])}}; }

 private:
  Pack<std::int32_t, Plain> sum(const std::uint8_t (&b)[3]) const {
    using Ints = Pack<std::int32_t, Plain>;
    return Ints{c.c0} * Ints{b[0]} + Ints{c.c1} * Ints{b[1]} + Ints{c.c2} * Ints{b[2]} + Ints{c.offset};
  }
};

}  // namespace triptych::simd
