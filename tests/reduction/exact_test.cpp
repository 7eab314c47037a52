// ExactSum and the exact sums of the CPU against a big integer.
#include <triptych/reduction/exact.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <type_traits>

#include "exact_bins.hpp"
#include "exact_oracle.hpp"
#include "sizes.hpp"
#include "testing/random.hpp"

namespace triptych::reduction {
namespace {

using test::BigInteger;
using test::hostile_values;
using test::nearest;
using test::Numbers;

template <class A>
using BitsOf = std::conditional_t<sizeof(A) == 4, std::uint32_t, std::uint64_t>;

template <class A>
BitsOf<A> bits_of(A value) {
  return std::bit_cast<BitsOf<A>>(value);
}

template <class T>
ExactSum<T> sum_of(const std::vector<T>& values) {
  ExactSum<T> sum;
  sum.add(values);
  return sum;
}

// The value of a sum, and the same rounded to the other type.
template <class T>
void expect_exact(const ExactSum<T>& sum, const BigInteger& expected) {
  EXPECT_EQ(bits_of(sum.template value<float>()), bits_of(nearest<float>(expected)));
  EXPECT_EQ(bits_of(sum.template value<double>()), bits_of(nearest<double>(expected)));
  EXPECT_EQ(bits_of(sum.value()), bits_of(sum.template value<T>()));
}

template <class T>
class ExactSums : public testing::Test {};
using ExactTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(ExactSums, ExactTypes);

// The oracle itself, on sums that are known.
TEST(ExactOracle, RoundsToTheNearestAndTiesToEven) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  const std::vector<double> tie{1, 0x1p-53}, above{1, 0x1p-53, tiny}, below{1, 0x1p-53, -tiny},
      odd{1, 3 * 0x1p-53};
  EXPECT_EQ(nearest<double>(BigInteger::sum_of(std::span<const double>(tie))), 1);
  EXPECT_EQ(nearest<double>(BigInteger::sum_of(std::span<const double>(above))), 1 + 0x1p-52);
  EXPECT_EQ(nearest<double>(BigInteger::sum_of(std::span<const double>(below))), 1);
  EXPECT_EQ(nearest<double>(BigInteger::sum_of(std::span<const double>(odd))), 1 + 0x1p-51);
  EXPECT_EQ(nearest<double>(BigInteger::of(-tiny)), -tiny);
  EXPECT_EQ(nearest<float>(BigInteger::of(-0x1p-150)), 0);
  EXPECT_EQ(nearest<float>(BigInteger::of(0x1.8p-150)), 0x1p-149f);
  EXPECT_EQ(nearest<float>(BigInteger::of(0x1.ffffffp127)), std::numeric_limits<float>::infinity());
  EXPECT_EQ(nearest<float>(BigInteger::of(0x1.fffffefffp127)), std::numeric_limits<float>::max());
}

TYPED_TEST(ExactSums, AreTheNearestNumbers) {
  using T = TypeParam;
  for (const Numbers kind : test::all_numbers) {
    for (const std::int64_t n : {0, 1, 2, 3, 31, 255, 256, 257, 511, 513, 1000, 4099, 20011}) {
      SCOPED_TRACE(name_of(kind) + ", n = " + std::to_string(n));
      const auto values = hostile_values<T>(n, kind, 101);
      const BigInteger expected = BigInteger::sum_of(std::span<const T>(values));
      expect_exact(sum_of(values), expected);
      ExactSum<T> one_by_one;
      for (const T x : values) one_by_one.add(x);
      EXPECT_EQ(one_by_one, sum_of(values));
    }
  }
}

TYPED_TEST(ExactSums, ManySmallSumsAreTheNearestNumbers) {
  using T = TypeParam;
  constexpr std::uint64_t seed = 102;
  for (const Numbers kind : test::all_numbers) {
    const auto values = hostile_values<T>(6000, kind, seed);
    for (std::size_t i = 0; i + 6 <= values.size(); i += 6) {
      const std::vector<T> few(values.begin() + static_cast<std::ptrdiff_t>(i),
                               values.begin() + static_cast<std::ptrdiff_t>(i + 1 + i % 6));
      ASSERT_NO_FATAL_FAILURE(expect_exact(sum_of(few), BigInteger::sum_of(std::span<const T>(few))));
      if (this->HasFailure()) return;
    }
  }
}

TYPED_TEST(ExactSums, DoNotDependOnTheOrder) {
  using T = TypeParam;
  for (const Numbers kind : test::all_numbers) {
    SCOPED_TRACE(name_of(kind));
    auto values = hostile_values<T>(5003, kind, 103);
    const ExactSum<T> expected = sum_of(values);
    std::sort(values.begin(), values.end());
    EXPECT_EQ(sum_of(values), expected);
    std::reverse(values.begin(), values.end());
    EXPECT_EQ(sum_of(values), expected);
    std::sort(values.begin(), values.end(), [](T a, T b) { return std::abs(a) < std::abs(b); });
    EXPECT_EQ(sum_of(values), expected);
    PhiloxStream random(104, 0);
    for (std::size_t i = values.size() - 1; i > 0; --i) std::swap(values[i], values[random.next() % (i + 1)]);
    EXPECT_EQ(sum_of(values), expected);
  }
}

TYPED_TEST(ExactSums, DoNotDependOnRanksAndThreads) {
  using T = TypeParam;
  constexpr std::int64_t n = 300007;
  for (const Numbers kind : test::all_numbers) {
    SCOPED_TRACE(name_of(kind));
    const auto values = hostile_values<T>(n, kind, 105);
    const std::span<const T> all(values);
    const ExactSum<T> expected = sum_of(values);
    for (const int threads : {0, 1, 2, 3, 7}) EXPECT_EQ(sum_exact_cpu<T>(all, threads), expected) << threads;
    for (const std::size_t ranks : {2u, 3u, 17u}) {
      ExactSum<T> merged, added;
      std::size_t begin = 0;
      PhiloxStream random(106, ranks);
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        const std::size_t left = all.size() - begin;
        const std::size_t share = rank + 1 == ranks ? left : random.next() % (left / 2 + 1);
        const ExactSum<T> part = sum_exact_cpu<T>(all.subspan(begin, share), 1);
        begin += share;
        merged.merge(part);
        // what an integer all-reduce does
        for (int k = 0; k < ExactSum<T>::word_count; ++k) added.words[k] += part.words[k];
      }
      added.normalise();
      EXPECT_EQ(merged, expected) << ranks;
      EXPECT_EQ(added, expected) << ranks;
      EXPECT_EQ(bits_of(added.value()), bits_of(expected.value())) << ranks;
    }
  }
}

// Elements on both sides of the span are NaN: a read outside would show. Every alignment of the first one.
TYPED_TEST(ExactSums, ReadTheirElementsOnly) {
  using T = TypeParam;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const auto source = hostile_values<T>(2000, Numbers::decades, 107);
  for (const std::size_t n : {0u, 1u, 5u, 255u, 256u, 300u, 1031u}) {
    for (std::size_t offset = 1; offset < 9; ++offset) {
      std::vector<T> values(n + 2 * offset, nan);
      std::copy_n(source.begin(), n, values.begin() + static_cast<std::ptrdiff_t>(offset));
      const std::span<const T> part = std::span<const T>(values).subspan(offset, n);
      ExactSum<T> sum;
      sum.add(part);
      expect_exact(sum, BigInteger::sum_of(part));
    }
  }
}

// The lowest bit of one element changes the sum.
TYPED_TEST(ExactSums, NoticeTheLowestBit) {
  using T = TypeParam;
  for (const Numbers kind : test::all_numbers) {
    auto values = hostile_values<T>(1003, kind, 108);
    const ExactSum<T> before = sum_of(values);
    for (const std::size_t i : {0u, 300u, 1002u}) {
      const T kept = values[i];
      values[i] = std::bit_cast<T>(bits_of(kept) ^ 1);
      EXPECT_NE(sum_of(values), before) << name_of(kind);
      EXPECT_EQ(sum_of(values).value(), nearest<T>(BigInteger::sum_of(std::span<const T>(values))));
      values[i] = kept;
    }
  }
}

TYPED_TEST(ExactSums, OfSpecialNumbers) {
  using T = TypeParam;
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const T max = std::numeric_limits<T>::max();
  struct Case {
    std::vector<T> special;
    T expected;
  };
  const Case cases[] = {{{nan}, nan},        {{inf}, inf},       {{-inf}, -inf},         {{inf, inf}, inf},
                        {{inf, -inf}, nan},  {{inf, nan}, nan},  {{-inf, nan}, nan},     {{inf, -max}, inf},
                        {{-inf, max}, -inf}, {{-nan, nan}, nan}, {{inf, -inf, nan}, nan}};
  for (const std::size_t n : {3u, 256u, 1000u}) {
    for (const Case& c : cases) {
      auto values = hostile_values<T>(static_cast<std::int64_t>(n), Numbers::any, 109);
      std::copy(c.special.begin(), c.special.end(), values.begin());
      ExactSum<T> first;
      for (std::size_t turn = 0; turn < n; turn += n / 3) {
        const ExactSum<T> sum = sum_of(values);
        EXPECT_EQ(bits_of(sum.value()), bits_of(c.expected)) << n << " at " << turn;
        if (turn == 0) first = sum;
        EXPECT_EQ(sum, first);
        // the other ways to the same sum
        ExactSum<T> head, tail;
        head.add(std::span<const T>(values).first(1));
        tail.add(std::span<const T>(values).subspan(1));
        tail.merge(head);
        EXPECT_EQ(tail, first);
        std::rotate(values.begin(), values.end() - static_cast<std::ptrdiff_t>(n / 3), values.end());
      }
    }
  }
}

TYPED_TEST(ExactSums, OfZerosArePositive) {
  using T = TypeParam;
  const T zero = 0, tiny = std::numeric_limits<T>::denorm_min();
  for (const std::vector<T>& values :
       {std::vector<T>{}, {zero}, {-zero}, std::vector<T>(300, -zero), {tiny, -tiny}, {-tiny, -zero, tiny}}) {
    EXPECT_EQ(bits_of(sum_of(values).value()), bits_of(zero)) << values.size();
    EXPECT_EQ(sum_of(values), ExactSum<T>());
  }
  EXPECT_EQ(sum_of(std::vector<T>{-zero, -tiny}).value(), -tiny);
}

TYPED_TEST(ExactSums, OverflowAfterRoundingOnly) {
  using T = TypeParam;
  constexpr T max = std::numeric_limits<T>::max(), inf = std::numeric_limits<T>::infinity();
  const T half_unit =
      std::ldexp(T{1}, std::numeric_limits<T>::max_exponent - std::numeric_limits<T>::digits - 1);
  EXPECT_EQ(sum_of(std::vector<T>{max, max, -max}).value(), max);
  EXPECT_EQ(sum_of(std::vector<T>{max, half_unit}).value(), inf);  // a tie: infinity counts as even
  EXPECT_EQ(sum_of(std::vector<T>{-max, -half_unit}).value(), -inf);
  EXPECT_EQ(sum_of(std::vector<T>{max, half_unit, -std::numeric_limits<T>::denorm_min()}).value(), max);
  std::vector<T> values(1000, max);
  values.insert(values.end(), 999, -max);
  EXPECT_EQ(sum_of(values).value(), max);
  values.push_back(half_unit);
  EXPECT_EQ(sum_of(values).value(), inf);
  values.push_back(-max);
  EXPECT_EQ(sum_of(values).value(), half_unit);
}

// 2^62 elements by doubling, up to the last digit; and as many words as the header permits.
TYPED_TEST(ExactSums, OfHugeCounts) {
  using T = TypeParam;
  constexpr T max = std::numeric_limits<T>::max();
  for (const T x : {max, -max, std::numeric_limits<T>::denorm_min(), T(1.5)}) {
    const std::vector<T> values{x, x / 3};
    ExactSum<T> sum = sum_of(values);
    BigInteger expected = BigInteger::sum_of(std::span<const T>(values));
    for (int doubling = 0; doubling < 62; ++doubling) {
      sum.merge(sum);
      expected = expected.twice();
      expect_exact(sum, expected);
    }
    ExactSum<T> minus = sum_of(std::vector<T>{-x, -(x / 3)});
    for (int doubling = 0; doubling < 62; ++doubling) minus.merge(minus);
    sum.merge(minus);
    EXPECT_EQ(sum, ExactSum<T>());
  }
  for (const Numbers kind : {Numbers::any, Numbers::large, Numbers::subnormal}) {
    const auto values = hostile_values<T>(1000, kind, 110);
    const ExactSum<T> one = sum_of(values);
    ExactSum<T> many = one, doubled = one;
    for (std::int64_t& word : many.words) word *= ExactSum<T>::max_word_sums;
    many.normalise();
    for (int k = 0; k < 31; ++k) doubled.merge(doubled);  // 2^31 = max_word_sums + 1
    many.merge(one);
    EXPECT_EQ(many, doubled) << name_of(kind);
  }
}

// The bins of the GPU, which are plain C++, with three threads that take turns.
TYPED_TEST(ExactSums, OfTheBinsOfAGpuAreTheSame) {
  using T = TypeParam;
  constexpr unsigned threads = 3;
  using Bins = detail::ExactBins<T, threads>;
  for (const Numbers kind : test::all_numbers) {
    const auto values = hostile_values<T>(60001, kind, 115);
    typename Bins::Bin memory[Bins::rows][threads] = {};
    Bins bins[threads] = {Bins(memory, 0), Bins(memory, 1), Bins(memory, 2)};
    ExactSum<T> sum;
    std::size_t next = 0;
    while (next < values.size()) {
      for (unsigned k = 0; k < threads * Bins::max_elements && next < values.size(); ++k, ++next)
        bins[k % threads].add(values[next]);
      for (int row = 0; row < Bins::rows; ++row) {
        for (auto& bin : memory[row]) {
          const std::int64_t v = Bins::integer(bin, row);
          detail::add_integer(sum.words, Bins::spacing * row, v & detail::digit_mask);
          detail::add_integer(sum.words, Bins::spacing * row + 32, v >> 32);
          bin = 0;
        }
      }
      for (int k = ExactSum<T>::digit_count; k < ExactSum<T>::word_count; ++k) EXPECT_EQ(sum.words[k], 0);
      sum.normalise();
    }
    EXPECT_EQ(sum, sum_of(values)) << name_of(kind);
  }
}

// The largest elements of a bin, as many as a thread may add.
TYPED_TEST(ExactSums, OfTheLargestElementsFitTheBinsOfAGpu) {
  using T = TypeParam;
  using Bins = detail::ExactBins<T, 1>;
  for (int exponent = -20; exponent < 20; ++exponent) {
    for (const T x : {std::nextafter(std::ldexp(T{1}, exponent), T{0}), -std::ldexp(T{1}, exponent)}) {
      typename Bins::Bin memory[Bins::rows][1] = {};
      Bins bins(memory, 0);
      for (int k = 0; k < Bins::max_elements; ++k) bins.add(x);
      ExactSum<T> sum;
      for (int row = 0; row < Bins::rows; ++row) {
        const std::int64_t v = Bins::integer(memory[row][0], row);
        detail::add_integer(sum.words, Bins::spacing * row, v & detail::digit_mask);
        detail::add_integer(sum.words, Bins::spacing * row + 32, v >> 32);
      }
      sum.normalise();
      EXPECT_EQ(sum, sum_of(std::vector<T>(Bins::max_elements, x))) << x;
    }
  }
}

// Exponents so far apart that the CPU adds integers, with the largest numbers for every position in a digit.
TYPED_TEST(ExactSums, OfManyLargeElementsDoNotOverflowTheWords) {
  using T = TypeParam;
  for (int exponent = 0; exponent < 32; ++exponent) {
    const T x = std::nextafter(std::ldexp(T{1}, exponent), T{0});
    std::vector<T> values(20000, x);
    for (std::size_t i = 0; i < values.size(); i += 100) values[i] = std::numeric_limits<T>::denorm_min();
    expect_exact(sum_of(values), BigInteger::sum_of(std::span<const T>(values)));
  }
}

TEST(ExactSum, IsRoundedOnceToFloat) {
  // Rounded to double first, the last term is lost and the tie goes to 1.
  EXPECT_EQ(sum_of(std::vector<double>{1, 0x1p-24, 0x1p-80}).value<float>(), 1 + 0x1p-23f);
  EXPECT_EQ(sum_of(std::vector<double>{0x1p-150, 0x1p-300}).value<float>(), 0x1p-149f);
  EXPECT_EQ(sum_of(std::vector<double>{0x1p-150}).value<float>(), 0);
  EXPECT_EQ(sum_of(std::vector<double>{1e300}).value<float>(), std::numeric_limits<float>::infinity());
}

TEST(ExactSum, IsPlainData) {
  static_assert(std::is_trivially_copyable_v<ExactSum<float>> && std::is_standard_layout_v<ExactSum<float>>);
  static_assert(sizeof(ExactSum<float>) == 14 * 8 && sizeof(ExactSum<double>) == 71 * 8);
  static_assert([] {  // at compile time too
    ExactSum<double> sum;
    sum.add(1.0);
    sum.add(1e-300);
    sum.add(-1.0);
    return sum.value() == 1e-300;
  }());
  const ExactSum<double> sum = sum_of(hostile_values<double>(100, Numbers::any, 111));
  ExactSum<double> copy;
  std::memcpy(copy.words, sum.words, sizeof(sum.words));
  EXPECT_EQ(copy, sum);
}

}  // namespace
}  // namespace triptych::reduction
