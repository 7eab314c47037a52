// Reducer on the CPU and on the GPU gives correct results and, after the first calls, allocates nothing.
#include <triptych/core/error.hpp>
#include <triptych/reduction/reducer.hpp>

#include <gtest/gtest.h>

#include "testing/expect_error.hpp"
#include "testing/gpu.hpp"
#include "testing/random.hpp"

namespace triptych::reduction {
namespace {

void expect_correct_results(Reducer& reducer) {
  const auto ints = test::random_values<std::int32_t>(100003, -1000, 1000, 41);
  const std::vector<float> values(ints.begin(), ints.end());
  std::int64_t sum = 0, squares = 0;
  std::size_t lowest = 0, highest = 0;
  for (std::size_t i = 0; i < ints.size(); ++i) {
    sum += ints[i];
    squares += std::int64_t{ints[i]} * ints[i];
    if (ints[i] < ints[lowest]) lowest = i;
    if (ints[i] > ints[highest]) highest = i;
  }
  EXPECT_EQ((reducer.sum<std::int64_t, std::int32_t>(ints)), sum);
  EXPECT_EQ((reducer.sum<double, float>(values)), static_cast<double>(sum));
  EXPECT_EQ(reducer.min<float>(values), values[lowest]);
  EXPECT_EQ(reducer.max<float>(values), values[highest]);
  EXPECT_EQ(reducer.argmin<float>(values).index, static_cast<std::int64_t>(lowest));
  EXPECT_EQ(reducer.argmax<float>(values).index, static_cast<std::int64_t>(highest));
  EXPECT_EQ((reducer.dot<double, float>(values, values)), static_cast<double>(squares));
  const double n = static_cast<double>(ints.size());
  const double mean = static_cast<double>(sum) / n;
  const Moments moments = reducer.moments<float>(values);
  EXPECT_EQ(moments.count, n);
  EXPECT_NEAR(moments.mean, mean, 1e-9);  // |x| <= 1000, 40 merges of 2^-53
  EXPECT_NEAR(moments.variance(), static_cast<double>(squares) / n - mean * mean,
              1e-5);  // 3.4e5 * 2^-53 * n^(1/2), rounded up
}

TEST(ReducerOnCpu, ReducesAndRefusesDeviceMemory) {
  Reducer reducer(Device::cpu(2));
  expect_correct_results(reducer);
  EXPECT_ERROR(reducer.min<float>(DeviceSpan<const float>(nullptr, 0)), InvalidArgument, "Device::cuda()");
}

TEST(ReducerOnCuda, ReducesAndThenAllocatesNothing) {
  TRIPTYCH_REQUIRE_CUDA_OR_SKIP();
  Reducer reducer(Device::cuda());
  expect_correct_results(reducer);
  const auto device_before = device_allocation_count();
  const auto pinned_before = pinned_allocation_count();
  expect_correct_results(reducer);
  EXPECT_EQ(device_allocation_count(), device_before);
  EXPECT_EQ(pinned_allocation_count(), pinned_before);
  Reducer moved = std::move(reducer);
  expect_correct_results(moved);
}

TEST(ReducerOnBest, SumsAndMomentsOfAConstant) {
  const std::vector<float> samples(1000, 0.5f);
  Reducer reducer(Device::best());
  const double total = reducer.sum<double, float>(samples);
  const Moments spread = reducer.moments<float>(samples);
  EXPECT_EQ(total, 500.0);
  EXPECT_EQ(spread.variance(), 0.0);
}

}  // namespace
}  // namespace triptych::reduction
