// Every operation of every available path against the plain one, bit for bit.
#include <triptych/core/simd/dispatch.hpp>
#include <triptych/core/simd/pack.hpp>

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "testing/random.hpp"

namespace triptych {
namespace {

enum class FloatOperation {
  all,
  add,
  subtract,
  multiply,
  divide,
  fma,
  sqrt,
  abs,
  copysign,
  min_number,
  max_number,
  above,
  at_least,
  at_most,
  differs,
  both,
  either,
  select,
  first_lanes,
  to_float,
  load_halves,
  load_left,
  load_right
};
enum class IntOperation { all, add, multiply, min, max, shift, first_lanes, truncate };

constexpr int padded = 64;  // a multiple of every set's lanes

// Elements at an odd offset, so that no load is aligned.
struct Inputs {
  float unaligned = 0;
  float a[padded], b[padded], c[padded];  // anything
  float number[padded];                   // no NaN
  float small[padded];                    // |x| < 2^31
  std::int32_t k[padded], m[padded];      // anything
  std::int32_t shift[padded];             // 0 .. 31
  std::uint16_t odd = 0, halves[padded];  // no NaN, no infinity
  int count;
};

struct MaskResult {
  std::uint64_t bits = 0;
  int clear = 0;
  bool any_is_bits = true;
  bool operator==(const MaskResult&) const = default;
};

struct PackOperations {
  void (*floats)(FloatOperation, const Inputs&, float* out);
  void (*ints)(IntOperation, const Inputs&, std::int32_t* out);
  void (*multiply_adds)(const Inputs&, float* out);
  void (*add_to_doubles)(const Inputs&, double* sums);
  MaskResult (*masks)(const Inputs&);
};

#define TRIPTYCH_SIMD_SOURCE "core/simd/pack_operations.inl"
#include <triptych/core/simd/for_each_set.hpp>

PackOperations operations_of(CpuPath path) { return TRIPTYCH_SIMD_CHOOSE(path, operations); }

constexpr float special[] = {0.0f,
                             -0.0f,
                             1.0f,
                             -1.0f,
                             0x1p-149f,
                             -0x1p-130f,
                             0x1.fffffep127f,
                             1.5f,
                             std::numeric_limits<float>::infinity(),
                             -std::numeric_limits<float>::infinity(),
                             std::numeric_limits<float>::quiet_NaN()};
constexpr std::int32_t special_int[] = {0, 1, -1, INT32_MAX, INT32_MIN, 65535, -65536};

// A quarter of the values are special, some equal their neighbours in other arrays.
Inputs inputs_of(std::uint64_t seed) {
  PhiloxStream random(seed, 0);
  const auto any_float = [&] {
    if (random.next() % 4 == 0) return special[random.next() % std::size(special)];
    return std::ldexp(static_cast<float>(static_cast<std::int32_t>(random.next())),
                      static_cast<int>(random.next() % 60) - 60);
  };
  const auto any_int = [&] {
    return random.next() % 4 == 0 ? special_int[random.next() % std::size(special_int)]
                                  : static_cast<std::int32_t>(random.next());
  };
  Inputs in;
  for (int i = 0; i < padded; ++i) {
    in.a[i] = any_float();
    in.b[i] = random.next() % 4 == 0 ? in.a[i] : any_float();
    in.c[i] = any_float();
    in.number[i] = any_float();
    if (std::isnan(in.number[i])) in.number[i] = 7;
    in.small[i] = static_cast<float>(static_cast<std::int32_t>(random.next())) * 0x1p-8f;
    in.k[i] = any_int();
    in.m[i] = random.next() % 4 == 0 ? in.k[i] : any_int();
    in.shift[i] = static_cast<std::int32_t>(random.next() % 32);
    in.halves[i] = static_cast<std::uint16_t>(random.next());
    if ((in.halves[i] & 0x7C00) == 0x7C00) in.halves[i] &= 0x83FF;
    if (i % 2 == 0) in.k[i] %= padded;  // places for load_pairs
  }
  in.count = static_cast<int>(random.next() % (padded + 20)) - 10;
  return in;
}

bool same(float x, float y) {
  return (std::isnan(x) && std::isnan(y)) ||
         std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
}

class VectorPath : public testing::TestWithParam<CpuPath> {
 protected:
  static constexpr std::uint64_t rounds = 200;
  const PackOperations form = operations_of(GetParam()), plain_form = operations_of(CpuPath::plain);
};

TEST_P(VectorPath, HasThePlainFloats) {
  for (std::uint64_t seed = 0; seed < rounds; ++seed) {
    const Inputs in = inputs_of(seed);
    for (int k = 0; k <= static_cast<int>(FloatOperation::load_right); ++k) {
      const auto operation = static_cast<FloatOperation>(k);
      const bool zeros_are_equal =
          operation == FloatOperation::min_number || operation == FloatOperation::max_number;
      float expected[padded], found[padded];
      plain_form.floats(operation, in, expected);
      form.floats(operation, in, found);
      for (int i = 0; i < padded; ++i) {
        ASSERT_TRUE(same(found[i], expected[i]) || (zeros_are_equal && found[i] == expected[i]))
            << "operation " << k << ", lane " << i << ", seed " << seed << ": " << found[i] << ", not "
            << expected[i] << "; a " << in.a[i] << ", b " << in.b[i] << ", c " << in.c[i];
      }
    }
  }
}

TEST_P(VectorPath, HasThePlainInts) {
  for (std::uint64_t seed = 0; seed < rounds; ++seed) {
    const Inputs in = inputs_of(seed);
    for (int k = 0; k <= static_cast<int>(IntOperation::truncate); ++k) {
      std::int32_t expected[padded], found[padded];
      plain_form.ints(static_cast<IntOperation>(k), in, expected);
      form.ints(static_cast<IntOperation>(k), in, found);
      for (int i = 0; i < padded; ++i)
        ASSERT_EQ(found[i], expected[i]) << "operation " << k << ", lane " << i << ", seed " << seed;
    }
  }
}

TEST_P(VectorPath, FusesMultiplyAdds) {
  for (std::uint64_t seed = 0; seed < rounds; ++seed) {
    const Inputs in = inputs_of(seed);
    float found[padded];
    form.multiply_adds(in, found);
    for (int i = 0; i < padded; ++i) ASSERT_TRUE(same(found[i], std::fma(in.a[i], in.b[i], in.c[i]))) << seed;
  }
}

TEST_P(VectorPath, AddsToDoubles) {
  for (std::uint64_t seed = 0; seed < rounds; ++seed) {
    Inputs in = inputs_of(seed);
    double found[padded];
    for (int i = 0; i < padded; ++i) found[i] = double{in.number[i]} + 1.0;
    form.add_to_doubles(in, found);
    for (int i = 0; i < padded; ++i) {
      const double expected = double{in.number[i]} + 1.0 + double{in.a[i]};
      ASSERT_TRUE((std::isnan(found[i]) && std::isnan(expected)) || found[i] == expected) << seed;
    }
  }
}

TEST_P(VectorPath, HasThePlainMasks) {
  for (std::uint64_t seed = 0; seed < rounds; ++seed) {
    const Inputs in = inputs_of(seed);
    const MaskResult found = form.masks(in);
    int clear = 0;
    for (int i = 0; i < padded; ++i) {
      ASSERT_EQ((found.bits >> i & 1) != 0, in.a[i] > in.b[i]) << "lane " << i << ", seed " << seed;
      if (i < in.count && !(in.a[i] > in.b[i])) ++clear;
    }
    EXPECT_EQ(found.clear, clear) << in.count;
    EXPECT_TRUE(found.any_is_bits);
    EXPECT_EQ(found, plain_form.masks(in));
  }
}

std::string name_of(const testing::TestParamInfo<CpuPath>& info) {
  return std::string(to_string(info.param));
}
const auto vector_paths = simd::available_paths().subspan(1);
INSTANTIATE_TEST_SUITE_P(Pack, VectorPath, testing::ValuesIn(vector_paths.begin(), vector_paths.end()),
                         name_of);

TEST(AvailablePaths, BeginWithPlain) {
  EXPECT_EQ(simd::available_paths().front(), CpuPath::plain);
  EXPECT_EQ(simd::available_byte_triple_paths().front(), CpuPath::plain);
  EXPECT_LE(simd::available_byte_triple_paths().size(), simd::available_paths().size());
}

}  // namespace
}  // namespace triptych
