// Minima, maxima and their indices on the CPU, by every strategy, against the standard algorithms.
#include <triptych/reduction/reduce.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "reduction/cpu_inputs.hpp"

namespace triptych::reduction {
namespace {

using namespace cpu_test;

template <class T>
class ReduceCpuExtremes : public testing::Test {};
using Elements = testing::Types<float, double, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(ReduceCpuExtremes, Elements);

TYPED_TEST(ReduceCpuExtremes, MatchTheStandardAlgorithms) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  const T top = Limits::has_infinity ? Limits::infinity() : Limits::max();
  const T bottom = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  for (const std::int64_t n : sizes) {
    if (n == largest && (std::is_unsigned_v<T> || (std::is_integral_v<T> && sizeof(T) == 8)))
      continue;  // for time
    const auto values = first<T>(n);
    const auto low = std::min_element(values.begin(), values.end());
    const auto high = std::max_element(values.begin(), values.end());  // both: the first among equals
    for (const CpuStrategy s : strategies()) {
      const CpuOptions options{s, 0};
      SCOPED_TRACE(std::string(to_string(s)) + " of " + std::to_string(n));
      EXPECT_EQ(min_cpu(values, options), n > 0 ? *low : top);
      EXPECT_EQ(max_cpu(values, options), n > 0 ? *high : bottom);
      const auto argmin = argmin_cpu(values, options);
      const auto argmax = argmax_cpu(values, options);
      EXPECT_EQ(argmin.index, n > 0 ? low - values.begin() : no_index);
      EXPECT_EQ(argmin.value, n > 0 ? *low : top);
      EXPECT_EQ(argmax.index, n > 0 ? high - values.begin() : no_index);
      EXPECT_EQ(argmax.value, n > 0 ? *high : bottom);
    }
  }
}

TYPED_TEST(ReduceCpuExtremes, FindAnElementAtEveryPlace) {
  using T = TypeParam;
  for (const std::size_t n : {1u, 5u, 33u, 130u}) {
    for (std::size_t at = 0; at < n; ++at) {
      std::vector<T> values(n, T{10});
      values[at] = T{3};
      for (const CpuStrategy s : strategies()) {
        EXPECT_EQ(min_cpu<T>(values, {s, 1}), T{3});
        EXPECT_EQ(argmin_cpu<T>(values, {s, 1}).index, static_cast<std::int64_t>(at));
        values[at] = T{30};
        EXPECT_EQ(max_cpu<T>(values, {s, 1}), T{30});
        EXPECT_EQ(argmax_cpu<T>(values, {s, 1}).index, static_cast<std::int64_t>(at));
        values[at] = T{3};
      }
    }
  }
}

TYPED_TEST(ReduceCpuExtremes, TiesGoToTheLowestIndex) {
  using T = TypeParam;
  std::vector<T> values(200000, T{7});
  for (const CpuStrategy s : strategies()) {
    EXPECT_EQ(argmin_cpu<T>(values, {s, 3}).index, 0) << to_string(s);
    EXPECT_EQ(argmax_cpu<T>(values, {s, 3}).index, 0) << to_string(s);
    for (const std::size_t i : {4099u, 4100u, 70000u, 199999u}) values[i] = T{1};
    EXPECT_EQ(argmin_cpu<T>(values, {s, 3}).index, 4099) << to_string(s);
    EXPECT_EQ(argmax_cpu<T>(values, {s, 3}).index, 0) << to_string(s);
    for (const std::size_t i : {4099u, 4100u, 70000u, 199999u}) values[i] = T{7};
  }
}

template <class T>
void check_nan_and_infinity() {
  const T nan = std::numeric_limits<T>::quiet_NaN(), inf = std::numeric_limits<T>::infinity();
  for (const CpuStrategy s : strategies()) {
    SCOPED_TRACE(to_string(s));
    const CpuOptions o{s, 2};
    for (const std::size_t n : {1u, 40u, 100000u}) {
      const std::vector<T> nans(n, nan);
      EXPECT_EQ(min_cpu<T>(nans, o), inf);
      EXPECT_EQ(max_cpu<T>(nans, o), -inf);
      EXPECT_EQ(argmin_cpu<T>(nans, o).index, no_index);
      EXPECT_EQ(argmax_cpu<T>(nans, o).index, no_index);
      EXPECT_TRUE(std::isnan(sum_cpu<T, T>(nans, o)));
      std::vector<T> one = nans;
      one[n / 2] = 5;
      EXPECT_EQ(min_cpu<T>(one, o), 5);
      EXPECT_EQ(max_cpu<T>(one, o), 5);
      EXPECT_EQ(argmin_cpu<T>(one, o), (Indexed<T>{5, static_cast<std::int64_t>(n / 2)}));
      EXPECT_EQ(argmax_cpu<T>(one, o), (Indexed<T>{5, static_cast<std::int64_t>(n / 2)}));
      one[n / 2] = inf;  // the value of the identity, but with an index
      EXPECT_EQ(argmin_cpu<T>(one, o), (Indexed<T>{inf, static_cast<std::int64_t>(n / 2)}));
      one[n / 2] = -inf;
      EXPECT_EQ(argmax_cpu<T>(one, o), (Indexed<T>{-inf, static_cast<std::int64_t>(n / 2)}));
      std::vector<T> ones(n, T{1});
      ones[n - 1] = inf;
      EXPECT_EQ((sum_cpu<T, T>(ones, o)), inf);
      ones[0] = -inf;
      if (n > 1) {
        EXPECT_TRUE(std::isnan(sum_cpu<T, T>(ones, o)));
      }
    }
    for (const std::size_t at : {0u, 17u, 99u}) {
      std::vector<T> zeros(100, T{0});
      zeros[at] = -T{0};
      EXPECT_TRUE(std::signbit(min_cpu<T>(zeros, o))) << at;
      EXPECT_FALSE(std::signbit(max_cpu<T>(zeros, o))) << at;
      EXPECT_EQ(argmin_cpu<T>(zeros, o).index, 0);
      for (T& z : zeros) z = -z;
      EXPECT_TRUE(std::signbit(min_cpu<T>(zeros, o))) << at;
      EXPECT_FALSE(std::signbit(max_cpu<T>(zeros, o))) << at;
    }
  }
}

TEST(ReduceCpuExtremesOf, FloatNanInfinityAndZeroSigns) { check_nan_and_infinity<float>(); }
TEST(ReduceCpuExtremesOf, DoubleNanInfinityAndZeroSigns) { check_nan_and_infinity<double>(); }

TYPED_TEST(ReduceCpuExtremes, AnyAlignment) {
  using T = TypeParam;
  constexpr std::size_t n = 5003;
  const auto home = first<T>(n);
  std::vector<T> moved(n + 16);
  for (std::size_t offset = 1; offset < 16; ++offset) {
    std::copy(home.begin(), home.end(), moved.begin() + static_cast<std::ptrdiff_t>(offset));
    const std::span<const T> there(moved.data() + offset, n);
    for (const CpuStrategy s : strategies()) {
      const CpuOptions o{s, 1};
      EXPECT_EQ(min_cpu(there, o), min_cpu(home, o)) << to_string(s) << " at " << offset;
      EXPECT_EQ(argmax_cpu(there, o), argmax_cpu(home, o)) << to_string(s) << " at " << offset;
    }
  }
}

TYPED_TEST(ReduceCpuExtremes, ChangedInputIsNoticed) {
  using T = TypeParam;
  std::vector<T> values(first<T>(70001).begin(), first<T>(70001).end());
  const T low = std::numeric_limits<T>::lowest();
  for (const std::size_t at : {0u, 35000u, 70000u}) {
    const T kept = std::exchange(values[at], low);
    for (const CpuStrategy s : strategies()) {
      EXPECT_EQ(min_cpu<T>(values, {s, 2}), low) << to_string(s);
      EXPECT_EQ(argmin_cpu<T>(values, {s, 2}).index, static_cast<std::int64_t>(at)) << to_string(s);
    }
    values[at] = kept;
    EXPECT_NE(argmin_cpu<T>(values, {}).index, static_cast<std::int64_t>(at));
  }
}

}  // namespace
}  // namespace triptych::reduction
