// Determinism::exact: what it gives, and what refuses it.
#include <triptych/reduction/exact.hpp>
#include <triptych/reduction/reducer.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "exact_oracle.hpp"
#include "testing/random.hpp"
#include "testing/refusals.hpp"

namespace triptych::reduction {
namespace {

using test::BigInteger;
using test::hostile_values;
using test::nearest;
using test::Numbers;

TEST(ExactDeterminism, IsReachedThroughTheOptions) {
  const auto floats = hostile_values<float>(100003, Numbers::decades, 112);
  const auto doubles = hostile_values<double>(100003, Numbers::cancelling, 113);
  const auto ints = test::random_values<std::int32_t>(1000, -1000, 1000, 114);
  const BigInteger sum = BigInteger::sum_of(std::span<const float>(floats));
  const double of_doubles = nearest<double>(BigInteger::sum_of(std::span<const double>(doubles)));
  const CpuOptions exact{.determinism = Determinism::exact};
  EXPECT_EQ((sum_cpu<float, float>(floats, exact)), nearest<float>(sum));
  EXPECT_EQ((sum_cpu<double, float>(floats, exact)), nearest<double>(sum));
  EXPECT_EQ((sum_cpu<double, double>(doubles, exact)), of_doubles);
  EXPECT_EQ((sum_cpu<std::int64_t, std::int32_t>(ints, exact)),
            std::accumulate(ints.begin(), ints.end(), std::int64_t{0}));
  EXPECT_EQ(min_cpu<float>(floats, exact), *std::min_element(floats.begin(), floats.end()));
  Reducer reducer(Device::cpu(2), {.determinism = Determinism::exact});
  EXPECT_EQ((reducer.sum<float, float>(floats)), nearest<float>(sum));
  EXPECT_EQ((reducer.sum<double, double>(doubles)), of_doubles);
  EXPECT_EQ(reducer.sum_exact<double>(doubles), sum_exact_cpu<double>(doubles, 1));
  EXPECT_EQ(reducer.max<float>(floats), *std::max_element(floats.begin(), floats.end()));
}

TEST(ExactDeterminism, IsRefusedWhereItIsNotAvailable) {
  static const float values[3] = {};
  const std::span<const float> some(values), null(static_cast<const float*>(nullptr), 3);
  const CpuOptions exact{.determinism = Determinism::exact};
  Reducer reducer(Device::cpu(1), {.determinism = Determinism::exact});
  ExactSum<float> sum;
  sum.add(1.0f);
  const ExactSum<float> before = sum;
  const test::Refusal refusals[] = {
      {"dot", [&] { dot_cpu<float, float>(some, some, exact); }, "determinism exact"},
      {"moments", [&] { moments_cpu<float>(some, exact); }, "determinism exact"},
      {"Reducer: dot", [&] { reducer.dot<double, float>(some, some); }, "determinism exact"},
      {"sum_cpu: strategy",
       [&] {
         sum_cpu<float, float>(some, {.strategy = CpuStrategy::pairwise, .determinism = Determinism::exact});
       },
       "not pairwise"},
      {"sum_cpu: level", [&] { sum_cpu<float, float>(some, {.determinism = static_cast<Determinism>(4)}); },
       "number 4"},
      {"sum_cpu: null", [&] { sum_cpu<float, float>(null, exact); }, "no data"},
      {"sum_exact_cpu: null", [&] { sum_exact_cpu<float>(null, 1); }, "no data"},
      {"sum_exact_cpu: threads", [&] { sum_exact_cpu<float>(some, -1); }, "-1 threads"},
      {"ExactSum::add: null", [&] { sum.add(null); }, "no data"},
      {"Reducer: device memory", [&] { reducer.sum_exact<float>(DeviceSpan<const float>(values, 3)); },
       "runs on the CPU"},
  };
  test::expect_refusals(refusals);
  EXPECT_EQ(sum, before);
}

}  // namespace
}  // namespace triptych::reduction
