#include <triptych/core/philox.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <set>

#include "testing/random.hpp"

namespace triptych {
namespace {

constexpr bool equal(Philox4x32 a, Philox4x32 b) {
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2] && a[3] == b[3];
}

// The known answers that the Random123 library publishes for philox4x32-10.
static_assert(equal(philox4x32({{0, 0, 0, 0}}, 0, 0), {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}));
static_assert(equal(philox4x32({{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}}, 0xffffffff, 0xffffffff),
                    {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}));
static_assert(equal(philox4x32({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822, 0x299f31d0),
                    {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}));

static_assert(uniform_below_one(0) == 0.0f && uniform_below_one(0xffffffff) == 1.0f - 0x1p-24f);
static_assert(uniform_above_zero(0) == 0x1p-24f && uniform_above_zero(0xffffffff) == 1.0f);
static_assert(uniform_double(0, 0) == 0.0 && uniform_double(0xffffffff, 0xffffffff) == 1.0 - 0x1p-53);

TEST(Philox, KnownAnswersAtRunTime) {
  volatile std::uint32_t zero = 0;
  EXPECT_TRUE(equal(philox4x32({{zero, zero, zero, zero}}, zero, zero),
                    {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}));
}

TEST(PhiloxStream, WalksItsBlocks) {
  constexpr std::uint64_t seed = 0x123456789abcdef0;
  PhiloxStream stream(seed, 5);
  for (std::uint64_t block = 0; block < 3; ++block) {
    for (int i = 0; i < 4; ++i) EXPECT_EQ(stream.next(), stream.block(block)[i]);
  }
  EXPECT_TRUE(equal(stream.block(7), philox4x32({{7, 0, 5, 0}}, 0x9abcdef0, 0x12345678)));
}

TEST(PhiloxStream, SeedsStreamsAndBlocksDiffer) {
  std::set<std::uint32_t> seen;
  for (std::uint64_t a : {0ull, 1ull, 1ull << 32}) {
    for (std::uint64_t b : {0ull, 1ull, 1ull << 32}) {
      for (std::uint64_t c : {0ull, 1ull, 1ull << 32}) seen.insert(PhiloxStream(a, b).block(c)[0]);
    }
  }
  EXPECT_EQ(seen.size(), 27u);
}

// Box-Muller in double precision, from the formula. In float, ln and the square root each cost an ulp or so
// of the radius, the cosine and the sine an ulp of 1: four epsilons of the radius cover their sum.
void expect_box_muller(std::uint32_t bits0, std::uint32_t bits1) {
  const double radius = std::sqrt(-2.0 * std::log(((bits0 >> 8) + 1) * 0x1p-24));
  const double angle = 2.0 * std::numbers::pi * ((bits1 >> 8) * 0x1p-24);
  const NormalPair pair = normal_pair(bits0, bits1);
  const double tolerance = 4 * 0x1p-23 * radius;
  ASSERT_NEAR(pair.first, radius * std::cos(angle), tolerance) << bits0 << ' ' << bits1;
  ASSERT_NEAR(pair.second, radius * std::sin(angle), tolerance) << bits0 << ' ' << bits1;
}

TEST(PhiloxNormal, FollowsTheFormula) {
  constexpr std::uint64_t seed = 11;
  TRIPTYCH_TRACE_SEED(seed);
  PhiloxStream stream(seed, 0);
  for (int i = 0; i < 500000; ++i) {
    const std::uint32_t bits0 = stream.next();
    expect_box_muller(bits0, stream.next());
  }
}

TEST(PhiloxNormal, FollowsTheFormulaAtTheEdges) {
  for (int shift = 0; shift < 32; ++shift) {
    for (std::uint32_t offset : {0u - 256u, 0u, 256u}) {
      const std::uint32_t edge = (std::uint32_t{1} << shift) + offset;
      for (std::uint32_t other : {0u, 0x20000000u, 0x60000000u, 0xa0000000u, 0xe0000000u, 0xffffffffu}) {
        expect_box_muller(edge, other);
        expect_box_muller(other, edge);
      }
    }
  }
}

TEST(PhiloxNormal, HasTheMomentsOfANormal) {
  constexpr std::uint64_t seed = 12;
  TRIPTYCH_TRACE_SEED(seed);
  constexpr int pairs = 500000;
  PhiloxStream stream(seed, 0);
  double sums[5] = {};
  for (int i = 0; i < pairs; ++i) {
    const NormalPair pair = stream.next_normal_pair();
    for (const double x : {double{pair.first}, double{pair.second}}) {
      for (int k = 1; k <= 4; ++k) sums[k] += std::pow(x, k);
    }
    sums[0] += double{pair.first} * pair.second;
  }
  // Each estimate is normal with the variance of x^k over n; five of those deviations. Variances: x 1, x^2 2,
  // x^3 15, x^4 96, the product of a pair 1.
  const double n = 2.0 * pairs;
  EXPECT_NEAR(sums[1] / n, 0, 5 * std::sqrt(1 / n));
  EXPECT_NEAR(sums[2] / n, 1, 5 * std::sqrt(2 / n));
  EXPECT_NEAR(sums[3] / n, 0, 5 * std::sqrt(15 / n));
  EXPECT_NEAR(sums[4] / n, 3, 5 * std::sqrt(96 / n));
  EXPECT_NEAR(sums[0] / pairs, 0, 5 * std::sqrt(1.0 / pairs));
}

}  // namespace
}  // namespace triptych
