// The operations of reduce.hpp on the CPU, by every strategy, against formulas in wider or exact arithmetic.
#include <triptych/core/error.hpp>
#include <triptych/reduction/reduce.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "reduction/cpu_inputs.hpp"

namespace triptych::reduction {
namespace {

using namespace cpu_test;

// The number of roundings of an element, times eps (twice the unit roundoff: the factor 2 covers second-order
// terms).
double roundings(CpuStrategy strategy, std::int64_t n) {
  const double count = static_cast<double>(n);
  const double log2n = n > 1 ? std::ceil(std::log2(count)) : 0;
  if (strategy == CpuStrategy::pairwise) return 32 + log2n;              // a base of 32, then halves
  if (strategy == CpuStrategy::simd) return count / 16 + 1 + 5;          // at least 16 lanes, and their tree
  if (strategy == CpuStrategy::threads) return 8192 / 16.0 + 6 + log2n;  // chunks of 8192 up to 2^25 elements
  if (strategy == CpuStrategy::automatic) return std::max(count / 4096, 8192 / 16.0) + 6 + log2n;
  return count;  // one chain
}

template <class A>
double tolerance(CpuStrategy strategy, std::int64_t n, double sum, double magnitude) {
  const double eps = std::numeric_limits<A>::epsilon();
  const double count = static_cast<double>(n);
  // what is lost, up to n eps sum|x|, is itself summed with n roundings, in double
  const double second_order = count * count * eps * std::numeric_limits<double>::epsilon();
  if (strategy == CpuStrategy::compensated) return 2 * eps * std::abs(sum) + second_order * magnitude;
  return roundings(strategy, n) * eps * magnitude;
}

template <class A, class T>
void check_float_sum() {
  long double sum = 0, magnitude = 0;
  std::int64_t done = 0;
  for (const std::int64_t n : sizes) {
    for (; done < n; ++done) {
      const long double x = input<T>()[static_cast<std::size_t>(done)];
      sum += x;
      magnitude += std::abs(x);
    }
    for (const CpuStrategy s : strategies()) {
      const A found = sum_cpu<A, T>(first<T>(n), {s, 0});
      EXPECT_NEAR(static_cast<double>(found), static_cast<double>(sum),
                  tolerance<A>(s, n, static_cast<double>(sum), static_cast<double>(magnitude)))
          << to_string(s) << " of " << n;
    }
  }
}

TEST(ReduceCpu, FloatSumInFloat) { check_float_sum<float, float>(); }
TEST(ReduceCpu, FloatSumInDouble) { check_float_sum<double, float>(); }
TEST(ReduceCpu, DoubleSum) { check_float_sum<double, double>(); }

template <class A, class T>
void check_integer_sum() {
  __extension__ typedef unsigned __int128 Wide;
  Wide sum = 0;  // modulo 2^128, so modulo 2^32 and 2^64 as well
  std::int64_t done = 0;
  for (const std::int64_t n : sizes) {
    for (; done < n; ++done) sum += static_cast<Wide>(input<T>()[static_cast<std::size_t>(done)]);
    for (const CpuStrategy s : strategies()) {
      EXPECT_EQ((sum_cpu<A, T>(first<T>(n), {s, 0})), static_cast<A>(sum)) << to_string(s) << " of " << n;
    }
  }
}

TEST(ReduceCpu, Int32SumWraps) { check_integer_sum<std::int32_t, std::int32_t>(); }
TEST(ReduceCpu, Int32SumInInt64) { check_integer_sum<std::int64_t, std::int32_t>(); }
TEST(ReduceCpu, Int64SumWraps) { check_integer_sum<std::int64_t, std::int64_t>(); }
TEST(ReduceCpu, Uint32SumWraps) { check_integer_sum<std::uint32_t, std::uint32_t>(); }
TEST(ReduceCpu, Uint32SumInUint64) { check_integer_sum<std::uint64_t, std::uint32_t>(); }
TEST(ReduceCpu, Uint64SumWraps) { check_integer_sum<std::uint64_t, std::uint64_t>(); }

template <class A, class T>
void check_dot() {
  const std::vector<T>& a = input<T>();
  std::vector<T> b(a.rbegin(), a.rend());
  std::conditional_t<std::is_integral_v<T>, std::uint64_t, long double> sum = 0;
  double magnitude = 0;
  std::int64_t done = 0;
  for (const std::int64_t n : sizes) {
    for (; done < n; ++done) {
      const auto i = static_cast<std::size_t>(done);
      if constexpr (std::is_integral_v<T>) {
        sum += static_cast<std::uint64_t>(std::int64_t{a[i]} * std::int64_t{b[i]});
      } else {
        sum += static_cast<long double>(a[i]) * static_cast<long double>(b[i]);
        magnitude += static_cast<double>(std::abs(a[i] * b[i]));
      }
    }
    for (const CpuStrategy s : strategies()) {
      const A found =
          dot_cpu<A, T>(first<T>(n), std::span<const T>(b).first(static_cast<std::size_t>(n)), {s, 0});
      SCOPED_TRACE(std::string(to_string(s)) + " of " + std::to_string(n));
      if constexpr (std::is_integral_v<T>) {
        EXPECT_EQ(found, static_cast<A>(sum));
      } else {
        // one rounding more, of the product
        const double bound =
            tolerance<A>(s, n, static_cast<double>(sum), magnitude) +
            (s == CpuStrategy::compensated ? 0.0 : double{std::numeric_limits<A>::epsilon()} * magnitude);
        EXPECT_NEAR(static_cast<double>(found), static_cast<double>(sum), bound);
      }
    }
  }
}

TEST(ReduceCpu, FloatDotInFloat) { check_dot<float, float>(); }
TEST(ReduceCpu, FloatDotInDouble) { check_dot<double, float>(); }
TEST(ReduceCpu, DoubleDot) { check_dot<double, double>(); }
TEST(ReduceCpu, Int32DotInInt64) { check_dot<std::int64_t, std::int32_t>(); }

// All strategies except compensated support moments.
std::vector<CpuStrategy> moment_strategies() {
  std::vector<CpuStrategy> list = strategies();
  std::erase(list, CpuStrategy::compensated);
  return list;
}

template <class T>
void check_moments(double scale) {
  for (const std::int64_t n : sizes) {
    const auto values = first<T>(n);
    long double mean = 0, m2 = 0;
    for (const T v : values) mean += static_cast<long double>(v);
    if (n > 0) mean /= static_cast<long double>(n);
    for (const T v : values)
      m2 += (static_cast<long double>(v) - mean) * (static_cast<long double>(v) - mean);
    for (const CpuStrategy s : moment_strategies()) {
      SCOPED_TRACE(std::string(to_string(s)) + " of " + std::to_string(n));
      const Moments found = moments_cpu(values, {s, 0});
      // Chan et al.: the relative error of m2 is below n kappa eps in one chain, and kappa is about 1 for a
      // mean near 0
      const double bound = 4 * (static_cast<double>(n) + 1) * std::numeric_limits<double>::epsilon();
      EXPECT_EQ(found.count, static_cast<double>(n));
      EXPECT_NEAR(found.mean, static_cast<double>(mean), bound * scale);
      EXPECT_NEAR(found.m2, static_cast<double>(m2), bound * static_cast<double>(m2));
    }
  }
}

TEST(ReduceCpu, MomentsOfFloats) { check_moments<float>(1); }
TEST(ReduceCpu, MomentsOfDoubles) { check_moments<double>(1); }
TEST(ReduceCpu, MomentsOfInts) { check_moments<std::int32_t>(0x1p31); }

TEST(ReduceCpu, MomentsHoldWhereTheNaiveFormulaFails) {
  // mean 1e9, variance 1: x^2 is near 1e18, whose spacing of 128 swallows the variance
  std::vector<double> values(100000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1e9 + (i % 2 == 0 ? 1.0 : -1.0);
  double sum = 0, squares = 0;
  for (const double v : values) sum += v, squares += v * v;
  const double count = static_cast<double>(values.size());
  const double naive = (squares - sum * sum / count) / count;
  EXPECT_GT(std::abs(naive - 1), 0.1) << "the naive formula is expected to fail here";
  for (const CpuStrategy s : moment_strategies()) {
    const Moments found = moments_cpu<double>(values, {s, 0});
    EXPECT_NEAR(found.variance(), 1, 1e-7)
        << to_string(s);  // eps * mean = 1.2e-7 is the spacing of the means
    EXPECT_NEAR(found.mean, 1e9, 1e-6) << to_string(s);
  }
}

TEST(ReduceCpu, MomentsOfHugeValuesDoNotOverflowInTheMean) {
  const std::vector<double> values(5000, 1.5e308);
  for (const CpuStrategy s : moment_strategies()) {
    const Moments found = moments_cpu<double>(values, {s, 2});
    EXPECT_DOUBLE_EQ(found.mean, 1.5e308) << to_string(s);
    EXPECT_EQ(found.m2, 0) << to_string(s);
  }
}

// The bits of a sum depend on the values and their indices alone.
template <class A, class T>
void check_alignment() {
  const std::size_t n = 70001;
  std::vector<T> moved(n + 16);
  for (const CpuStrategy s : strategies()) {
    const CpuOptions o{s, 2};
    const auto home = first<T>(static_cast<std::int64_t>(n));
    const A sum = sum_cpu<A, T>(home, o);
    const A dot = dot_cpu<A, T>(home, home, o);
    for (std::size_t offset = 1; offset < 16; ++offset) {
      std::copy(home.begin(), home.end(), moved.begin() + static_cast<std::ptrdiff_t>(offset));
      const std::span<const T> there(moved.data() + offset, n);
      EXPECT_EQ((sum_cpu<A, T>(there, o)), sum) << to_string(s) << " at " << offset;
      EXPECT_EQ((dot_cpu<A, T>(there, home, o)), dot) << to_string(s) << " at " << offset;
    }
  }
}

TEST(ReduceCpu, AnyAlignmentFloat) { check_alignment<float, float>(); }
TEST(ReduceCpu, AnyAlignmentDouble) { check_alignment<double, double>(); }
TEST(ReduceCpu, AnyAlignmentInt32) { check_alignment<std::int64_t, std::int32_t>(); }

TEST(ReduceCpu, ThreadsGiveTheSameBitsForAnyNumberOfThreads) {
  const auto bits = [](const auto& v) {
    std::string raw(sizeof(v), '\0');
    std::memcpy(raw.data(), &v, sizeof(v));
    return raw;
  };
  for (const std::int64_t n : {1000L, 65537L, 2073600L}) {
    const auto f = first<float>(n);
    const auto sum = bits(sum_cpu<float, float>(f, {CpuStrategy::threads, 1}));
    const auto dot = bits(dot_cpu<float, float>(f, f, {CpuStrategy::threads, 1}));
    const auto moments = bits(moments_cpu(f, {CpuStrategy::threads, 1}));
    for (const int threads : {2, 3, 7}) {
      const CpuOptions o{CpuStrategy::threads, threads};
      EXPECT_EQ(bits(sum_cpu<float, float>(f, o)), sum) << threads << " threads, " << n;
      EXPECT_EQ(bits(dot_cpu<float, float>(f, f, o)), dot) << threads << " threads, " << n;
      EXPECT_EQ(bits(moments_cpu(f, o)), moments) << threads << " threads, " << n;
    }
  }
}

TEST(ReduceCpu, SequentialFloatStopsGrowingAt2To24) {
  // 2^24 + 1 is no float: from there on, adding 1 changes nothing. Every other strategy keeps small partial
  // sums.
  const std::vector<float> ones(largest, 1.0f);
  const std::span<const float> values(ones);
  EXPECT_EQ((sum_cpu<float, float>(values, {CpuStrategy::sequential, 1})), 16777216.0f);
  EXPECT_EQ((sum_cpu<double, float>(values, {CpuStrategy::sequential, 1})), 16777219.0);
  for (const CpuStrategy s :
       {CpuStrategy::compensated, CpuStrategy::pairwise, CpuStrategy::simd, CpuStrategy::threads}) {
    EXPECT_NEAR((sum_cpu<float, float>(values, {s, 0})), 16777219.0, 1)
        << to_string(s);  // the spacing there is 2
  }
}

TEST(ReduceCpu, PermutationsAndSplitsGiveTheSameIntegers) {
  std::vector<std::int32_t> values(input<std::int32_t>().begin(), input<std::int32_t>().begin() + 65537);
  const std::vector<std::int32_t> before = values;
  std::rotate(values.begin(), values.begin() + 12345, values.end());
  std::reverse(values.begin(), values.begin() + 4000);
  for (const CpuStrategy s : strategies()) {
    const CpuOptions o{s, 0};
    const auto sum = [&](std::span<const std::int32_t> v) {
      return sum_cpu<std::int64_t, std::int32_t>(v, o);
    };
    const std::int64_t whole = sum(before);
    EXPECT_EQ(sum(values), whole) << to_string(s);
    EXPECT_EQ(min_cpu<std::int32_t>(values, o), min_cpu<std::int32_t>(before, o)) << to_string(s);
    for (const std::size_t cut : {0u, 1u, 77u, 32768u, 65537u}) {
      const std::span<const std::int32_t> all(before);
      EXPECT_EQ(sum(all.first(cut)) + sum(all.subspan(cut)), whole) << to_string(s) << " cut at " << cut;
    }
  }
}

TEST(ReduceCpu, ChangedInputIsNoticed) {
  std::vector<float> values(input<float>().begin(), input<float>().begin() + 70001);
  for (const CpuStrategy s : strategies()) {
    for (const std::size_t at : {0u, 35000u, 70000u}) {
      const CpuOptions o{s, 0};
      const float before = sum_cpu<float, float>(values, o);
      const double moment = s == CpuStrategy::compensated ? 0 : moments_cpu<float>(values, o).m2;
      values[at] += 100;
      EXPECT_NE((sum_cpu<float, float>(values, o)), before) << to_string(s);
      EXPECT_EQ(argmax_cpu<float>(values, o).index, static_cast<std::int64_t>(at)) << to_string(s);
      if (s != CpuStrategy::compensated) {
        EXPECT_NE(moments_cpu<float>(values, o).m2, moment) << to_string(s);
      }
      values[at] -= 100;
    }
  }
}

template <class F>
std::string message_of(F&& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(ReduceCpu, BadInputIsRefusedInASentence) {
  const std::vector<float> three(3), four(4);
  EXPECT_NE(message_of([&] { dot_cpu<float, float>(three, four, {}); }).find("3 and 4"), std::string::npos);
  const auto null = std::span<const float>(static_cast<const float*>(nullptr), 5);
  EXPECT_NE(message_of([&] { sum_cpu<float, float>(null, {}); }).find("null"), std::string::npos);
  EXPECT_NE(message_of([&] {
              sum_cpu<float, float>(three, {CpuStrategy::threads, -2});
            }).find("-2"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              moments_cpu<float>(three, {CpuStrategy::compensated, 0});
            }).find("pairwise"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              sum_cpu<float, float>(three, {static_cast<CpuStrategy>(99), 0});
            }).find("strategy"),
            std::string::npos);
}

}  // namespace
}  // namespace triptych::reduction
