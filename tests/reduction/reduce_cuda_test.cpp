// sum, min, max, argmin, argmax, dot and moments on the GPU: every strategy against an exact oracle and the
// CPU twin.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "reduce_cuda_fixture.hpp"

namespace triptych::reduction {
namespace {

using test::random_values;
using test::test_sizes;

template <class Pair>
class SumCuda : public ReduceCuda {};

template <class A_, class T_>
struct Types {
  using A = A_;
  using T = T_;
};
using SumTypes = testing::Types<Types<float, float>, Types<double, float>, Types<double, double>,
                                Types<std::int32_t, std::int32_t>, Types<std::int64_t, std::int32_t>,
                                Types<std::uint32_t, std::uint32_t>, Types<std::uint64_t, std::uint32_t>,
                                Types<std::int64_t, std::int64_t>, Types<std::uint64_t, std::uint64_t>>;
TYPED_TEST_SUITE(SumCuda, SumTypes);

TYPED_TEST(SumCuda, EveryStrategyIsExactOnEverySize) {
  using A = typename TypeParam::A;
  using T = typename TypeParam::T;
  constexpr std::uint64_t seed = 11;
  TRIPTYCH_TRACE_SEED(seed);
  const auto values = exact_values<T>(test_sizes().back(), seed);
  const auto device = this->upload(values);
  for (const std::int64_t n : test_sizes()) {
    const A expected = exact_sum<A, T>(std::span<const T>(values).first(static_cast<std::size_t>(n)));
    for (const Strategy strategy : strategies_and_automatic()) {
      const A sum = this->template result_of<A>([&](A* result) {
        sum_cuda<A, T>(device.span().first(n), result, by(strategy), this->workspace_, this->stream());
      });
      EXPECT_EQ(sum, expected) << to_string(strategy) << ", n = " << n;
    }
  }
}

TYPED_TEST(SumCuda, AnyAlignmentGivesTheSameBits) {
  using A = typename TypeParam::A;
  using T = typename TypeParam::T;
  constexpr std::uint64_t seed = 12;
  TRIPTYCH_TRACE_SEED(seed);
  for (const std::int64_t n : {7, 1000, 65537}) {
    std::vector<T> values;
    if constexpr (std::is_floating_point_v<T>) {
      values = random_values<T>(n, T{0}, T{1}, seed);
    } else {
      values = exact_values<T>(n, seed);
    }
    for (const Strategy strategy :
         {Strategy::single_pass, Strategy::warp_shuffle, Strategy::tree_sequential}) {
      A first{};
      for (std::int64_t offset = 0; offset < 5; ++offset) {
        std::vector<T> shifted(static_cast<std::size_t>(offset), T{77});
        shifted.insert(shifted.end(), values.begin(), values.end());
        const auto device = this->upload(shifted);
        const A sum = this->template result_of<A>([&](A* result) {
          sum_cuda<A, T>(device.span().subspan(offset, n), result, by(strategy), this->workspace_,
                         this->stream());
        });
        if (offset == 0) first = sum;
        EXPECT_EQ(sum, first) << to_string(strategy) << ", n = " << n << ", offset " << offset;
      }
    }
  }
}

// Positive terms: the relative error is at most the longest chain of additions times eps = 2^-24. At n <=
// 2^24 + 3 no own fixed-order strategy chains more than 64 (a lane) + 8 (a tree) + 64 (partials of a thread)
// + 10 (the last block); for the libraries, whose chains are not documented, four times that.
TEST_F(ReduceCuda, FloatSumsKeepTheirErrorBound) {
  constexpr std::uint64_t seed = 13;
  TRIPTYCH_TRACE_SEED(seed);
  const auto values = random_values<float>(test_sizes().back(), 0.0f, 1.0f, seed);
  const auto device = upload(values);
  for (const std::int64_t n : test_sizes()) {
    long double exact = 0;
    for (std::int64_t i = 0; i < n; ++i) exact += values[static_cast<std::size_t>(i)];
    for (const Strategy strategy : strategies_and_automatic()) {
      if (promised(strategy, false) == Determinism::not_guaranteed) continue;
      const float sum = result_of<float>([&](float* result) {
        sum_cuda<float, float>(device.span().first(n), result, by(strategy), workspace_, stream());
      });
      const bool library = promised(strategy, false) == Determinism::run_to_run;
      const double bound = (library ? 4 : 1) * 146 * std::ldexp(1.0, -24) * static_cast<double>(exact);
      EXPECT_NEAR(sum, static_cast<double>(exact), bound) << to_string(strategy) << ", n = " << n;
    }
  }
}

template <class T>
class OrderCuda : public ReduceCuda {};
using Elements = testing::Types<float, double, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(OrderCuda, Elements);

TYPED_TEST(OrderCuda, MinMaxAndTheirPlacesAreTheCpuTwins) {
  using T = TypeParam;
  constexpr std::uint64_t seed = 16;
  TRIPTYCH_TRACE_SEED(seed);
  const std::int64_t largest = std::min<std::int64_t>(test_sizes().back(), 2073600);
  // few distinct values: ties everywhere, of which the lowest index counts
  const auto small = random_values<std::int32_t>(largest, std::is_signed_v<T> ? -500000 : 0, 500000, seed);
  std::vector<T> values(small.begin(), small.end());
  if constexpr (std::is_floating_point_v<T>) {
    for (std::size_t i = 0; i < values.size(); i += 97) values[i] = std::numeric_limits<T>::quiet_NaN();
    for (std::size_t i = 40; i < values.size(); i += 1001) values[i] = (i % 2 != 0) ? T{-0.0} : T{0.0};
  }
  const auto device = this->upload(values);
  const CpuOptions sequential{CpuStrategy::sequential, 1};
  for (const std::int64_t n : test_sizes()) {
    if (n > largest) continue;
    const auto host = std::span<const T>(values).first(static_cast<std::size_t>(n));
    const auto span = DeviceSpan<const T>(device.span().first(n));
    const T lowest = min_cpu<T>(host, sequential);
    const T highest = max_cpu<T>(host, sequential);
    const auto lowest_at = argmin_cpu<T>(host, sequential);
    const auto highest_at = argmax_cpu<T>(host, sequential);
    for (const Strategy strategy : strategies_and_automatic()) {
      SCOPED_TRACE(std::string(to_string(strategy)) + ", n = " + std::to_string(n));
      auto& ws = this->workspace_;
      const auto s = this->stream();
      EXPECT_EQ(lowest,
                this->template result_of<T>([&](T* r) { min_cuda<T>(span, r, by(strategy), ws, s); }));
      EXPECT_EQ(highest,
                this->template result_of<T>([&](T* r) { max_cuda<T>(span, r, by(strategy), ws, s); }));
      // A value with its place is too large to swap: the atomic strategies take a lock for each warp, or
      // block, on which a shared GPU spends seconds. They do for 512 blocks what they do for more.
      const bool locks = strategy == Strategy::global_atomic || strategy == Strategy::shared_atomic;
      if (locks && n > 131077) continue;
      EXPECT_EQ(lowest_at, this->template result_of<Indexed<T>>(
                               [&](Indexed<T>* r) { argmin_cuda<T>(span, r, by(strategy), ws, s); }));
      EXPECT_EQ(highest_at, this->template result_of<Indexed<T>>(
                                [&](Indexed<T>* r) { argmax_cuda<T>(span, r, by(strategy), ws, s); }));
    }
  }
}

TEST_F(ReduceCuda, ZerosKeepTheirSignAndNothingButNaNIsNothing) {
  const auto zeros = upload<float>({0.0f, -0.0f, 0.0f});
  const auto nothing = upload<float>({NAN, NAN, NAN, NAN, NAN});
  for (const Strategy strategy : strategies_and_automatic()) {
    SCOPED_TRACE(to_string(strategy));
    const float low = result_of<float>(
        [&](float* r) { min_cuda<float>(zeros.span(), r, by(strategy), workspace_, stream()); });
    const float high = result_of<float>(
        [&](float* r) { max_cuda<float>(zeros.span(), r, by(strategy), workspace_, stream()); });
    EXPECT_TRUE(low == 0 && std::signbit(low));
    EXPECT_TRUE(high == 0 && !std::signbit(high));
    const auto place = result_of<Indexed<float>>([&](Indexed<float>* r) {
      argmax_cuda<float>(nothing.span(), r, by(strategy), workspace_, stream());
    });
    EXPECT_EQ(place.index, no_index);
    EXPECT_EQ(result_of<float>(
                  [&](float* r) { min_cuda<float>(nothing.span(), r, by(strategy), workspace_, stream()); }),
              std::numeric_limits<float>::infinity());
  }
}

TEST_F(ReduceCuda, DotIsExactOnExactInputs) {
  constexpr std::uint64_t seed = 17;
  TRIPTYCH_TRACE_SEED(seed);
  const std::int64_t largest = test_sizes().back();
  const auto a = exact_values<float>(largest, seed);
  const auto b = exact_values<float>(largest, seed + 1);
  const auto ints_a = random_values<std::int32_t>(largest, -30000, 30000, seed);
  const auto ints_b = random_values<std::int32_t>(largest, -30000, 30000, seed + 1);
  const auto device_a = upload(a), device_b = upload(b);
  const auto device_ints_a = upload(ints_a), device_ints_b = upload(ints_b);
  for (const std::int64_t n : test_sizes()) {
    double expected = 0;
    std::int64_t expected_int = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
      expected += double{a[i]} * b[i];
      expected_int += std::int64_t{ints_a[i]} * ints_b[i];
    }
    for (const Strategy strategy : strategies_and_automatic()) {
      SCOPED_TRACE(std::string(to_string(strategy)) + ", n = " + std::to_string(n));
      const float sum = result_of<float>([&](float* r) {
        dot_cuda<float, float>(device_a.span().first(n), device_b.span().first(n), r, by(strategy),
                               workspace_, stream());
      });
      EXPECT_EQ(sum, expected);
      const double wide = result_of<double>([&](double* r) {
        dot_cuda<double, float>(device_a.span().first(n), device_b.span().first(n), r, by(strategy),
                                workspace_, stream());
      });
      EXPECT_EQ(wide, expected);
      const auto of_ints = result_of<std::int64_t>([&](std::int64_t* r) {
        dot_cuda<std::int64_t, std::int32_t>(device_ints_a.span().first(n), device_ints_b.span().first(n), r,
                                             by(strategy), workspace_, stream());
      });
      EXPECT_EQ(of_ints, expected_int);
    }
  }
}

// Mean 1e9, variance near 1: the textbook formula in double loses every digit. A merge rounds the mean by
// 2^-53 of 1e9, twice, and differences of means by as much: m2 by 4e-6 of itself at most. Merges in a row: 64
// in a fixed order; under a lock, one for each warp.
TEST_F(ReduceCuda, MomentsSurviveALargeMean) {
  constexpr std::uint64_t seed = 18;
  TRIPTYCH_TRACE_SEED(seed);
  const std::int64_t n = std::min<std::int64_t>(600011, test::largest_size());
  auto values = random_values<double>(n, -1.7, 1.7, seed);
  for (double& v : values) v += 1e9;
  long double mean = 0, m2 = 0;
  for (const double v : values) mean += v;
  mean /= static_cast<long double>(n);
  for (const double v : values) m2 += (v - mean) * (v - mean);
  const auto device = upload(values);
  for (const Strategy strategy : strategies_and_automatic()) {
    SCOPED_TRACE(to_string(strategy));
    const auto moments = result_of<Moments>(
        [&](Moments* r) { moments_cuda<double>(device.span(), r, by(strategy), workspace_, stream()); });
    EXPECT_EQ(moments.count, static_cast<double>(n));
    const bool locks = promised(strategy, false) == Determinism::not_guaranteed;
    const double merges = locks ? static_cast<double>(n) / 32 + 64 : 64;
    EXPECT_NEAR(moments.mean, static_cast<double>(mean), merges * 2e9 * std::ldexp(1.0, -53));
    EXPECT_NEAR(moments.variance(), static_cast<double>(m2 / n), 4e-6);
    const auto empty = result_of<Moments>([&](Moments* r) {
      moments_cuda<double>(device.span().first(0), r, by(strategy), workspace_, stream());
    });
    EXPECT_EQ(empty.count, 0);
    EXPECT_EQ(empty.variance(), 0);
  }
}

TEST_F(ReduceCuda, AChangedElementChangesTheSum) {
  auto values = exact_values<float>(65537, 19);
  const auto sum_of = [&] {
    const auto device = upload(values);
    return result_of<float>(
        [&](float* r) { sum_cuda<float, float>(device.span(), r, {}, workspace_, stream()); });
  };
  const float before = sum_of();
  values[65536] += 1;
  EXPECT_NE(sum_of(), before);
}

}  // namespace
}  // namespace triptych::reduction
