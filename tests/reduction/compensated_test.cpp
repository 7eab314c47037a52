// The strategies compensated and pairwise on inputs made to break sums.
#include <triptych/core/philox.hpp>
#include <triptych/reduction/reduce.hpp>
#include <triptych/reduction/transform_reduce_cpu.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace triptych::reduction {
namespace {

constexpr std::uint64_t seed = 977;

template <class T>
T sum_by(CpuStrategy strategy, const std::vector<T>& values) {
  return sum_cpu<T, T>(values, {strategy, 1});
}

template <class T>
void check_small_between_huge(T huge) {
  // huge + 1 - huge, repeated: the exact sum counts the ones, which a plain sum loses
  for (const int repeats : {1, 2, 10, 1000, 100000}) {
    std::vector<T> values;
    for (int k = 0; k < repeats; ++k) values.insert(values.end(), {huge, T{1}, -huge});
    EXPECT_EQ(sum_by(CpuStrategy::compensated, values), static_cast<T>(repeats)) << repeats;
    EXPECT_EQ(sum_by(CpuStrategy::sequential, values), T{0}) << "a plain chain is expected to lose the ones";
  }
}

TEST(Compensated, KeepsOnesBetweenHugeDoubles) { check_small_between_huge<double>(1e100); }
TEST(Compensated, KeepsOnesBetweenHugeFloats) { check_small_between_huge<float>(1e30f); }

TEST(Compensated, KeepsWhatKahanLoses) {
  // Neumaier's example: the term is larger than the sum, where Kahan's correction fails
  EXPECT_EQ(sum_by<double>(CpuStrategy::compensated, {1.0, 1e100, 1.0, -1e100}), 2.0);
}

TEST(Compensated, AlternatingHugeAndSmall) {
  std::vector<double> values;
  for (int k = 1; k <= 5000; ++k) {
    values.push_back(std::ldexp(1.0, 60));
    values.push_back(k);
  }
  for (int k = 0; k < 5000; ++k) values.push_back(-std::ldexp(1.0, 60));
  EXPECT_EQ(sum_by(CpuStrategy::compensated, values), 5000.0 * 5001 / 2);
}

// n numbers whose sum is exact (multiples of 2^-20 below 2^20) after cancellation of large parts.
TEST(Compensated, MeetsItsBoundOnIllConditionedSums) {
  PhiloxStream random(seed, 1);
  for (const int n : {100, 10000, 300000}) {
    std::vector<double> values;
    long double exact = 0, magnitude = 0;
    for (int k = 0; k < n / 2; ++k) {
      const double large =
          std::ldexp(static_cast<double>(random.next()), static_cast<int>(random.next() % 20));
      const double small = std::ldexp(static_cast<double>(random.next()), -40);
      values.insert(values.end(), {large, small});
      exact += small;
      magnitude += large + small;
    }
    for (int k = n / 2 - 1; k >= 0; --k) values.push_back(-values[2 * static_cast<std::size_t>(k)]);
    for (int k = 0; k < n / 2; ++k) magnitude += std::abs(values[2 * static_cast<std::size_t>(k)]);
    const double eps = std::numeric_limits<double>::epsilon();
    const double count = static_cast<double>(values.size());
    // 2 eps |sum| for the last rounding, n^2 eps^2 sum|x| for summing what was lost
    const double bound =
        2 * eps * static_cast<double>(exact) + count * count * eps * eps * static_cast<double>(magnitude);
    EXPECT_NEAR(sum_by(CpuStrategy::compensated, values), static_cast<double>(exact), bound) << n;
    // (base + log2 n) eps sum|x|
    EXPECT_NEAR(sum_by(CpuStrategy::pairwise, values), static_cast<double>(exact),
                (32 + std::log2(count)) * eps * static_cast<double>(magnitude))
        << n;
  }
}

TEST(Compensated, PairwiseBeatsAChainOnLongFloatSums) {
  const std::vector<float> tenths(1 << 22, 0.1f);
  const double exact = static_cast<double>(0.1f) * (1 << 22);
  const double eps = std::numeric_limits<float>::epsilon();
  EXPECT_GT(std::abs(static_cast<double>(sum_by(CpuStrategy::sequential, tenths)) - exact), 1e-3 * exact);
  EXPECT_NEAR(sum_by(CpuStrategy::pairwise, tenths), exact, (32 + 22) * eps * exact);
  EXPECT_NEAR(sum_by(CpuStrategy::compensated, tenths), exact, 2 * eps * exact);
}

TEST(Compensated, DotKeepsTheRoundingOfItsProducts) {
  // (1 + d)(1 - d) - 1 = -d^2: lost when the product is rounded
  const double d = std::ldexp(1.0, -30);
  const std::vector<double> a = {1 + d, -1}, b = {1 - d, 1};
  EXPECT_EQ((dot_cpu<double, double>(a, b, {CpuStrategy::compensated, 1})), -d * d);
  EXPECT_EQ((dot_cpu<double, double>(a, b, {CpuStrategy::sequential, 1})), 0.0);
  const float f = std::ldexp(1.0f, -14);
  const std::vector<float> fa = {1 + f, -1}, fb = {1 - f, 1};
  EXPECT_EQ((dot_cpu<float, float>(fa, fb, {CpuStrategy::compensated, 1})), -f * f);
  EXPECT_EQ((dot_cpu<double, float>(fa, fb, {CpuStrategy::compensated, 1})), static_cast<double>(-f * f));
}

TEST(Compensated, DotMeetsItsBoundWhenTermsCancel) {
  PhiloxStream random(seed, 2);
  std::vector<double> a, b;
  const int n = 20000;
  for (int k = 0; k < n; ++k) {
    a.push_back(random.next_uniform() + 0.5);
    b.push_back(std::ldexp(random.next_uniform() + 0.5, static_cast<int>(random.next() % 60)));
  }
  double magnitude = 0;
  for (int k = 0; k < n; ++k)
    magnitude += 2 * a[static_cast<std::size_t>(k)] * b[static_cast<std::size_t>(k)];
  for (int k = 0; k < n; ++k) {  // what follows cancels all but a known rest
    a.push_back(-a[static_cast<std::size_t>(k)]);
    b.push_back(b[static_cast<std::size_t>(k)]);
  }
  a.push_back(3);
  b.push_back(0.125);
  const double eps = std::numeric_limits<double>::epsilon();
  EXPECT_NEAR((dot_cpu<double, double>(a, b, {CpuStrategy::compensated, 1})), 0.375,
              2 * eps * 0.375 + 4.0 * n * n * eps * eps * magnitude);
}

TEST(Compensated, InfinitiesAndNansPassThrough) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(sum_by<double>(CpuStrategy::compensated, {1, inf, 2}), inf);
  EXPECT_EQ(sum_by<double>(CpuStrategy::compensated, {1, -inf, 2}), -inf);
  EXPECT_TRUE(std::isnan(sum_by<double>(CpuStrategy::compensated, {inf, -inf})));
  EXPECT_TRUE(std::isnan(sum_by<double>(CpuStrategy::compensated, {1, std::nan(""), 2})));
  EXPECT_EQ(sum_by<double>(CpuStrategy::compensated, {1.7e308, 1.7e308}), inf);
}

TEST(Compensated, ChangedInputIsNoticed) {
  std::vector<double> values = {1e100, 1, -1e100};
  values[1] = std::nextafter(1.0, 2.0);
  EXPECT_NE(sum_by(CpuStrategy::compensated, values), 1.0);
}

}  // namespace
}  // namespace triptych::reduction
